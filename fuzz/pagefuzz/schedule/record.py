"""From a run that broke a law to a trace."""

from pagefuzz.record import complaint_of
from pagespec.laws.law import LawBroken
from pagespec.schedule.contexts import Move, Scenario
from pagespec.schedule.trace import ScheduleTrace


def schedule_trace_of(
    scenario: Scenario, schedule: tuple[Move, ...], broken: LawBroken
) -> ScheduleTrace:
    """The scenario and its schedule, with the complaint as its comment."""
    return ScheduleTrace(scenario, schedule, broken.law_id, (complaint_of(broken),))
