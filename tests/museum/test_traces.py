"""The stored traces: the mutant breaks its law on them, and nothing else breaks any."""

from pathlib import Path
from typing import TypeAlias

import pytest

from pagefuzz.compaction.replay import replay_compaction
from pagefuzz.compaction.under import compaction_factory_of
from pagefuzz.counters.replay import replay_counters
from pagefuzz.counters.under import counter_factory_of
from pagefuzz.hosts.replay import replay_host
from pagefuzz.hosts.under import host_factory_of
from pagefuzz.museum.catalogue import MUTANTS
from pagefuzz.museum.exhibit import plain_exhibit
from pagefuzz.museum.mutant import (
    COMPACTION_KINDS,
    COUNTER_KINDS,
    HOST_KINDS,
    SLAB_KINDS,
    STEP_KINDS,
    Mutant,
)
from pagefuzz.museum.planted import planted_in_spec
from pagefuzz.replay import replay
from pagefuzz.schedule.fewest import switches_of
from pagefuzz.schedule.frames import BY_FRAMES
from pagefuzz.schedule.replay import follow
from pagefuzz.slabs.replay import replay_slabs
from pagefuzz.slabs.under import slab_factory_of
from pagefuzz.target.builtin import Spec
from pagefuzz.target.protocol import Factory
from pagespec.compaction.trace import CompactionTrace
from pagespec.host_trace import AnyTrace, HostTrace, parse_any
from pagespec.laws.law import LawBroken
from pagespec.schedule.running import BY_GENERATORS, Engine
from pagespec.schedule.trace import ScheduleTrace
from pagespec.slab.trace import SlabTrace
from pagespec.trace import Trace
from pagespec.vmstat.trace import CounterTrace

FOLDER = Path(__file__).parent / "traces"
CLEAN = plain_exhibit(())
SEQUENTIAL = [mutant for mutant in MUTANTS if mutant.kind not in STEP_KINDS]
BETWEEN = [mutant for mutant in MUTANTS if mutant.kind in STEP_KINDS]


def stored(mutant: Mutant) -> AnyTrace:
    return parse_any((FOLDER / f"{mutant.id}.trace").read_text(encoding="utf-8"))


Sequential: TypeAlias = Trace | HostTrace | CounterTrace | SlabTrace | CompactionTrace


def broken_by(factory: Factory, trace: Sequential) -> LawBroken | None:
    if isinstance(trace, HostTrace):
        return replay_host(trace, host_factory_of(factory)).broken
    if isinstance(trace, CounterTrace):
        return replay_counters(trace, counter_factory_of(factory)).broken
    if isinstance(trace, SlabTrace):
        return replay_slabs(trace, slab_factory_of(factory)).broken
    if isinstance(trace, CompactionTrace):
        return replay_compaction(trace, compaction_factory_of(factory)).broken
    return replay(trace, factory).broken


def test_one_a_mutant() -> None:
    """No mutant without a trace, and no trace of a mutant that is gone."""
    assert {path.stem for path in FOLDER.glob("*")} == {mutant.id for mutant in MUTANTS}


@pytest.mark.parametrize("mutant", SEQUENTIAL, ids=lambda mutant: mutant.id)
def test_the_mutant_breaks_the_law(mutant: Mutant) -> None:
    """The very law that the trace expects, and that fits the mechanism."""
    trace = stored(mutant)
    assert not isinstance(trace, ScheduleTrace)
    broken = broken_by(plain_exhibit(mutant.edits), trace)

    assert broken is not None
    assert broken.law_id == trace.expect
    assert broken.law_id in mutant.laws
    assert len(trace.requests) <= mutant.limits.requests
    assert isinstance(trace, HostTrace) is (mutant.kind in HOST_KINDS)
    assert isinstance(trace, CounterTrace) is (mutant.kind in COUNTER_KINDS)
    assert isinstance(trace, SlabTrace) is (mutant.kind in SLAB_KINDS)
    assert isinstance(trace, CompactionTrace) is (mutant.kind in COMPACTION_KINDS)


@pytest.mark.parametrize("mutant", SEQUENTIAL, ids=lambda mutant: mutant.id)
def test_twin_and_spec_hold(mutant: Mutant) -> None:
    """So the law was broken by the planted fault and by nothing else."""
    trace = stored(mutant)
    assert not isinstance(trace, ScheduleTrace)

    assert all(broken_by(factory, trace) is None for factory in (CLEAN, Spec))


@pytest.mark.parametrize("engine", [BY_GENERATORS, BY_FRAMES], ids=["generators", "frames"])
@pytest.mark.parametrize("mutant", BETWEEN, ids=lambda mutant: mutant.id)
def test_the_schedule_breaks_the_law(mutant: Mutant, engine: Engine) -> None:
    """With the fault planted the very law that the trace expects, after few switches; else none."""
    trace = stored(mutant)
    assert isinstance(trace, ScheduleTrace)
    with planted_in_spec(mutant.edits):
        followed = follow(trace.scenario, trace.schedule, engine)

    assert followed.broken is not None
    assert followed.broken.law_id == trace.expect
    assert followed.broken.law_id in mutant.laws
    assert switches_of(followed.taken) <= 3
    assert len(trace.requests) <= mutant.limits.requests
    assert follow(trace.scenario, trace.schedule, engine).broken is None
