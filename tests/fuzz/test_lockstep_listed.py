"""Lockstep on machines with CPUs' lists and watermarks: the right pass, and faults do not."""

from collections.abc import Callable
from random import Random
from typing import NamedTuple

import pytest

from pagefuzz.campaign.listed import with_lists
from pagefuzz.campaign.walk import FUZZED_ERAS, random_machine, walk
from pagefuzz.lockstep import Lockstep
from pagefuzz.record import trace_of
from pagefuzz.replay import replay
from pagefuzz.shrink import shrink
from pagefuzz.target.builtin import Spec, TwinFactory
from pagefuzz.target.protocol import Factory
from pagespec.era import ERAS, Era
from pagespec.laws.law import LEVELS, LawBroken, Level
from pagespec.machine import Machine
from pagespec.migratetype import UNMOVABLE
from pagespec.ops import perform
from pagespec.trace import Trace
from pagespec.types import NO_MEMORY
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import Zone, copy_of


def listed_machine(rng: Random, era: Era) -> Machine:
    """A machine with CPUs, and often with watermarks."""
    machine = random_machine(rng, era)
    while not machine.cpus:
        machine = with_lists(rng, machine)
    return machine


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("era", FUZZED_ERAS, ids=lambda era: era.name)
@pytest.mark.parametrize("factory", [Spec, TwinFactory()], ids=["spec", "twin"])
def test_right_allocators_pass(factory: Factory, era: Era, level: Level) -> None:
    """Neither the spec nor the twin breaks a law on machines with CPUs, at any level."""
    for seed in range(8):
        rng = Random(seed)
        lockstep = Lockstep(listed_machine(rng, era), factory, level)
        walk(lockstep, rng, 60)
        assert lockstep.level == level


class Fault(NamedTuple):
    """A way to serve wrongly, the law that it breaks at the strictest level, and from outside.

    outside: the law that breaks where the allocator shows nothing, if any does.
    """

    serve: Callable[[Zone, Op], Outcome]
    law: str
    outside: str | None = None
    era: str = "6.1"


def freed_behind(zone: Zone, op: Op) -> Outcome:
    """Puts what is freed at the end that is drained first."""
    outcome = perform(zone, op)
    for pcp in (pcp for pcps in zone.pcps for pcp in pcps):
        for blocks in pcp.lists:
            if op.verb is Verb.FREE and op.pfn in blocks:
                blocks.move_to_end(op.pfn)
    return outcome


def miscounted(zone: Zone, op: Op) -> Outcome:
    """Forgets to count what is drained."""
    counts = [pcp.count for pcps in zone.pcps for pcp in pcps]
    outcome = perform(zone, op)
    if op.verb is Verb.DRAIN and outcome == 0:
        for pcp, count in zip((p for pcps in zone.pcps for p in pcps), counts, strict=True):
            pcp.count = count
    return outcome


def drained_in_part(zone: Zone, op: Op) -> Outcome:
    """Drains all CPUs but the last."""
    if op.verb is not Verb.DRAIN_ALL:
        return perform(zone, op)
    for cpu in range(zone.machine.cpus - 1):
        perform(zone, Op(Verb.DRAIN, cpu=cpu))
    return 0


def marks_ignored(zone: Zone, op: Op) -> Outcome:
    """Serves who cannot wait as if it were an emergency, if that helps."""
    urgent = op._replace(emergency=True)
    helps = op.verb is Verb.ALLOC and op.atomic and perform(copy_of(zone), urgent) >= 0
    return perform(zone, urgent if helps else op)


def overclaimed(zone: Zone, op: Op) -> Outcome:
    """Says that all slots are filled, whatever could be had."""
    outcome = perform(zone, op)
    return op.pages if op.verb is Verb.BULK and outcome >= 0 else outcome


def other_cpu(zone: Zone, op: Op) -> Outcome:
    """Serves interrupts from the lists that they must not touch."""
    return perform(zone, op._replace(contended=False))


