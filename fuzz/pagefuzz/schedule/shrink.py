"""Making a failing trace of a schedule small: few requests, few switches, a small machine.

Requests and schedule shrink together: with a request fewer the same fault takes other steps. So a
candidate is put as its schedule says, and if it holds then, a schedule is looked for in which the
same law breaks after a few switches.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from pagefuzz.counters.shrink import counter_size_of
from pagefuzz.schedule.fewest import Search, switches_of
from pagefuzz.schedule.kindjudge import is_of_kind
from pagefuzz.schedule.replay import follow
from pagefuzz.schedule.replayed import exhaust_kind
from pagefuzz.schedule.smaller import (
    fewer_contexts,
    fewer_requests,
    shorter_schedules,
    simpler_contexts,
    simpler_requests,
    smaller_machines,
)
from pagefuzz.schedule.spots import requests_of
from pagefuzz.shrink import size_of
from pagefuzz.shrinking import Shrinker, commented, smallest
from pagespec.machine import Machine
from pagespec.schedule.contexts import Move, Scenario, Sizes
from pagespec.schedule.trace import ScheduleTrace
from pagespec.trace import Request, Trace
from pagespec.vmstat.machine import CounterMachine
from pagespec.vmstat.trace import CounterRequest, CounterTrace

EFFORT = 1_500
"""What shrinking may cost in all, in candidates that are put again; so that a seed gives the same
bytes."""

SWITCHES, STATES = 2, 300
"""The switches up to which another schedule is looked for, and the states that are visited."""

Progress = Callable[[ScheduleTrace], None]


def schedule_size_of(trace: ScheduleTrace) -> tuple[int, ...]:
    """What shrinking makes smaller, the most important first."""
    scenario = trace.scenario
    requests = requests_of(scenario)
    switches = switches_of(trace.schedule)
    return (
        len(requests) + switches,
        len(requests),
        len(scenario.roles),
        scenario.cpus,
        scenario.alone + scenario.lock_irqs_on + scenario.splits_adds,
        sum(role.level + role.cpu + role.moves for role in scenario.roles),
        *_plain_size_of(scenario),
        sum(sum(asked) for asked in requests.values() if isinstance(asked, Sizes)),
        len(trace.schedule),
    )


def _plain_size_of(scenario: Scenario) -> tuple[int, ...]:
    """The size of the same requests one after the other."""
    asked = requests_of(scenario).values()
    if isinstance(scenario.machine, Machine):
        plain = tuple(each for each in asked if isinstance(each, Request))
        return size_of(Trace(scenario.machine, plain))
    if not isinstance(scenario.machine, CounterMachine):
        return ()
    counted = tuple(each for each in asked if isinstance(each, CounterRequest))
    return counter_size_of(CounterTrace(scenario.machine, counted))


def failing(trace: ScheduleTrace, law: str | None) -> ScheduleTrace | None:
    """The trace with all moves up to the one that breaks the law, or any law without one.

    If its schedule breaks no such law, another one does that has few switches; None if there is
    none, as far as that was looked for.
    """
    scenario = trace.scenario
    followed = follow(scenario, trace.schedule)
    broken = followed.broken
    if law is not None and (broken is None or broken.law_id != law):
        schedule = fewest(scenario, law, STATES)
        if schedule is None:
            return None
        followed = follow(scenario, schedule)
        broken = followed.broken
    if broken is None:
        return None
    return ScheduleTrace(
        scenario, followed.taken, broken.law_id, commented(trace.comments, trace.expect, broken)
    )


def fewest(
    scenario: Scenario, law: str, states: int, switches: int = SWITCHES
) -> tuple[Move, ...] | None:
    """A schedule with few switches that breaks the law, if one is found among so many states."""
    if not is_of_kind(scenario):
        return Search(scenario, law).fewest(switches=switches, states=states)
    found = exhaust_kind(scenario, switches=switches, told=lambda found: found.states < states)
    return found.schedule if found.broken is not None and found.broken.law_id == law else None


def fewer_switches(trace: ScheduleTrace) -> Iterator[ScheduleTrace]:
    """By a schedule that breaks the same law after fewer switches."""
    if trace.expect is not None:
        schedule = fewest(trace.scenario, trace.expect, 10 * STATES, switches_of(trace.schedule))
        if schedule is not None:
            yield replace(trace, schedule=schedule)


def shrink_trace(trace: ScheduleTrace, found: Progress = lambda trace: None) -> ScheduleTrace:
    """The smallest trace that the passes can find which breaks the same law as this one.

    Raises ValueError if the trace breaks no law.
    """
    return smallest(
        Shrinker(
            failing,
            schedule_size_of,
            lambda candidate: 1,
            (
                fewer_contexts,
                fewer_requests,
                fewer_switches,
                smaller_machines,
                simpler_contexts,
                simpler_requests,
                shorter_schedules,
            ),
            EFFORT,
        ),
        trace,
        found,
    )
