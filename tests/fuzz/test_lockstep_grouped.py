"""Lockstep on machines with pageblocks: the spec passes, and faults in each new area do not."""

from random import Random

import pytest
from tests.fuzz.grouped_faults import FAULTS, Fault, planted

from pagefuzz.campaign.grouped import grouped_machine
from pagefuzz.campaign.walk import FUZZED_ERAS, walk
from pagefuzz.lockstep import Lockstep
from pagefuzz.record import trace_of
from pagefuzz.replay import replay
from pagefuzz.shrink import shrink
from pagefuzz.target.builtin import Spec, TwinFactory
from pagefuzz.target.protocol import Factory
from pagespec.era import ERAS, Era
from pagespec.laws.law import LEVELS, LawBroken, Level
from pagespec.trace import Trace, text_of

GROUPED_ERAS = tuple(era for era in FUZZED_ERAS if era.numbering is not None)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("era", GROUPED_ERAS, ids=lambda era: era.name)
@pytest.mark.parametrize("factory", [Spec, TwinFactory()], ids=["spec", "twin"])
def test_right_allocators_pass(factory: Factory, era: Era, level: Level) -> None:
    """Neither the spec nor the twin breaks a law on machines with pageblocks, at any level."""
    for seed in range(12):
        rng = Random(seed)
        lockstep = Lockstep(grouped_machine(rng, era), factory, level)
        walk(lockstep, rng, 60)
        assert lockstep.level == level


def failure(fault: Fault) -> Trace:
    """The trace of the first walk that breaks a law."""
    factory = planted(fault)
    for seed in range(300):
        rng = Random(seed)
        machine = grouped_machine(rng, ERAS[fault.era])
        lockstep: Lockstep | None = None
        try:
            lockstep = Lockstep(machine, factory)
            walk(lockstep, rng, 60)
        except LawBroken as broken:
            return trace_of(machine, lockstep.done if lockstep else [], broken)
    raise AssertionError("no law broke in 300 walks")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.serve.__name__)
def test_a_fault_breaks_the_law_that_names_it_and_becomes_small(fault: Fault) -> None:
    """The law is about what the fault spoils; the trace that is left breaks it in few requests."""
    raw = failure(fault)
    small = shrink(raw, planted(fault))
    verdict = replay(small, planted(fault))

    assert raw.expect == fault.law
    assert verdict.broken is not None
    assert verdict.broken.law_id == small.expect == fault.law
    assert verdict.skipped == ()
    assert len(small.requests) <= 6
    assert len(text_of(small)) < len(text_of(raw))
    assert replay(small, Spec).broken is None
