"""The requests that change what counters keep back, and what is known after each of them."""

from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from pagefuzz.prove.drift.state import Known, Small
from pagespec.types import Refusal
from pagespec.verbs import Outcome
from pagespec.vmstat.drift import Mix, kept_by_cell
from pagespec.vmstat.ops import perform
from pagespec.vmstat.verbs import CounterOp, CounterVerb

Group: TypeAlias = Literal["refresh", "wake", "unplug"]


class Asking(NamedTuple):
    """What is requested.

    mix: of changes. sizes: of those by any number. updates, refreshes: how many at most are under
    way in all. contexts: how many at most change the counter on a CPU, of which nothing else runs
    once all are under way; None for any number. groups: what else is requested.
    """

    mix: Mix = "any"
    sizes: tuple[int, ...] = (1,)
    updates: int = 0
    refreshes: int = 0
    contexts: int | None = None
    groups: tuple[Group, ...] = ()

    def __str__(self) -> str:
        words = [{"any": "mod inc dec"}.get(self.mix, self.mix)]
        if self.mix in ("any", "mod"):
            words.append("by " + ",".join(map(str, self.sizes)))
        words.append(f"updates {self.updates}")
        if self.contexts is not None:
            words.append(f"contexts {self.contexts}")
        if self.refreshes:
            words.append(f"refreshes {self.refreshes}")
        return " ".join((*words, *self.groups))


def changes_of(asking: Asking) -> Iterator[CounterOp]:
    """The changes that are tried on each CPU and zone."""
    if asking.mix in ("any", "mod"):
        for by in {size * sign for size in asking.sizes for sign in (1, -1)}:
            yield CounterOp(CounterVerb.MOD, by=by)
    if asking.mix in ("any", "inc"):
        yield CounterOp(CounterVerb.INC)
    if asking.mix in ("any", "dec"):
        yield CounterOp(CounterVerb.DEC)


def requests_in(asking: Asking, small: Small) -> Iterator[CounterOp]:
    """What is tried in a state: what the CPUs there can do."""
    counters = small.counters
    machine = counters.machine
    under_way = sum(not known.refresh for known in small.known)
    yield from (CounterOp(CounterVerb.LAND, number=at) for at in range(len(small.known)))
    for cpu in range(len(machine.cpus)):
        if cpu not in counters.running:
            yield CounterOp(CounterVerb.PLUG, cpu)
            continue
        updates = zip(counters.updates, small.known, strict=True)
        own = [update for update, known in updates if update.cpu == cpu and not known.refresh]
        if any(update.left is not None for update in own) or len(own) == asking.contexts:
            continue
        for zone in range(len(machine.zones)):
            for op in changes_of(asking):
                for irqs_on in (False, True)[: 1 + machine.era.exchanges_cells]:
                    change = op._replace(cpu=cpu, where=zone, irqs_on=irqs_on)
                    yield change
                    if under_way < asking.updates:
                        yield change._replace(open=True)
        yield from _others_on(asking, small, cpu)
    if "wake" in asking.groups:
        yield CounterOp(CounterVerb.REST if counters.reclaiming else CounterVerb.WAKE)


def _others_on(asking: Asking, small: Small, cpu: int) -> Iterator[CounterOp]:
    if "refresh" in asking.groups:
        yield CounterOp(CounterVerb.REFRESH, cpu)
    if sum(known.refresh for known in small.known) < asking.refreshes:
        yield CounterOp(CounterVerb.REFRESH, cpu, open=True)
    if "unplug" in asking.groups and len(small.counters.running) > 1:
        yield CounterOp(CounterVerb.UNPLUG, cpu)


CHANGES = {CounterVerb.MOD: 0, CounterVerb.INC: 1, CounterVerb.DEC: -1}
"""By how much each changes its zone in truth, where the request does not say."""


def asked(asking: Asking, small: Small, op: CounterOp) -> Outcome:
    """Put a request, and note what is known after it: the truth, thresholds and updates."""
    counters, truth, most, known = small
    before = counters.updates.copy()
    outcome = perform(counters, op)
    if isinstance(outcome, Refusal):
        raise AssertionError(f"{op} was refused: {outcome}")
    began = counters.updates[len(before) :]
    if op.verb in CHANGES:
        truth[op.where] += CHANGES[op.verb] or op.by
        for update in began:
            since = 0 if update.left is None else counters.thresholds[op.where]
            size = abs(CHANGES[op.verb] or op.by)
            known.append(Known(size, most[op.cpu][op.where], since, False))
    elif op.verb is CounterVerb.REFRESH:
        known += [Known(0, sum(most[op.cpu]), 0, True) for _ in began]
    elif op.verb is CounterVerb.LAND and len(counters.updates) < len(before):
        update, ended = before[op.number], known.pop(op.number)
        if update.left is not None:
            most[update.cpu][update.place] = ended.since
    _follow_thresholds(asking.mix, small)
    return outcome


def _follow_thresholds(mix: Mix, small: Small) -> None:
    """A cell within the threshold in force forgets larger ones, unless it is about to be written.

    An update that is to write it remembers them in its place.
    """
    counters = small.counters
    now = counters.thresholds
    writes: set[tuple[int, int]] = set()
    for number, (update, known) in enumerate(zip(counters.updates, small.known, strict=True)):
        if update.left is not None:
            writes.add((update.cpu, update.place))
            since = max(known.since, now[update.place])
            small.known[number] = known._replace(since=since)
    for cpu, largest in enumerate(small.most):
        for zone, threshold in enumerate(now):
            allowed = kept_by_cell(threshold, mix)
            within = allowed.least <= counters.cells[cpu][zone] <= allowed.most
            forgets = within and (cpu, zone) not in writes
            largest[zone] = threshold if forgets else max(largest[zone], threshold)
