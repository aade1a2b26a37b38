"""Scenarios and schedules that Hypothesis draws: it shrinks operations and schedule together."""

from collections.abc import Callable, Sequence

from hypothesis import given

from pagefuzz.machines.judged import Tally
from pagefuzz.machines.running import run_test
from pagefuzz.schedule.record import schedule_trace_of
from pagefuzz.schedule.strategies import PICKS, Picked, scenarios
from pagefuzz.schedule.walk import run
from pagespec.era import Era
from pagespec.schedule.contexts import Scenario
from pagespec.schedule.trace import ScheduleTrace


class ScheduleLedger(Tally):
    """What the examples of one Hypothesis run have in common; found is as in `Ledger`."""

    def __init__(self, found: Callable[[ScheduleTrace], None]) -> None:
        super().__init__()
        self.found = found


def run_examples(
    ledger: ScheduleLedger,
    eras: Sequence[Era],
    draw_seed: int,
    *,
    examples: int,
    shrink: bool = True,
) -> None:
    """Run so many examples, and shrink the first failure. Raises LawBroken."""

    @given(scenario=scenarios(eras), picks=PICKS)
    def schedule(scenario: Scenario, picks: list[int]) -> None:
        walked = run(scenario, Picked(picks))
        ledger.operations += walked.steps
        ledger.reached += walked.reached
        if walked.broken is not None:
            ledger.found(schedule_trace_of(scenario, tuple(walked.schedule), walked.broken))
            raise walked.broken

    run_test(schedule, draw_seed, examples=examples, shrink=shrink)
