"""The built-in scenarios: every guard meets every topic, and each does what it is for."""

from collections import Counter

import pytest

from pagefuzz.schedule.exhaust import exhaust
from pagefuzz.schedule.scenarios import SCENARIOS
from pagefuzz.schedule.scenarios_counters import COUNTER_SCENARIOS
from pagefuzz.schedule.scenarios_lists import GUARDED, LIST_SCENARIOS, TOPICS
from pagefuzz.schedule.scenarios_said import hardirq, machine_of, scenario_of, task
from pagefuzz.schedule.scenarios_zone import ZONE_SCENARIOS
from pagespec.era import ERAS
from pagespec.events import Kind
from pagespec.guards import RULES
from pagespec.machine import Machine
from pagespec.schedule.contexts import Level, Sizes
from pagespec.schedule.trace import ScheduleTrace, schedule_text_of
from pagespec.schedule.trace_reader import parse_schedule
from pagespec.trace import Request, TraceError
from pagespec.verbs import Verb

ONE_A_TOPIC = {
    topic: f"{topic}-{topics.eras[number % len(topics.eras)]}"
    for number, (topic, topics) in enumerate(TOPICS.items())
}
"""For each topic about lists one of its eras; all of them are the command's."""


def events_of(name: str) -> Counter[Kind]:
    found = exhaust(SCENARIOS[name])
    assert found.broken is None, found.broken
    assert found.exhausted
    assert found.ends
    return found.events


@pytest.mark.parametrize("name", ONE_A_TOPIC.values(), ids=ONE_A_TOPIC.keys())
def test_every_law_holds_in_every_state(name: str) -> None:
    """And somebody comes between: there are more states than one schedule has."""
    found = exhaust(SCENARIOS[name])

    assert found.broken is None
    assert found.exhausted
    assert found.states > found.depth


def test_no_name_is_lost() -> None:
    """Two tables with one name would leave a scenario out."""
    assert len(SCENARIOS) == len(LIST_SCENARIOS) + len(ZONE_SCENARIOS) + len(COUNTER_SCENARIOS)


@pytest.mark.parametrize("era", GUARDED)
def test_every_guard_meets_everybody(era: str) -> None:
    """Other tasks, interrupts of two levels, drains, moves and builds for one CPU."""
    scenarios = {
        name.removesuffix(f"-{era}"): each
        for name, each in (*LIST_SCENARIOS.items(), *ZONE_SCENARIOS.items())
        if name.endswith(f"-{era}")
    }
    levels = {role.level for each in scenarios.values() for role in each.roles}
    verbs = {
        asked.verb
        for each in scenarios.values()
        for role in each.roles
        for asked in role.requests
        if isinstance(asked, Request)
    }

    assert {Level.TASK, Level.SOFTIRQ, Level.HARDIRQ} <= levels
    assert {Verb.ALLOC, Verb.FREE, Verb.PUT, Verb.DRAIN_ALL, Verb.UNPLUG} <= verbs
    assert any(role.moves for each in scenarios.values() for role in each.roles)
    assert any(each.alone for each in scenarios.values())
    assert {topic for topic, each in TOPICS.items() if era in each.eras} <= scenarios.keys()


def test_all_guards_of_releases_are_there() -> None:
    """Those that no release had belong to the experiments."""
    guards = {ERAS[era].guard for era in GUARDED}

    assert guards == set(RULES) - {"preempt-off", "bare-trylock"}
    assert {each.machine.era for each in SCENARIOS.values()} <= set(ERAS.values())
    assert not any(each.lock_irqs_on for each in SCENARIOS.values())


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("two-cpus-4.10", {Kind.REFILL, Kind.PCPU_DRAIN, Kind.FROM_LIST, Kind.TO_LIST}),
        ("interrupts-nested-4.11-rc", {Kind.BARRED, Kind.FROM_LIST, Kind.TO_LIST}),
        ("drain-6.1", {Kind.BARRED, Kind.PCPU_DRAIN, Kind.FREE}),
        ("interrupt-6.12", {Kind.BARRED, Kind.REFILL}),
        ("bulk-6.12", {Kind.BULK, Kind.FILLED, Kind.BARRED}),
        ("out-of-memory-5.15", {Kind.PCPU_DRAIN, Kind.FREE}),
        ("shared-block-6.1", {Kind.TAILS, Kind.KEPT}),
        ("isolated-5.15", {Kind.ISOLATED, Kind.PCPU_DRAIN}),
        ("range-6.12", {Kind.RANGE, Kind.UNDONE, Kind.RESTORED}),
        ("reserve-4.10", {Kind.RESERVED, Kind.UNRESERVED}),
        ("cells-2.6.37", {Kind.READ_OUT}),
        ("unplugged-6.1", {Kind.UNPLUGGED, Kind.PLUGGED}),
    ],
)
def test_what_they_are_for_happens(name: str, kinds: set[Kind]) -> None:
    """A scenario in which nobody drains says nothing of drains."""
    assert kinds <= events_of(name).keys()


def test_the_rule_of_4_11_rc_is_enough() -> None:
    """For page lists: no interrupt, no drain and no other task breaks a law under it."""
    for topic in ("two-tasks", "interrupt", "interrupt-when-full", "drain", "drain-and-interrupt"):
        assert events_of(f"{topic}-4.11-rc")


def test_lines_are_those_of_traces() -> None:
    """Written as a trace a scenario comes back from it; sizes and names of others included."""
    scenario = scenario_of(
        machine_of(ERAS["6.12"], 2, cells=True),
        (task(0, "free a", "sizes batch=1 high=2", moves=True), hardirq(1, "b = alloc order=1")),
        ("a = alloc order=0",),
        splits_adds=True,
    )
    first, second = scenario.roles

    assert first.requests[1] == Sizes(1, 2)
    assert (first.moves, second.level) == (True, Level.HARDIRQ)
    assert parse_schedule(schedule_text_of(ScheduleTrace(scenario))).scenario == scenario
    with pytest.raises(TraceError, match="c"):
        scenario_of(machine_of(ERAS["6.12"], 1), (task(0, "free c"),))


@pytest.mark.parametrize("name", SCENARIOS)
def test_they_are_small(name: str) -> None:
    """Sixteen frames and a few requests: larger ones would not be visited whole."""
    scenario = SCENARIOS[name]

    assert sum(len(role.requests) for role in scenario.roles) <= 6
    assert scenario.cpus <= 2
    if isinstance(scenario.machine, Machine):
        assert scenario.machine.pages <= 16
