"""The stored traces: the mutant breaks its law on them, and nothing else breaks any."""

from pathlib import Path

import pytest

from pagefuzz.counters.replay import replay_counters
from pagefuzz.counters.under import counter_factory_of
from pagefuzz.hosts.replay import replay_host
from pagefuzz.hosts.under import host_factory_of
from pagefuzz.museum.catalogue import MUTANTS
from pagefuzz.museum.exhibit import plain_exhibit
from pagefuzz.museum.mutant import COUNTER_KINDS, HOST_KINDS, Mutant
from pagefuzz.replay import replay
from pagefuzz.target.builtin import Spec
from pagefuzz.target.protocol import Factory
from pagespec.host_trace import AnyTrace, HostTrace, parse_any
from pagespec.laws.law import LawBroken
from pagespec.vmstat.trace import CounterTrace

FOLDER = Path(__file__).parent / "traces"
CLEAN = plain_exhibit(())


def stored(mutant: Mutant) -> AnyTrace:
    return parse_any((FOLDER / f"{mutant.id}.trace").read_text(encoding="utf-8"))


def broken_by(factory: Factory, trace: AnyTrace) -> LawBroken | None:
    if isinstance(trace, HostTrace):
        return replay_host(trace, host_factory_of(factory)).broken
    if isinstance(trace, CounterTrace):
        return replay_counters(trace, counter_factory_of(factory)).broken
    return replay(trace, factory).broken


def test_one_a_mutant() -> None:
    """No mutant without a trace, and no trace of a mutant that is gone."""
    assert {path.stem for path in FOLDER.glob("*")} == {mutant.id for mutant in MUTANTS}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.id)
def test_the_mutant_breaks_the_law(mutant: Mutant) -> None:
    """The very law that the trace expects, and that fits the mechanism."""
    trace = stored(mutant)
    broken = broken_by(plain_exhibit(mutant.edits), trace)

    assert broken is not None
    assert broken.law_id == trace.expect
    assert broken.law_id in mutant.laws
    assert len(trace.requests) <= mutant.limits.requests
    assert isinstance(trace, HostTrace) is (mutant.kind in HOST_KINDS)
    assert isinstance(trace, CounterTrace) is (mutant.kind in COUNTER_KINDS)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.id)
def test_twin_and_spec_hold(mutant: Mutant) -> None:
    """So the law was broken by the planted fault and by nothing else."""
    trace = stored(mutant)

    assert all(broken_by(factory, trace) is None for factory in (CLEAN, Spec))
