"""What is stated of drift, by a search written apart from that of `prove`; and that it can fail."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pagefuzz.prove.drift import claims
from pagefuzz.prove.drift.closing import close
from pagefuzz.prove.drift.domains import DriftDomain
from pagefuzz.prove.drift.requests import Asking
from pagefuzz.prove.drift.witness import WITNESSES, found
from pagespec.laws.law import LawBroken
from pagespec.vmstat import cell, drift, refresh, retune, update
from pagespec.vmstat.cell import Told
from pagespec.vmstat.counters import Counters, Update, boot_counters
from pagespec.vmstat.ops import perform
from pagespec.vmstat.trace import counter_text_of
from pagespec.vmstat.trace_reader import parse_counters
from pagespec.vmstat.verbs import CounterVerb

TRACES = Path(__file__).parent / "traces"
STORED = sorted(path.stem.removeprefix("drift-") for path in TRACES.glob("drift-*.trace"))

OFF = {
    "full-cell": drift.kept_by_cell(3, "any").most,
    "half-left-behind": drift.kept_by_cell(3, "inc").least,
    "all-cells": drift.kept_by_cpus([2, 2, 2]).most,
    "fallen-threshold": drift.kept_by_cell(3, "any").most,
    "interrupts-off": drift.kept_by_contexts(2, 1, 7),
    "context-alone": drift.kept_by_contexts(3, 1, 1),
    "context-interrupted": drift.kept_with_updates(3, [1]),
    "two-contexts-alone": drift.kept_by_contexts(1, 2, 1),
    "two-contexts-interrupted": drift.kept_with_updates(1, [1, 1]),
    "missed-closely": drift.missed_closely(1, [1, 1]),
    "refresh-under-way": drift.kept_by_cpus([2]).most + drift.kept_by_refresh([2]),
    "refresh-and-update": drift.kept_by_contexts(2, 1, 1) + drift.kept_by_refresh([2]),
}
"""By how much each trace is to be off: where, is in `READ`."""

READ = {"missed-closely": 1, "refresh-under-way": 2, "refresh-and-update": 2}
"""Which of the three last answers is off: the close look or the total; else it is the zone."""

STEPS = {CounterVerb.INC: 1, CounterVerb.DEC: -1}


@pytest.mark.parametrize("name", STORED)
def test_a_stored_trace_is_off_by_the_bound(name: str) -> None:
    """The truth is the sum of what was asked for; what is shown is what was read."""
    trace = parse_counters((TRACES / f"drift-{name}.trace").read_text())
    counters = boot_counters(trace.machine)
    truth = trace.machine.zones[0].pages
    shown = []
    for op, answer in trace.requests:
        got = perform(counters, op)
        assert got >= 0
        truth += STEPS.get(op.verb, op.by)
        if answer is not None:
            assert got == answer
            shown.append(got)

    assert truth - shown[READ.get(name, 0)] == OFF[name]


def test_traces_are_stored_for_all_witnesses() -> None:
    """No more, no less, and each says by how much it is off."""
    assert STORED == sorted(WITNESSES) == sorted(OFF)


@pytest.mark.parametrize("name", WITNESSES)
def test_a_stored_trace_is_a_shortest_one(name: str) -> None:
    """It is what the search finds."""
    stored = (TRACES / f"drift-{name}.trace").read_text()

    assert counter_text_of(found(WITNESSES[name])) == stored


def farthest(threshold: int, contexts: int | None, under_way: int, by: tuple[int, ...]) -> int:
    """The most that a CPU keeps, by a search over plain numbers: a cell, and what is taken out."""
    half = threshold // 2
    seen: set[tuple[int, tuple[int, ...]]] = {(0, ())}
    todo: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    most = 0
    while todo:
        diff, taken = todo.pop()
        most = max(most, abs(diff + sum(taken)))
        after = [(diff, taken[:at] + taken[at + 1 :]) for at in range(len(taken))]
        if len(taken) != contexts:
            for leaning, delta in [(0, delta) for delta in by] + [(1, 1), (-1, -1)]:
                total = diff + delta
                if abs(total) <= threshold:
                    after.append((total, taken))
                    continue
                extra = leaning * half
                after.append((-extra, taken))
                if len(taken) < under_way:
                    after.append((-extra, tuple(sorted((*taken, total + extra)))))
        fresh = {state for state in after if state not in seen}
        seen |= fresh
        todo += fresh
    return most


@pytest.mark.parametrize("threshold", range(6))
@pytest.mark.parametrize("contexts", [1, 2, 3])
@pytest.mark.parametrize("delta", [1, 2, 9])
def test_a_plain_search_is_as_far_off(threshold: int, contexts: int, delta: int) -> None:
    """With others that fill the cell, and with nobody else; thresholds and changes as they come."""
    by = (1, -1, delta, -delta)
    alone = farthest(threshold, contexts, contexts, by)
    largest = max(drift.told_at_once(threshold, size) for size in (1, delta))

    assert alone == drift.kept_by_contexts(threshold, contexts, delta)
    assert farthest(threshold, None, contexts, by) == threshold + contexts * largest


SMALL = DriftDomain("6.1", 1, 1, (0, 1, 2), Asking("any", (1, 2), updates=2))
ALONE = DriftDomain("6.1", 1, 1, (2,), Asking("any", (1, 2), updates=2, contexts=2))
FALLING = DriftDomain("6.1", 2, 1, (2,), Asking(groups=("refresh", "wake", "unplug")), 1)
TOTALS = DriftDomain("6.1", 1, 2, (1,), Asking(refreshes=1))


@pytest.mark.parametrize(
    ("domain", "name"),
    [
        (SMALL, "kept_by_cell"),
        (SMALL, "kept_by_cpus"),
        (SMALL, "kept_with_updates"),
        (SMALL, "missed_closely"),
        (SMALL, "told_at_once"),
        (ALONE, "kept_by_contexts"),
        (TOTALS, "kept_by_refresh"),
    ],
)
@pytest.mark.parametrize("more", [-1, 1])
def test_no_other_number_will_do(
    monkeypatch: pytest.MonkeyPatch, domain: DriftDomain, name: str, more: int
) -> None:
    """A bound that is one less is broken, and one that is one more is not reached."""
    domain.counts()
    stated: Callable[..., int | drift.Range] = getattr(drift, name)

    def other(*arguments: object) -> int | drift.Range:
        value = stated(*arguments)
        if isinstance(value, int):
            return value + more
        return drift.Range(value.least - more, value.most + more)

    monkeypatch.setattr(claims, name, other)
    with pytest.raises(LawBroken, match="is not within" if more < 0 else "nothing reaches"):
        domain.counts()


def lost(counters: Counters, cpu: int) -> list[Update]:
    """A refresh that empties cells and tells nobody."""
    counters.cells[cpu] = [0 for _ in counters.cells[cpu]]
    return []


def not_empty(counters: Counters, cpu: int) -> None:
    """A CPU that comes back with something in its cell."""
    counters.running.add(cpu)
    counters.cells[cpu][0] = 1


def never_told(diff: int, threshold: int) -> Told:
    """An increment that looks at the wrong end."""
    return Told(0, diff + 1)


@pytest.mark.parametrize(
    ("module", "name", "slip", "domain", "said"),
    [
        (cell, "inc", never_told, DriftDomain("6.1", 1, 1, (1,), Asking("inc")), "VM-drift"),
        (cell, "dec", lambda diff, threshold: cell.inc(diff, threshold), SMALL, "VM-conserve"),
        (update, "advance", lambda counters, one: None, SMALL, "VM-conserve"),
        (
            retune,
            "refresh",
            lambda counters, cpu: iter(lost(counters, cpu)),
            FALLING,
            "VM-conserve",
        ),
        (retune, "plug", not_empty, FALLING, "VM-conserve"),
        (refresh, "advance", lambda counters, one: None, FALLING, "VM-conserve"),
    ],
)
def test_a_slip_in_the_spec_is_found(
    monkeypatch: pytest.MonkeyPatch,
    module: object,
    name: str,
    slip: object,
    domain: DriftDomain,
    said: str,
) -> None:
    """What is lost or told twice is missing from the truth; what is kept too long is too much."""
    monkeypatch.setattr(module, name, slip)
    with pytest.raises(LawBroken, match=said):
        domain.counts()


def test_the_first_state_is_at_rest() -> None:
    """With nothing requested but refreshes there is one state, and every bound is 0 there."""
    closed = close(SMALL.machine(0), Asking("mod", (), groups=("refresh",)))

    assert len(closed.came_from) == 1
    assert closed.steps == 1
    assert {end.pages for end in closed.reached} == {0}
