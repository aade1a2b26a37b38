"""Looking for one fault that takes several contexts, by visiting every state of its scenario.

Nothing is drawn: the same states are visited in the same order each time.
"""

from dataclasses import replace
from time import process_time
from typing import NamedTuple

from pagefuzz.museum.mutant import Mutant
from pagefuzz.museum.planted import planted_in_spec
from pagefuzz.schedule.exhaust import exhaust
from pagefuzz.schedule.fewest import Search
from pagefuzz.schedule.replay import follow
from pagespec.schedule.contexts import Move, Scenario
from pagespec.schedule.trace import ScheduleTrace

SWITCHES = 3
"""The most switches of a schedule that is kept, if there is one with so few."""
STATES = 50_000
"""The most states in which one is looked for."""


class Visited(NamedTuple):
    """A fault that was found: after how many states and seconds of the processor, and its trace."""

    states: int
    seconds: float
    trace: ScheduleTrace


def hunt_steps(mutant: Mutant, scenario: Scenario, seconds: float) -> Visited | None:
    """Visit the scenario's states until a law breaks, and find a short schedule that breaks it.

    None if all were visited or the time is over.
    """
    with planted_in_spec(mutant.edits):
        start = process_time()
        # What no one else can see, the reduction knows of the spec as it is, not of a faulty one.
        found = exhaust(scenario, reduced=False, told=lambda _: process_time() - start < seconds)
        took = process_time() - start
        if found.broken is None:
            return None
        law = found.broken.law_id
        fewest = Search(scenario, law).fewest(switches=SWITCHES, states=STATES)
        trace = ScheduleTrace(scenario, fewest or found.schedule, law)
        return Visited(found.states, took, replace(trace, schedule=shortest_part(trace)))


def shortest_part(trace: ScheduleTrace) -> tuple[Move, ...]:
    """The first moves of a schedule, without those that would follow anyway."""
    kept = len(trace.schedule)
    while kept and _breaks(replace(trace, schedule=trace.schedule[: kept - 1])):
        kept -= 1
    return trace.schedule[:kept]


def _breaks(trace: ScheduleTrace) -> bool:
    broken = follow(trace.scenario, trace.schedule).broken
    return broken is not None and broken.law_id == trace.expect
