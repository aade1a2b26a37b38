"""How long operations have interrupts off: the bounds hold on any machine, and are reached."""

from functools import cache
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pagefuzz import lockstep
from pagefuzz.campaign.walk import random_machine, walk
from pagefuzz.cli._entry import run
from pagefuzz.irqsoff import worst
from pagefuzz.irqsoff.windows import measure
from pagefuzz.lockstep import Lockstep
from pagefuzz.target.builtin import Spec
from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.schedule.windows import BOUNDS, WINDOW_LAWS, Lists, Window, splits
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import Zone


@cache
def rows_of(era: str) -> tuple[worst.Row, ...]:
    """The worst cases of an era, which take a second to lay out."""
    return tuple(worst.rows([era]))


@pytest.mark.parametrize("era", ERAS)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_request_on_any_machine_exceeds_its_bound(era: str, seed: int) -> None:
    """Asked at every request of walks over drawn machines, of every shape and era."""

    def judged(zone: Zone, op: Op) -> Outcome:
        outcome, window = measure(zone, op)
        WINDOW_LAWS.check(zone.machine.era, window)
        return outcome

    rng = Random(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lockstep, "perform", judged)
        walk(Lockstep(random_machine(rng, ERAS[era]), Spec, "exact"), rng, 80)


@pytest.mark.parametrize("era", ERAS)
def test_worst_cases_come_near_their_bounds(era: str) -> None:
    """A bound that nothing comes near says little: nine tenths at least, and most exactly."""
    rows = rows_of(era)
    assert [row for row in rows if not 0.9 * row.bound <= row.seen <= row.bound] == []
    assert sum(row.seen == row.bound for row in rows) >= len(rows) / 2


@pytest.mark.parametrize(
    ("era", "verb", "visits"),
    [
        # Each of a batch of 16 leaves its list, changes a bit at each of eleven orders, takes ten
        # buddies off theirs and is listed; then the freed one is put on the CPU's list.
        ("2.6.8", Verb.FREE, 16 * (1 + 11 + 10 + 1) + 1),
        # Each of 16 looks at a list, leaves it and goes to another; the first splits ten times and
        # the others 11 times in all, each with one list more looked at and one half listed. One is
        # taken from the CPU's list.
        ("2.6.11", Verb.ALLOC, 16 * 3 + 2 * (10 + 11) + 1),
        # All that a CPU may keep, an eighth of 2 GiB over 128 CPUs or four batches: each frame
        # leaves its list, looks at ten buddies, takes them off theirs and is listed.
        ("6.12", Verb.DRAIN, 2**19 // 8 // 128 * (1 + 2 * 10 + 1)),
        ("5.15", Verb.DRAIN, 4 * 63 * (1 + 2 * 10 + 1)),
        # Each frame of a pageblock is looked at, and every other one unlisted and listed.
        ("4.10", Verb.ISOLATE, 512 + 2 * 256),
    ],
)
def test_worst_cases_as_worked_by_hand(era: str, verb: Verb, visits: int) -> None:
    assert next(row.seen for row in rows_of(era) if row.verb is verb) == visits


def test_every_operation_has_a_bound() -> None:
    assert set(BOUNDS) == set(Verb)


def test_a_window_beyond_its_bound_breaks_the_law() -> None:
    """One more place than one block of four frames and its halves come to."""
    machine = Machine(4, 2, ERAS["2.6.11"])
    due = 3 + 1 + 2  # three lists, the block, and two halves
    within = Window(machine, Op(Verb.ALLOC), Lists(), due)
    WINDOW_LAWS.check(machine.era, within)
    with pytest.raises(LawBroken, match="IRQ-window: alloc visited 7 places"):
        WINDOW_LAWS.check(machine.era, within._replace(visited=due + 1))


@pytest.mark.parametrize(
    ("era", "off"),
    [("4.10", 1), ("4.11-rc", 0), ("5.15", 1), ("6.1", 1), ("6.12", 0)],
)
def test_a_request_from_a_list_has_interrupts_off_where_the_guard_says(era: str, off: int) -> None:
    """What the thread of 2017 was about: the list serves without interrupts going off at all."""
    zone = boot(Machine(16, 3, ERAS[era], cpus=1, batch=4, high=16))
    first = measure(zone, Op(Verb.ALLOC))
    assert first.window.visited > 1, "the list was empty, and refilled under the lock"
    assert measure(zone, Op(Verb.ALLOC)).window.visited == off
    assert measure(zone, Op(Verb.FREE, pfn=first.outcome)).window.visited == off


def test_a_drain_in_interrupts_has_them_off_for_both_sets_of_a_cpu() -> None:
    """Worked by hand: three warm frames and two cold ones, none of which can merge.

    Each leaves its list and joins the zone's.
    """

    def window_of(verb: Verb) -> int:
        zone = boot(Machine(8, 0, ERAS["2.6.11"], cpus=1, batch=1))
        frames = [measure(zone, Op(Verb.ALLOC)).outcome for _ in range(5)]
        for number, frame in enumerate(frames):
            measure(zone, Op(Verb.FREE, pfn=frame, cold=number < 2))
        assert [pcp.count for pcp in zone.pcps[0]] == [3, 2]
        return measure(zone, Op(verb)).window.visited

    assert window_of(Verb.DRAIN) == 3 * 2
    assert window_of(Verb.DRAIN_ALL) == (3 + 2) * 2


@pytest.mark.parametrize("levels", range(5))
def test_splits_are_those_of_a_row_of_takes(levels: int) -> None:
    """Counted on a zone of one largest block, from which single frames are taken till it is out."""
    zone = boot(Machine(2**levels, levels, ERAS["2.6.11"]))
    seen = 0
    for taken in range(2**levels):
        before = zone.visited
        measure(zone, Op(Verb.ALLOC))
        # A list more is looked at and a half more listed for each split; else a list and a block.
        seen += (zone.visited - before - 2) // 2
        assert seen == splits(taken + 1, levels)


def test_the_command_prints_bounds_and_worst_cases(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["irqsoff", "--era", "2.6.11"]) == 0
    told = capsys.readouterr().out
    for row in rows_of("2.6.11"):
        assert row.what in told
        assert f"{row.bound:,}" in told


def test_a_case_beyond_its_bound_is_an_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(BOUNDS, Verb.HEAL, lambda machine, op, lists: 0)
    assert run(["irqsoff", "--era", "6.1"]) == 1
    assert "error: IRQ-window: heal of era 6.1 visited 21 places" in capsys.readouterr().out
