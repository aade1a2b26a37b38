"""The stored traces: the mutant breaks its law on them, and nothing else breaks any."""

from pathlib import Path

import pytest

from pagefuzz.museum.catalogue import MUTANTS
from pagefuzz.museum.exhibit import plain_exhibit
from pagefuzz.museum.mutant import Mutant
from pagefuzz.replay import replay
from pagefuzz.target.builtin import Spec
from pagespec.trace import Trace
from pagespec.trace_reader import parse

FOLDER = Path(__file__).parent / "traces"
CLEAN = plain_exhibit(())


def stored(mutant: Mutant) -> Trace:
    return parse((FOLDER / f"{mutant.id}.trace").read_text(encoding="utf-8"))


def test_one_a_mutant() -> None:
    """No mutant without a trace, and no trace of a mutant that is gone."""
    assert {path.stem for path in FOLDER.glob("*")} == {mutant.id for mutant in MUTANTS}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.id)
def test_the_mutant_breaks_the_law(mutant: Mutant) -> None:
    """The very law that the trace expects, and that fits the mechanism."""
    trace = stored(mutant)
    broken = replay(trace, plain_exhibit(mutant.edits)).broken

    assert broken is not None
    assert broken.law_id == trace.expect
    assert broken.law_id in mutant.laws
    assert len(trace.requests) <= mutant.limits.requests


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.id)
def test_twin_and_spec_hold(mutant: Mutant) -> None:
    """So the law was broken by the planted fault and by nothing else."""
    trace = stored(mutant)

    for factory in (CLEAN, Spec):
        assert replay(trace, factory).broken is None
