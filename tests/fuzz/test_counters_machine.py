"""Counters as a Hypothesis machine: the spec and the twin pass, faults are found and shrunk."""

import pytest
from tests.fuzz.counters import LosesOnUnplug, NeverBusy, TellsTwice

from pagefuzz.counters.events import CounterEvent
from pagefuzz.counters.machine import CounterLedger, run_counter_machine
from pagefuzz.counters.replay import replay_counters
from pagefuzz.counters.shrink import shrink_counters
from pagefuzz.counters.target import CounterFactory, SpecCounters
from pagefuzz.counters.twin import TwinCounterFactory
from pagespec.era import ERAS
from pagespec.laws.law import LawBroken
from pagespec.vmstat.trace import CounterTrace, counter_text_of
from pagespec.vmstat.verbs import CounterVerb

ALL = [era for era in ERAS.values() if era.bounds == "zone"]


def run_small(
    factory: CounterFactory, *, examples: int = 40, shrink: bool = True
) -> tuple[CounterLedger, list[CounterTrace]]:
    """What the machine counted and found, with one seed."""
    found: list[CounterTrace] = []
    ledger = CounterLedger(factory, found.append)
    try:
        run_counter_machine(ledger, ALL, 7, examples=examples, steps=20, shrink=shrink)
    except LawBroken:
        assert found
    else:
        assert not found
    return ledger, found


@pytest.mark.parametrize("factory", [SpecCounters, TwinCounterFactory()], ids=["spec", "twin"])
def test_right_counters_pass(factory: CounterFactory) -> None:
    """After hundreds of requests of every kind, cells told up and down among them."""
    ledger, found = run_small(factory)

    assert found == []
    assert ledger.operations > 500
    assert {verb for verb in CounterVerb if ledger.reached[verb, 0]} >= {
        *(CounterVerb.MOD, CounterVerb.INC, CounterVerb.DEC, CounterVerb.LAND),
        *(CounterVerb.REFRESH, CounterVerb.CHECK, CounterVerb.TAKE, CounterVerb.COUNT),
    }
    assert ledger.reached[CounterEvent.UP, 0] > 5
    assert ledger.reached[CounterEvent.DOWN, 0] > 5


@pytest.mark.parametrize("fault", [LosesOnUnplug, NeverBusy, TellsTwice])
def test_faults_are_found_and_shrunk(fault: type[SpecCounters]) -> None:
    """Hypothesis finds a trace that breaks the same law again, and becomes small."""
    _, found = run_small(fault, examples=300, shrink=False)
    verdict = replay_counters(found[-1], fault)

    assert verdict.broken is not None
    assert verdict.broken.law_id == found[-1].expect
    assert len(shrink_counters(found[-1], fault).requests) <= 3


def test_one_seed_is_one_run() -> None:
    """The same seed draws the same examples, to the last byte of what they find."""
    runs = [run_small(TellsTwice, shrink=False) for _ in range(2)]

    texts = [[counter_text_of(trace) for trace in found] for _, found in runs]
    assert texts[0]
    assert texts[0] == texts[1]
