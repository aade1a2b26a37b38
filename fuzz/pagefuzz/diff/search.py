"""All traces of up to so many requests, the shortest first: where do two sides part?

Both serve the same requests from boot on. As long as they agree, a pair of states is gone on from
once, by the shortest trace that leads to it; where they part, the trace ends. So a parting that is
found first in its group has no shorter trace in this vocabulary on this machine.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field

from pagefuzz.diff.difference import Aspect
from pagefuzz.diff.parting import BOOT, Group, Parting, parting_of
from pagefuzz.diff.seen import Path, Seen, Side
from pagefuzz.diff.vocabulary import vocabulary
from pagefuzz.report.console import Tell
from pagespec.verbs import Op


@dataclass(slots=True)
class Found:
    """What a search has found.

    first: the first parting of each group, which is a shortest. partings: how many steps (a pair of
    states and a request) part in that way. states, steps: pairs of states gone on from, and
    requests put in them. length: all traces of up to so many requests were tried; None before any.
    tried: every request that was put anywhere, once.
    """

    first: dict[Group, Parting] = field(default_factory=dict)
    partings: dict[Group, int] = field(default_factory=dict)
    states: int = 0
    steps: int = 0
    length: int | None = None
    tried: set[Op] = field(default_factory=set)

    def add(self, parting: Parting) -> None:
        """Count a parting, and keep it if it is shorter than what its group has."""
        group = parting.group
        self.partings[group] = self.partings.get(group, 0) + 1
        if group not in self.first or parting.length < self.first[group].length:
            self.first[group] = parting


def search(
    sides: tuple[Side, Side],
    bound: int,
    found: Found,
    ignored: frozenset[Aspect] = frozenset(),
    tell: Tell = lambda line: None,
) -> None:
    """Try every trace of up to `bound` requests, and add the partings to what was found."""
    start = booted(sides, ignored)
    if isinstance(start, Parting):
        found.add(start)
        found.length = bound
        return
    machines = sides[0].machine, sides[1].machine
    verbs = frozenset(sides[0].verbs & sides[1].verbs)
    shows = sides[0].booted().shows and sides[1].booted().shows
    found.length = 0
    paths = [start]
    met = {_key(start, shows)}
    for length in range(1, bound + 1):
        longer: list[Path] = []
        for path in paths:
            found.states += 1
            for op in vocabulary(machines, verbs, path.states[0]):
                found.steps += 1
                found.tried.add(op)
                # At each, since all of one state can take an allocator that walks anew a minute.
                tell(
                    f"length {length} of {bound}: {found.steps:,} steps, {len(found.first)} groups"
                )
                seen = served(sides, path, op)
                parting = parting_of(sides, path, op, seen, ignored)
                if parting is not None:
                    found.add(parting)
                    continue
                after = longer_by(path, op, seen)
                key = _key(after, shows)
                if key not in met:
                    met.add(key)
                    longer.append(after)
        paths, found.length = longer, length


def booted(sides: tuple[Side, Side], ignored: frozenset[Aspect]) -> Path | Parting:
    """The path without a request, or the parting at boot."""
    seen = sides[0].booted(), sides[1].booted()
    parting = parting_of(sides, None, BOOT, seen, ignored)
    return parting or Path(None, BOOT, 0, (seen[0].state, seen[1].state))


def served(sides: tuple[Side, Side], path: Path, op: Op) -> tuple[Seen, Seen]:
    """What both sides show after one more request."""
    one, other = sides
    return one.serve(path, path.states[0], op), other.serve(path, path.states[1], op)


def longer_by(path: Path, op: Op, seen: tuple[Seen, Seen]) -> Path:
    """The path with one more request, to which both sides answered the same."""
    one, other = seen
    # Mostly the same; then one of them is enough to keep.
    states = (one.state, one.state if one.state == other.state else other.state)
    return Path(path, op, one.outcome, states)


def _key(path: Path, shows: bool) -> Hashable:
    """What tells paths apart: the states, or the whole path where a state may be hidden."""
    return path.states if shows else tuple(path.steps())
