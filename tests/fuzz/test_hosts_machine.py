"""Hosts as a Hypothesis machine: the spec and the twin pass, faults are found and shrunk."""

import pytest
from tests.fuzz.test_hosts import AnyClass, CountsArraysOnce, Elsewhere

from pagefuzz.hosts.machine import HostLedger, run_host_machine
from pagefuzz.hosts.replay import replay_host
from pagefuzz.hosts.shrink import shrink_host
from pagefuzz.hosts.target import HostFactory, SpecHost
from pagefuzz.hosts.twin import TwinHostFactory
from pagespec.era import ERAS
from pagespec.host_trace import HostTrace, host_text_of
from pagespec.laws.law import LawBroken
from pagespec.verbs import Op, Outcome, Verb

ALL = [era for era in ERAS.values() if era.bounds == "zone"]


def run_small(
    factory: HostFactory, *, seed: int = 5, examples: int = 40, shrink: bool = True
) -> tuple[HostLedger, list[HostTrace]]:
    """What the machine counted and found, with one seed."""
    found: list[HostTrace] = []
    ledger = HostLedger(factory, found.append)
    try:
        run_host_machine(ledger, ALL, seed, examples=examples, steps=15, shrink=shrink)
    except LawBroken:
        assert found
    else:
        assert not found
    return ledger, found


@pytest.mark.parametrize("factory", [SpecHost, TwinHostFactory()], ids=["spec", "twin"])
def test_right_hosts_pass(factory: HostFactory) -> None:
    """After hundreds of requests, with blocks, arrays and whole CPUs among them."""
    ledger, found = run_small(factory, seed=10, examples=30)

    assert found == []
    assert ledger.operations > 500
    of_cpus = (Verb.DRAIN, Verb.EXPIRE, Verb.REFRESH, Verb.UNPLUG)
    for verb in (Verb.ALLOC, Verb.FREE, Verb.BULK, *of_cpus):
        assert ledger.reached[verb, 0] > 0


@pytest.mark.parametrize("fault", [AnyClass, Elsewhere, CountsArraysOnce])
def test_faults_are_found_and_shrunk(fault: type[SpecHost]) -> None:
    """Hypothesis ends with a trace that breaks the same law again, and becomes small."""
    _, found = run_small(fault, examples=200)
    verdict = replay_host(found[-1], fault)

    assert verdict.broken is not None
    assert verdict.broken.law_id == found[-1].expect
    small = shrink_host(found[-1], fault)
    assert len(small.requests) <= 4
    assert not any(part.machine.cells for part in small.host.parts)


def test_what_a_fault_needs_is_left() -> None:
    """Cells too, where a refresh is what goes wrong; and of the rest as little as there can be."""

    class Refreshless(SpecHost):
        def serve(self, op: Op) -> Outcome:
            if op.verb is Verb.REFRESH and self.state().zones[0].cells is not None:
                raise RuntimeError("no worker")
            return super().serve(op)

    _, found = run_small(Refreshless, examples=200)
    small = shrink_host(found[-1], Refreshless)

    assert [request.verb for request in small.requests] == [Verb.REFRESH]
    assert [part.machine.cells for part in small.host.parts] == [True]


def test_one_seed_is_one_run() -> None:
    """The same seed draws the same examples, to the last byte of what they find."""
    runs = [run_small(AnyClass, shrink=False) for _ in range(2)]

    texts = [[host_text_of(trace) for trace in found] for _, found in runs]
    assert texts[0]
    assert texts[0] == texts[1]
