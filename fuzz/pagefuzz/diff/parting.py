"""Where two sides part, and the group that such a parting belongs to."""

from typing import NamedTuple

from pagefuzz.diff.difference import TRACEPOINTS, Aspect, Difference, difference_of
from pagefuzz.diff.seen import Path, Seen, Side, Step
from pagespec.events import Kind
from pagespec.verbs import Op, Verb

ANYWAY = frozenset(
    {
        *TRACEPOINTS,
        *(Kind.SPLIT, Kind.MERGE, Kind.HEAD, Kind.TAIL, Kind.FAIL, Kind.REFUSE, Kind.MOVED),
        *(Kind.TOLD_MORE, Kind.TOLD_LESS, Kind.READ_OUT),
    }
)
"""The events that do not say which way a request went, or that the answer or counts say as well."""


class Group(NamedTuple):
    """Partings of one kind.

    law: the law that one side breaks, and whose it is; empty if both are allowed. verb: of the
    request that parts them; None at boot. ways: the branches that each side alone took, or if both
    took the same, these twice.
    """

    law: str
    aspect: Aspect
    verb: Verb | None
    ways: tuple[str, str]


class Parting(NamedTuple):
    """Two sides part after the path, at the request; or at boot, without a path."""

    sides: tuple[Side, Side]
    path: Path | None
    op: Op
    seen: tuple[Seen, Seen]
    difference: Difference
    group: Group

    @property
    def steps(self) -> list[Step]:
        """Every request from boot to the parting, with the first side's answers."""
        if self.path is None:
            return []
        seen = self.seen[0]
        return [*self.path.steps(), Step(self.op, seen.outcome, seen.state.slots)]

    @property
    def length(self) -> int:
        """How many requests lead to it, the last one included."""
        return len(self.steps)


BOOT = Op(Verb.UNRESERVE)
"""What stands for a request at boot, which has none."""


def parting_of(
    sides: tuple[Side, Side],
    path: Path | None,
    op: Op,
    seen: tuple[Seen, Seen],
    ignored: frozenset[Aspect] = frozenset(),
) -> Parting | None:
    """The parting at a request, or None if both sides answer and show the same."""
    difference = difference_of(op.verb, seen, ignored)
    if difference is None:
        return None
    told = seen
    if "tracepoints" in ignored or not (seen[0].prints and seen[1].prints):
        told = seen[0]._replace(log=()), seen[1]._replace(log=())
    verb = None if path is None else op.verb
    group = Group(_law(sides, path, op, told), difference.aspect, verb, _ways(seen))
    return Parting(sides, path, op, seen, difference, group)


def _law(sides: tuple[Side, Side], path: Path | None, op: Op, seen: tuple[Seen, Seen]) -> str:
    """The first law that one side keeps and the other breaks: whose it is, and who breaks it."""
    states = (None, None) if path is None else path.states
    for keeper, breaker in ((0, 1), (1, 0)):
        machine = sides[keeper].machine
        for broken in sides[breaker].broken(machine, path, states[breaker], op, seen[breaker]):
            own = sides[keeper].broken(machine, path, states[keeper], op, seen[keeper])
            if broken.law_id not in {each.law_id for each in own}:
                whose = "" if machine == sides[breaker].machine else f" of {machine.era.name}"
                return f"{broken.law_id}{whose}, broken by {sides[breaker].name}"
    return ""


def _ways(seen: tuple[Seen, Seen]) -> tuple[str, str]:
    """The branches that only one side took; those that both took, if they are the same."""
    kinds = [
        dict.fromkeys(event.kind.value for event in each.log if event.kind not in ANYWAY)
        for each in seen
    ]
    if kinds[0].keys() == kinds[1].keys():
        return ", ".join(kinds[0]), ", ".join(kinds[0])
    alone = [", ".join(kind for kind in kinds[at] if kind not in kinds[1 - at]) for at in (0, 1)]
    return alone[0], alone[1]
