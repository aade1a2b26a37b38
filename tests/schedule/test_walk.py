"""Random walks: sound eras hold, broken ones do not, and what is found can be put again."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from tests.schedule.variants import VARIANTS, failing_walk

from pagefuzz.schedule.draw import random_scenario, random_sharing
from pagefuzz.schedule.draw_counters import random_counting
from pagefuzz.schedule.floor import MEETS
from pagefuzz.schedule.meetings import Meeting
from pagefuzz.schedule.replay import follow
from pagefuzz.schedule.spots import requests_of
from pagefuzz.schedule.walk import OFTEN, WALKED_ERAS, walk, weights
from pagespec.era import ERAS, Era
from pagespec.host_trace import any_text_of, parse_any
from pagespec.schedule.contexts import Level, Sizes
from pagespec.schedule.opening import opened
from pagespec.schedule.rules import moves
from pagespec.schedule.running import BY_GENERATORS
from pagespec.trace import Request
from pagespec.verbs import Verb
from pagespec.vmstat.machine import CounterMachine

WALKS = 60

ERA_IDS = [era.name for era in WALKED_ERAS]


@pytest.mark.parametrize("era", WALKED_ERAS, ids=ERA_IDS)
def test_released_guards_hold(era: Era) -> None:
    """Whatever happens between what: no walk of a kernel as it was breaks a law."""
    for number in range(WALKS):
        walked = walk(number, random_scenario(Random(f"sound/{number}"), era))
        assert walked.broken is None, (number, walked.broken)


def test_walks_meet_what_they_are_for() -> None:
    """Together: guards lost, interrupts within guards, drains that wait, tasks that move."""
    met = sum((walk(number).reached for number in range(600)), Counter[tuple[object, int]]())

    assert {meeting for meeting in Meeting if met[meeting, 0]} >= set(MEETS)


def test_one_seed_is_one_walk() -> None:
    """The scenario and the schedule, to the last step."""
    first, again, other = walk(3), walk(3), walk(4)

    assert (first.scenario, first.schedule) == (again.scenario, again.schedule)
    assert first.schedule != other.schedule


@pytest.mark.parametrize("name", VARIANTS)
def test_what_breaks_is_put_again(name: str) -> None:
    """By its text: the same law breaks at the same step."""
    trace = failing_walk(name, 1)
    read = parse_any(any_text_of(trace))
    assert read == trace
    followed = follow(trace.scenario, trace.schedule)

    assert followed.broken is not None
    assert followed.broken.law_id == trace.expect
    assert followed.taken == trace.schedule


def test_a_schedule_in_sequence_breaks_nothing() -> None:
    """Of the same scenarios: without their schedule, which is what breaks the law."""
    traces = [failing_walk(name, 1) for name in ("no test for interrupts", "interrupts on")]

    assert [follow(trace.scenario, ()).broken for trace in traces] == [None, None]


@pytest.mark.parametrize("era", WALKED_ERAS, ids=ERA_IDS)
def test_only_what_callers_may_do_is_drawn(era: Era) -> None:
    """A block is given back once, by somebody who can wait for it, and sizes are set by one."""
    for number in range(100):
        scenario = random_sharing(Random(number), era)
        requests = requests_of(scenario)
        freed: Counter[str] = Counter()
        for spot, asked in requests.items():
            if not isinstance(asked, Request) or asked.operand is None:
                continue
            name = asked.operand.name
            if name is None:
                continue
            freed[name] += {Verb.FREE: 1, Verb.PUT: 1, Verb.GET: -1}[asked.verb]
            before = [
                a for s, a in requests.items() if s.context in (-1, spot.context) and s < spot
            ]
            assert any(isinstance(a, Request) and a.name == name for a in before)
        assert set(freed.values()) <= {0, 1, -1}
        resizers = {
            spot.context
            for spot, asked in requests.items()
            if isinstance(asked, Sizes) or asked in (Request(Verb.DISABLE), Request(Verb.ENABLE))
        }
        assert len(resizers) <= 1
        assert any(role.level is Level.TASK for role in scenario.roles)
        assert all(role.requests for role in scenario.roles)


def test_4_11_rc_loses_what_it_counts() -> None:
    """Without an instruction that adds; what is drawn for 4.10 finds it."""
    laws: set[str] = set()
    for number in range(300):
        scenario = random_counting(Random(number), ERAS["4.10"])
        assert isinstance(scenario.machine, CounterMachine)
        machine = replace(scenario.machine, era=ERAS["4.11-rc"])
        walked = walk(number, replace(scenario, machine=machine, splits_adds=True))
        laws |= {walked.broken.law_id} if walked.broken is not None else set()

    assert laws == {"VM-conserve"}


def test_what_is_always_open_is_less_likely() -> None:
    """An interrupt may come at any step, and would mostly come before anything has happened."""
    for number in range(50):
        scenario = random_scenario(Random(number), WALKED_ERAS[-1])
        world = opened(scenario, BY_GENERATORS)
        nexts = moves(world)
        levels = [scenario.roles[move.context].level for move in nexts]
        assert [level is Level.TASK for level in levels] == [
            weight == OFTEN for weight in weights(world, nexts)
        ]
