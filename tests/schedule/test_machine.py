"""Scenarios and schedules by Hypothesis: sound eras hold, faults are found and become traces."""

from random import Random

import pytest
from tests.schedule.variants import VARIANTS

from pagefuzz.schedule.draw import random_scenario
from pagefuzz.schedule.experiments import EXPERIMENTS
from pagefuzz.schedule.fewest import switches_of
from pagefuzz.schedule.machine import ScheduleLedger, run_examples
from pagefuzz.schedule.meetings import Meeting
from pagefuzz.schedule.replay import follow
from pagefuzz.schedule.spots import requests_of
from pagefuzz.schedule.strategies import Picked
from pagefuzz.schedule.walk import WALKED_ERAS, run
from pagespec.era import Era
from pagespec.host_trace import any_text_of
from pagespec.laws.law import LawBroken
from pagespec.schedule.trace import ScheduleTrace


def run_small(
    *eras: Era, examples: int = 60, shrink: bool = False, seed: int = 2
) -> tuple[ScheduleLedger, list[ScheduleTrace]]:
    """What the examples counted and found."""
    found: list[ScheduleTrace] = []
    ledger = ScheduleLedger(found.append)
    try:
        run_examples(ledger, eras, seed, examples=examples, shrink=shrink)
    except LawBroken:
        assert found
    else:
        assert not found
    return ledger, found


def test_released_guards_hold() -> None:
    """And contexts have met by then."""
    ledger, found = run_small(*WALKED_ERAS)

    assert found == []
    assert ledger.operations > 500
    assert {meeting for meeting in Meeting if ledger.reached[meeting, 0]} > {
        *(Meeting.REFILLED, Meeting.DRAINED, Meeting.PREEMPTED, Meeting.IN_FLIGHT, Meeting.MOVED)
    }


@pytest.mark.parametrize("name", ["remote drain", "interrupts on"])
def test_what_hypothesis_finds_is_a_trace(name: str) -> None:
    """It breaks the same law again, at its last move."""
    _, found = run_small(VARIANTS[name], examples=400)
    followed = follow(found[-1].scenario, found[-1].schedule)

    assert followed.broken is not None
    assert followed.broken.law_id == found[-1].expect
    assert followed.taken == found[-1].schedule


def test_operations_and_schedule_shrink_together() -> None:
    """To a few requests that meet after a switch or two."""
    _, found = run_small(VARIANTS["interrupts on"], examples=200, shrink=True)
    first, last = found[0], found[-1]

    assert len(requests_of(last.scenario)) < len(requests_of(first.scenario))
    assert switches_of(last.schedule) <= min(3, switches_of(first.schedule))


def test_one_seed_is_one_run() -> None:
    """To the last byte of what is found."""
    runs = [run_small(VARIANTS["remote drain"], examples=200)[1] for _ in range(2)]
    texts = [[any_text_of(trace) for trace in found] for found in runs]

    assert texts[0]
    assert texts[0] == texts[1]


def test_0_stays_with_who_went_last() -> None:
    """So no numbers at all are what a trace without a schedule means."""
    for number in range(30):
        scenario = random_scenario(Random(number), WALKED_ERAS[number % len(WALKED_ERAS)])

        assert tuple(run(scenario, Picked([])).schedule) == follow(scenario, ()).taken


def test_other_numbers_go_elsewhere() -> None:
    """Each is another of all that may happen."""
    scenario = EXPERIMENTS["batch-before-high"].scenario
    schedules = [run(scenario, Picked([0, 0, number])).schedule for number in range(4)]

    assert [[move.context for move in schedule[:4]] for schedule in schedules] == [
        [0, 0, 0, 0],
        [0, 0, 1, 1],
        [0, 0, 0, 0],
        [0, 0, 1, 1],
    ]
