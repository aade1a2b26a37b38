"""Shrinking on machines with CPUs' lists and watermarks: what may go, goes."""

from collections.abc import Callable
from random import Random

import pytest
from tests.fuzz.test_shrink_grouped import raising

from pagefuzz.campaign.walk import FUZZED_ERAS, random_machine, walk
from pagefuzz.lockstep import Lockstep
from pagefuzz.record import trace_of
from pagefuzz.replay import replay
from pagefuzz.shrink import shrink, size_of
from pagefuzz.smaller import simpler_requests, smaller_machines
from pagefuzz.target.builtin import Spec
from pagespec.era import Era
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.trace import FLAGS, text_of
from pagespec.trace_reader import parse
from pagespec.verbs import Op, Verb

RICH = """\
pagefuzz-trace 1
machine pages=64 top=3 era=6.12 cpus=4 batch=3 high=9 min_free=16 cells=1
a = alloc order=0 cpu=2 emergency=1 irq=1 contended=1 cold=1
b = alloc order=1 cpu=3
bulk pages=6 cpu=1 irq=1
free slot=4 cpu=3 contended=1
get slot=2
free slot=2 order=0
drain cpu=3
unplug cpu=3
free b cpu=2 cold=1
plug cpu=3
age cpu=2
refresh cpu=2
rest
"""


@pytest.mark.parametrize(
    ("wrong", "machine", "requests"),
    [
        (
            lambda machine, op: op.verb is Verb.FREE and op.cold,
            "machine pages=1 top=0 era=6.12",
            ["b = alloc order=0", "free b cold=1"],
        ),
        (
            lambda machine, op: op.verb is Verb.ALLOC and op.cpu == 2,
            "machine pages=1 top=0 era=6.12 cpus=3",
            ["a = alloc order=0 cpu=2"],
        ),
        (
            lambda machine, op: op.verb is Verb.DRAIN and op.cpu == machine.cpus - 1 > 0,
            "machine pages=1 top=0 era=6.12 cpus=2",
            ["drain cpu=1"],
        ),
        (
            lambda machine, op: machine.cells and op.verb is Verb.REFRESH,
            "machine pages=1 top=0 era=6.12 cpus=1 cells=1",
            ["refresh"],
        ),
        (
            lambda machine, op: machine.batch == 3 and op.verb is Verb.AGE,
            "machine pages=1 top=0 era=6.12 cpus=1 batch=3",
            ["age"],
        ),
        (
            lambda machine, op: (machine.high or 0) > 4 and op.verb is Verb.BULK and op.pages > 1,
            "machine pages=1 top=0 era=6.12 cpus=1 high=5",
            ["bulk pages=2"],
        ),
        (
            lambda machine, op: machine.min_free is not None and op.verb is Verb.REST,
            "machine pages=1 top=0 era=6.12 min_free=0",
            ["rest"],
        ),
        (
            lambda machine, op: op.verb is Verb.GET and op.pfn > 0 and bool(machine.cpus),
            "machine pages=2 top=0 era=6.12 cpus=1",
            ["bulk pages=2", "get slot=1"],
        ),
    ],
    ids=["cold", "cpu", "cpus", "cells", "batch", "high", "marks", "slot"],
)
def test_nothing_is_left_but_what_is_wrong(
    wrong: Callable[[Machine, Op], bool], machine: str, requests: list[str]
) -> None:
    """Each CPU, size, mark, hint and slot goes unless the fault needs it."""
    small = shrink(parse(RICH), raising(wrong))

    assert small.expect == "OUT-fault"
    assert text_of(small).splitlines()[2:-1] == [machine, *requests]
    assert replay(small, raising(wrong)).skipped == ()


def test_cpus_are_merged() -> None:
    """What needs a second CPU keeps it, and of four there are two."""

    def wrong(machine: Machine, op: Op) -> bool:
        return op.verb is Verb.PUT and machine.cpus > 0 and op.cpu == machine.cpus - 1 > 0

    trace = parse(RICH + "c = alloc order=0 cpu=2\nput c cpu=3\n")

    assert text_of(shrink(trace, raising(wrong))).splitlines()[2:-1] == [
        "machine pages=1 top=0 era=6.12 cpus=2",
        "c = alloc order=0",
        "put c cpu=1",
    ]


def test_there_is_a_candidate_for_each_thing_that_may_go() -> None:
    """One with less of everything about CPUs and marks that a machine or a request can have."""
    trace = parse(RICH)
    machines = [other.machine for other in smaller_machines(trace)]
    for field, less in (
        *(("cpus", 0), ("cpus", 3), ("batch", None), ("batch", 0), ("batch", 2), ("high", None)),
        *(("high", 5), ("high", 8), ("min_free", None), ("min_free", 0), ("min_free", 12)),
    ):
        assert any(getattr(machine, field) == less for machine in machines), (field, less)
    simpler = [other.requests for other in simpler_requests(trace)]
    for at, request in enumerate(trace.requests):
        for field in (*FLAGS, "cpu"):
            gone = any(not getattr(requests[at], field) for requests in simpler)
            assert gone or not getattr(request, field), (at, field)
    assert {requests[3].slot for requests in simpler} == {0, 1, 2, 3, 4}
    assert any(requests[5].order is None for requests in simpler)


@pytest.mark.parametrize("era", FUZZED_ERAS, ids=lambda era: era.name)
def test_every_candidate_is_a_trace(era: Era) -> None:
    """What shrinking tries can be written and read, whatever machine it starts from."""
    for seed in range(12):
        rng = Random(seed)
        lockstep = Lockstep(random_machine(rng, era), Spec, "outside")
        walk(lockstep, rng, 12)
        broken = LawBroken("BUD-maximal", "made up")
        trace = trace_of(lockstep.machine, lockstep.done, broken, lockstep.filled)
        candidates = [*smaller_machines(trace), *simpler_requests(trace)]

        assert [other for other in candidates if parse(text_of(other)) != other] == []
        assert any(size_of(other) < size_of(trace) for other in candidates)