def kept_in_slots(zone: Zone, op: Op) -> Outcome:
    """Leaves a frame in its slot that has been freed."""
    slots = zone.slots.copy()
    outcome = perform(zone, op)
    zone.slots.update(slots)
    return outcome


def uncounted(zone: Zone, op: Op) -> Outcome:
    """Counts nothing that it frees."""
    pgfree = zone.pgfree
    outcome = perform(zone, op)
    zone.pgfree = pgfree
    return outcome


def unlearnt(zone: Zone, op: Op) -> Outcome:
    """Forgets what the lists have learnt by a free."""
    loads = [pcp.load for pcps in zone.pcps for pcp in pcps]
    outcome = perform(zone, op)
    if op.verb is Verb.FREE:
        for pcp, load in zip((p for pcps in zone.pcps for p in pcps), loads, strict=True):
            pcp.load = load
    return outcome


def asleep(zone: Zone, op: Op) -> Outcome:
    """Never wakes kswapd."""
    outcome = perform(zone, op)
    if zone.levels is not None:
        zone.levels.reclaiming = False
    return outcome


def failing(zone: Zone, op: Op) -> Outcome:
    """Fails interrupts, although they may have any block."""
    if op.verb is Verb.ALLOC and op.irq and 0 <= op.order <= zone.machine.top:
        return NO_MEMORY if op.mt is UNMOVABLE else perform(zone, op)
    return perform(zone, op)


FAULTS = (
    Fault(freed_behind, "PCP-lifo"),
    Fault(miscounted, "PCP-count"),
    Fault(drained_in_part, "PCP-leak", "OUT-return", era="2.6.11"),
    Fault(marks_ignored, "WM-sound"),
    Fault(overclaimed, "BULK-prefix"),
    Fault(other_cpu, "PCP-owner"),
    Fault(kept_in_slots, "ZONE-frame", "OUT-disjoint"),
    Fault(uncounted, "EVT-count"),
    Fault(unlearnt, "PCP-tune"),
    Fault(asleep, "WM-serve"),
    Fault(failing, "WM-serve"),
)


def planted(fault: Fault, *, shows: bool = True) -> Factory:
    """The spec with the fault; judged from outside if it does not show its state."""

    class Faulty(Spec):
        def serve(self, op: Op) -> Outcome:
            outcome = fault.serve(self.zone, op)
            self.zone.log.clear()
            return outcome

    class Mute(Faulty):
        # No method at all, which is how a target says that it shows nothing.
        state = None  # type: ignore[assignment]

    return Faulty if shows else Mute


def failure(factory: Factory, era: Era, walks: int = 200) -> Trace | None:
    """The trace of the first walk that breaks a law."""
    for seed in range(walks):
        rng = Random(f"listed {seed}")
        machine = listed_machine(rng, era)
        lockstep: Lockstep | None = None
        try:
            lockstep = Lockstep(machine, factory)
            walk(lockstep, rng, 60)
        except LawBroken as broken:
            done, filled = (lockstep.done, lockstep.filled) if lockstep else ([], {})
            return trace_of(machine, done, broken, filled)
    return None


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.serve.__name__)
def test_a_fault_breaks_the_law_that_names_it_and_becomes_small(fault: Fault) -> None:
    """The law is about what the fault spoils; the trace that is left breaks it in few requests."""
    raw = failure(planted(fault), ERAS[fault.era])
    assert raw is not None
    small = shrink(raw, planted(fault))
    verdict = replay(small, planted(fault))

    assert raw.expect == fault.law
    assert verdict.broken is not None
    assert verdict.broken.law_id == small.expect == fault.law
    assert verdict.skipped == ()
    assert len(small.requests) <= 5
    assert replay(small, Spec).broken is None


@pytest.mark.parametrize(
    "fault", [fault for fault in FAULTS if fault.outside], ids=lambda fault: fault.serve.__name__
)
def test_some_show_outside_too(fault: Fault) -> None:
    """A caller that sees nothing but answers finds what is lost and what has two owners."""
    trace = failure(planted(fault, shows=False), ERAS[fault.era])

    assert trace is not None
    assert trace.expect == fault.outside
