"""Shrinking on machines with pageblocks: what may go, goes, and every candidate is a trace."""

from collections.abc import Callable
from random import Random

import pytest

from pagefuzz.campaign.grouped import grouped_machine
from pagefuzz.campaign.walk import FUZZED_ERAS, walk
from pagefuzz.lockstep import Lockstep
from pagefuzz.record import trace_of
from pagefuzz.shrink import shrink, size_of
from pagefuzz.smaller import simpler_requests, smaller_machines
from pagefuzz.target.builtin import Spec
from pagefuzz.target.protocol import Factory
from pagespec.era import Era
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.migratetype import MOVABLE
from pagespec.trace import FLAGS, text_of
from pagespec.trace_reader import parse
from pagespec.verbs import Op, Outcome, Verb

GROUPED_ERAS = tuple(era for era in FUZZED_ERAS if era.numbering is not None)
RICH = """\
pagefuzz-trace 1
machine pages=44 top=3 era=6.1 start=16 pageblock=2 types=U2M2C2EM2HM guard=2
a = alloc order=2 mt=M compound=1 atomic=1 nofragment=1
b = alloc order=1 mt=E
isolate pfn=24 pages=8
restore pfn=24 pages=8 mt=C
unreserve mt=E force=1
c = contig pfn=33 pages=6 mt=C
free c+1 order=0
split b
free b+1 order=0
offline pfn=16 pages=8
poison pfn=57
"""


def raising(wrong: Callable[[Machine, Op], bool]) -> Factory:
    """The spec, but that it raises where something is so."""

    class Raising(Spec):
        def serve(self, op: Op) -> Outcome:
            if wrong(self.zone.machine, op):
                raise KeyError("wrong")
            return super().serve(op)

    return Raising


@pytest.mark.parametrize(
    ("wrong", "machine", "requests"),
    [
        (
            lambda machine, op: op.verb is Verb.RESTORE,
            "machine pages=1 top=0 era=6.1",
            ["restore pfn=0 pages=1"],
        ),
        (
            lambda machine, op: op.verb is Verb.RESTORE and op.pages > 2 and op.mt > MOVABLE,
            "machine pages=1 top=0 era=6.1",
            ["restore pfn=0 pages=3 mt=C"],
        ),
        (
            lambda machine, op: op.verb is Verb.ALLOC and op.atomic and bool(machine.pageblock),
            "machine pages=1 top=1 era=6.1 pageblock=1",
            ["a = alloc order=0 atomic=1"],
        ),
        (
            lambda machine, op: op.verb is Verb.UNRESERVE and op.force and machine.guard > 0,
            "machine pages=1 top=1 era=6.1 guard=1",
            ["unreserve force=1"],
        ),
        (
            lambda machine, op: op.verb is Verb.CONTIG and len(set(machine.types)) > 2,
            "machine pages=5 top=1 era=6.1 pageblock=1 types=UME",
            ["c = contig pfn=0 pages=1"],
        ),
        (
            lambda machine, op: op.verb is Verb.SPLIT and machine.pageblock == 2,
            "machine pages=1 top=2 era=6.1 pageblock=2",
            ["b = alloc order=0", "split b"],
        ),
    ],
    ids=["restore", "type and pages", "pageblocks", "guard", "types", "pageblock order"],
)
def test_nothing_is_left_but_what_is_wrong(
    wrong: Callable[[Machine, Op], bool], machine: str, requests: list[str]
) -> None:
    """Each flag, type, count, pageblock and guard goes unless the fault needs it."""
    small = shrink(parse(RICH), raising(wrong))

    assert small.expect == "OUT-fault"
    assert text_of(small).splitlines()[2:-1] == [machine, *requests]


def test_there_is_a_candidate_for_each_thing_that_may_go() -> None:
    """One with less of everything that a machine or a request can have."""
    trace = parse(RICH)
    machines = [other.machine for other in smaller_machines(trace)]

    def some(less: Callable[[Machine], bool]) -> bool:
        return any(map(less, machines))

    assert some(lambda machine: machine.pageblock is None)
    assert some(lambda machine: machine.pageblock == 1)
    assert some(lambda machine: machine.pageblock is not None and machine.types == ())
    assert some(lambda machine: machine.guard == 0)
    assert some(lambda machine: machine.pageblocks < trace.machine.pageblocks)
    assert some(lambda machine: machine.start == 0)
    assert some(lambda machine: machine.top == 2)
    simpler = [other.requests for other in simpler_requests(trace)]

    def gone(position: int, field: str, value: object) -> bool:
        return any(getattr(requests[position], field) == value for requests in simpler)

    assert [flag for flag in FLAGS[:3] if not gone(0, flag, False)] == []
    assert gone(4, "force", False)
    assert [
        at for at, request in enumerate(trace.requests) if request.mt > 1 and not gone(at, "mt", 0)
    ] == []
    assert gone(2, "pages", 4)
    assert gone(5, "pages", 1)


@pytest.mark.parametrize("era", GROUPED_ERAS, ids=lambda era: era.name)
def test_every_candidate_is_a_trace(era: Era) -> None:
    """What shrinking tries can be written and read, whatever machine it starts from."""
    for seed in range(12):
        rng = Random(seed)
        lockstep = Lockstep(grouped_machine(rng, era), Spec, "outside")
        walk(lockstep, rng, 12)
        trace = trace_of(lockstep.machine, lockstep.done, LawBroken("BUD-maximal", "made up"))
        candidates = [*smaller_machines(trace), *simpler_requests(trace)]

        assert len(candidates) > 20
        assert [other for other in candidates if parse(text_of(other)) != other] == []
        assert any(size_of(other) < size_of(trace) for other in candidates)
