"""What `pagespec.vmstat.drift` states about a small state: each bound with what is really there."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pagefuzz.prove.drift.requests import Asking
from pagefuzz.prove.drift.state import (
    PLACE,
    TOTAL,
    Held,
    Kept,
    State,
    error_of,
    missed_of,
    total_error_of,
)
from pagespec.vmstat.drift import (
    Range,
    kept_by_cell,
    kept_by_contexts,
    kept_by_cpus,
    kept_by_refresh,
    kept_with_updates,
    missed_closely,
    told_at_once,
)
from pagespec.vmstat.machine import CounterMachine


class Claim(NamedTuple):
    """A bound with its arguments: `what` is off by no more, whatever else the state is.

    given: for each CPU, its thresholds in sum, the sizes of its updates and what refreshes add.
    """

    what: str
    given: tuple[tuple[int, tuple[int, ...], int], ...]

    def __str__(self) -> str:
        cpus = []
        for threshold, sizes, refreshes in self.given:
            words = f"{threshold}"
            if sizes:
                words += f" with updates by {','.join(map(str, sizes))}"
            if refreshes:
                words += f" and a refresh of {refreshes}"
            cpus.append(words)
        return f"{self.what} for thresholds {' and '.join(cpus)}"


class Judged(NamedTuple):
    """What a claim allows, and what there is. least: None if nothing is claimed below 0."""

    claim: Claim
    least: int | None
    most: int
    found: int


def both(claim: Claim, most: int, found: int) -> Judged:
    """A claim about both directions."""
    return Judged(claim, -most, most, found)


def within(claim: Claim, allowed: Range, found: int) -> Judged:
    """A claim about a range."""
    return Judged(claim, *allowed, found)


def claims_about(state: State, machine: CounterMachine, asking: Asking) -> Iterator[Judged]:
    """Every claim that speaks of the state."""
    exchanges = machine.era.exchanges_cells
    cpus = [kept for kept in state.cpus if kept.runs or kept.held]
    zones = range(len(state.thresholds))
    for kept in cpus:
        for zone in zones:
            if not any(held.zone == zone for held in kept.held):
                allowed = kept_by_cell(kept.most[zone], asking.mix)
                claim = Claim("cell", ((kept.most[zone], (), 0),))
                yield within(claim, allowed, kept.cells[zone])
        for held in kept.held:
            if held.stage == PLACE and not held.left:
                claim = Claim("update", ((held.most, (held.size,), 0),))
                yield _one_way(asking, claim, told_at_once(held.most, held.size), held.pages)
    for zone in zones:
        found = sum(error_of(kept, zone) for kept in cpus)
        yield _of_zone(asking, cpus, zone, found)
        if exchanges:
            yield from _closely(asking, cpus, zone)
    if asking.contexts in (None, 1):
        yield _of_total(asking, cpus, sum(map(total_error_of, cpus)))


def _one_way(asking: Asking, claim: Claim, most: int, found: int) -> Judged:
    """Increments alone are bounded from above, where updates are under way, and so forth."""
    if asking.mix == "inc":
        return Judged(claim, None, most, found)
    return both(claim, most, found)


def _threshold(kept: Kept, zone: int) -> int:
    """The largest since the cell was told before the oldest of its updates."""
    own = (held for held in kept.held if held.zone == zone and not held.refresh)
    return max([kept.most[zone], *(max(held.most, held.since) for held in own)])


def _untold(kept: Kept, zone: int) -> list[Held]:
    return [held for held in kept.held if held.zone == zone and held.stage == PLACE]


def _of_zone(asking: Asking, cpus: Sequence[Kept], zone: int, found: int) -> Judged:
    given, most = [], 0
    for kept in cpus:
        threshold = _threshold(kept, zone)
        sizes = tuple(sorted(held.size for held in _untold(kept, zone)))
        if asking.contexts is not None:
            largest = max(asking.sizes) if asking.mix in ("any", "mod") else 1
            most += kept_by_contexts(threshold, asking.contexts, largest)
            sizes = (largest,) * asking.contexts
        else:
            most += kept_with_updates(threshold, sizes)
        given.append((threshold, sizes, 0))
    claim = Claim("zone", tuple(sorted(given)))
    if any(sizes for _, sizes, _ in given):
        return _one_way(asking, claim, most, found)
    return within(claim, kept_by_cpus([given[0] for given in given], asking.mix), found)


def _closely(asking: Asking, cpus: Sequence[Kept], zone: int) -> Iterator[Judged]:
    given, most = [], 0
    for kept in cpus:
        own = [
            held for held in kept.held if held.zone == zone and (held.left or held.stage == PLACE)
        ]
        if own:
            sizes = tuple(sorted(held.size for held in own))
            threshold = _threshold(kept, zone)
            most += missed_closely(threshold, sizes)
            given.append((threshold, sizes, 0))
    if given:
        found = sum(missed_of(kept, zone) for kept in cpus)
        yield _one_way(asking, Claim("close look", tuple(sorted(given))), most, found)


def _of_total(asking: Asking, cpus: Sequence[Kept], found: int) -> Judged:
    given, most = [], 0
    for kept in cpus:
        zones = range(len(kept.cells))
        thresholds = [_threshold(kept, zone) for zone in zones]
        updates = [held for held in kept.held if not held.refresh and held.stage in (PLACE, TOTAL)]
        refreshes = [held.most for held in kept.held if held.refresh]
        for zone in zones:
            own = [held.size for held in updates if held.zone == zone]
            if asking.contexts is None or not own:
                most += kept_with_updates(thresholds[zone], own)
            else:
                most += kept_by_contexts(thresholds[zone], 1, *own)
        most += kept_by_refresh(refreshes)
        sizes = tuple(sorted(held.size for held in updates))
        given.append((sum(thresholds), sizes, sum(refreshes)))
    claim = Claim("sum", tuple(sorted(given)))
    if any(sizes or refreshes for _, sizes, refreshes in given):
        return _one_way(asking, claim, most, found)
    at_rest = kept_by_cpus(
        [_threshold(kept, zone) for kept in cpus for zone in range(len(kept.cells))], asking.mix
    )
    return within(claim, at_rest, found)
