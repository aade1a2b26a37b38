"""Shrinking: small, of the same law, within its effort, and the same each time."""

from dataclasses import replace
from itertools import pairwise

import pytest
from tests.fuzz.material import COUNT_OFF, FAULTS, NO_MERGE, SMALL, Fault, failure, planted
from tests.fuzz.targets import Leaks

from pagefuzz import shrink as module
from pagefuzz.replay import replay
from pagefuzz.shrink import shrink, size_of
from pagefuzz.target.builtin import Spec, Twin
from pagespec.machine import Machine
from pagespec.trace import Trace, text_of
from pagespec.trace_reader import parse
from pagespec.types import DomainError, Order, Pfn

REQUESTS = "a = alloc order=0\nb = alloc order=0\nc = alloc order=2\nd = alloc order=1\n"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.law)
def test_traces_become_small_and_keep_their_law(fault: Fault) -> None:
    """What is left is a handful of requests that break the law of the first finding."""
    twin = planted(fault)
    raw = failure(twin)
    small = shrink(raw, twin)
    verdict = replay(small, twin)

    assert verdict.broken is not None
    assert verdict.broken.law_id == small.expect == raw.expect
    assert len(small.requests) <= 6
    assert small.comments == (str(verdict.broken),)
    assert verdict.skipped == ()


def test_another_law_is_another_finding() -> None:
    """A smaller trace that breaks some other law is not taken for the one to be shrunk."""

    class TwoFaults(Leaks):
        def alloc(self, order: Order) -> Pfn | None:
            held = self.spec.zone.held.values()
            if order == 1 and sum(block.order == 0 for block in held) > 1:
                raise KeyError("two singles are held")
            return super().alloc(order)

    trace = parse(text_of(Trace(replace(SMALL, pages=8), ())) + REQUESTS)
    small = shrink(trace, TwoFaults)

    assert replay(replace(trace, requests=trace.requests[:1]), TwoFaults).broken is not None
    assert small.expect == "OUT-fault"
    assert len(small.requests) == 3


def test_every_step_is_told_and_smaller() -> None:
    """Each trace on the way is handed out as soon as it is found, and ever smaller."""
    twin = planted(NO_MERGE)
    told: list[Trace] = []
    small = shrink(failure(twin), twin, found=told.append)

    assert told[-1] == small
    assert all(size_of(later) < size_of(former) for former, later in pairwise(told))
    assert all(replay(trace, twin).broken for trace in told)


def test_shrinking_repeats_itself() -> None:
    """The same trace becomes the same bytes."""
    twin = planted(COUNT_OFF)
    raw = failure(twin)

    assert text_of(shrink(raw, twin)) == text_of(shrink(raw, twin))


def test_effort_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the effort is spent, the best so far is the result, with no further replay."""
    replays = 0

    def counted(machine: Machine) -> Twin:
        nonlocal replays
        replays += 1
        return twin(machine)

    twin = planted(NO_MERGE)
    raw = failure(twin)
    monkeypatch.setattr(module, "EFFORT", 3 * module.cost_of(raw))
    shrink(raw, counted)

    # The first is that of the trace itself, the last but one overspends; smaller ones cost less.
    assert 1 < replays < 60
    monkeypatch.setattr(module, "EFFORT", -1)
    replays = 0
    assert replay(shrink(raw, counted), twin).broken is not None
    assert replays == 1


def test_a_trace_that_holds_cannot_be_shrunk() -> None:
    """There is nothing to keep."""
    with pytest.raises(ValueError, match="breaks no law"):
        shrink(failure(planted(NO_MERGE)), Spec)


def test_machines_that_the_allocator_declines_are_passed_over() -> None:
    """An allocator that takes few machines has its finding shrunk within those."""

    def picky(machine: Machine) -> Twin:
        if machine.pages < 14:
            raise DomainError("too small for me")
        return twin(machine)

    twin = planted(NO_MERGE)
    raw = next(
        trace
        for trace in (failure(twin, seed=seed) for seed in range(9))
        if trace.machine.pages > 14
    )

    assert shrink(raw, picky).machine.pages == 14
