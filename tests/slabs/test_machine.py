"""Slabs as a Hypothesis machine: right ones pass, faults are found, one seed is one run."""

import pytest
from tests.slabs.faulty import FreesAnything, LeaksInBulk

from pagefuzz.slabs.events import SlabEvent
from pagefuzz.slabs.machine import SlabLedger, run_slab_machine
from pagefuzz.slabs.target import SlabFactory, SpecSlabs
from pagefuzz.slabs.twin import TwinSlabFactory
from pagespec.era import ERAS
from pagespec.laws.law import LawBroken
from pagespec.slab.trace import SlabTrace, slab_text_of
from pagespec.slab.verbs import SlabVerb

WITH_SLABS = [era for era in ERAS.values() if era.slab_designs]


def run_small(factory: SlabFactory, *, examples: int) -> tuple[SlabLedger, list[SlabTrace]]:
    """What the machine counted and found, with one seed."""
    found: list[SlabTrace] = []
    ledger = SlabLedger(factory, found.append)
    try:
        run_slab_machine(ledger, WITH_SLABS, 7, examples=examples, steps=15, shrink=False)
    except LawBroken:
        assert found
    else:
        assert not found
    return ledger, found


@pytest.mark.parametrize("factory", [SpecSlabs, TwinSlabFactory()], ids=["spec", "twin"])
def test_right_slabs_pass(factory: SlabFactory) -> None:
    """After hundreds of requests, among which slabs come and go."""
    ledger, found = run_small(factory, examples=20)

    assert found == []
    assert ledger.operations > 300
    verbs = {SlabVerb.CREATE, SlabVerb.ALLOC, SlabVerb.ALLOC_BULK, SlabVerb.FREE, SlabVerb.LARGE}
    assert {verb for verb in SlabVerb if ledger.reached[verb, 0]} >= verbs
    assert ledger.reached[SlabEvent.GROWN, 0] > 5
    assert ledger.reached[SlabEvent.DISCARDED, 0] > 5


@pytest.mark.parametrize("fault", [LeaksInBulk, FreesAnything])
def test_faults_are_found(fault: type[SpecSlabs]) -> None:
    """The same one each time, to the last byte: a seed is one run."""
    runs = [run_small(fault, examples=60)[1] for _ in range(2)]

    texts = [[slab_text_of(trace) for trace in found] for found in runs]
    assert texts[0]
    assert texts[0] == texts[1]
