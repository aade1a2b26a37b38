"""The stored traces: the mutant breaks its law on them, and nothing else breaks any."""

from pathlib import Path

import pytest

from pagefuzz.hosts.replay import replay_host
from pagefuzz.hosts.target import SpecHost
from pagefuzz.museum.catalogue import MUTANTS
from pagefuzz.museum.exhibit import plain_exhibit, plain_host_exhibit
from pagefuzz.museum.mutant import HOST_KINDS, Mutant
from pagefuzz.replay import replay
from pagefuzz.target.builtin import Spec
from pagespec.host_trace import HostTrace, parse_any
from pagespec.laws.law import LawBroken
from pagespec.trace import Trace

FOLDER = Path(__file__).parent / "traces"
CLEAN, CLEAN_HOST = plain_exhibit(()), plain_host_exhibit(())


def stored(mutant: Mutant) -> Trace | HostTrace:
    trace = parse_any((FOLDER / f"{mutant.id}.trace").read_text(encoding="utf-8"))
    assert isinstance(trace, Trace | HostTrace)
    return trace


def broken_by(mutant: Mutant, trace: Trace | HostTrace) -> LawBroken | None:
    if isinstance(trace, Trace):
        return replay(trace, plain_exhibit(mutant.edits)).broken
    return replay_host(trace, plain_host_exhibit(mutant.edits)).broken


def test_one_a_mutant() -> None:
    """No mutant without a trace, and no trace of a mutant that is gone."""
    assert {path.stem for path in FOLDER.glob("*")} == {mutant.id for mutant in MUTANTS}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.id)
def test_the_mutant_breaks_the_law(mutant: Mutant) -> None:
    """The very law that the trace expects, and that fits the mechanism."""
    trace = stored(mutant)
    broken = broken_by(mutant, trace)

    assert broken is not None
    assert broken.law_id == trace.expect
    assert broken.law_id in mutant.laws
    assert len(trace.requests) <= mutant.limits.requests
    assert isinstance(trace, Trace) is (mutant.kind not in HOST_KINDS)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.id)
def test_twin_and_spec_hold(mutant: Mutant) -> None:
    """So the law was broken by the planted fault and by nothing else."""
    trace = stored(mutant)

    if isinstance(trace, Trace):
        assert all(replay(trace, factory).broken is None for factory in (CLEAN, Spec))
    else:
        assert all(replay_host(trace, factory).broken is None for factory in (CLEAN_HOST, SpecHost))
