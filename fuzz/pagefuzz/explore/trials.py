"""The experiments tried out: what breaks first when a rule is left out, and by which schedule."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pagefuzz.campaign.interrupt import Interrupt
from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit, worst
from pagefuzz.explore.attended import attend
from pagefuzz.findings import keep, make_ready
from pagefuzz.report import console
from pagefuzz.report.words import counted
from pagefuzz.schedule.every import EVERY_EXPERIMENT
from pagefuzz.schedule.exhaust import exhaust
from pagefuzz.schedule.experiments import OWNER
from pagefuzz.schedule.fewest import Search, switches_of
from pagefuzz.schedule.kindjudge import is_of_kind
from pagefuzz.schedule.replayed import exhaust_kind
from pagespec.schedule.contexts import Move
from pagespec.schedule.trace import ScheduleTrace, schedule_words

SWITCHES, STATES = 3, 100_000
"""The most switches that a schedule may take, and the states that are visited to find one."""

COLUMNS = ("experiment", "era", "guard", "breaks", "felt as", "switches", "schedule", "verdict")


class Trial(NamedTuple):
    """What came of an experiment.

    law: what broke first. felt: what did when nobody asked whose the lists are, if that is asked.
    schedule: the one with the fewest switches that breaks the law; None if none has few.
    """

    name: str
    law: str | None
    felt: str | None
    schedule: tuple[Move, ...] | None

    @property
    def verdict(self) -> str:
        """Whether it broke as expected, and soon."""
        expected = EVERY_EXPERIMENT[self.name]
        if self.law not in expected.laws:
            return f"expected {' or '.join(sorted(expected.laws))}"
        if expected.felt and self.felt not in expected.felt:
            return f"expected to be felt as {' or '.join(sorted(expected.felt))}"
        if self.schedule is None:
            return f"expected a schedule of at most {SWITCHES} switches"
        return "as expected"


def try_out(name: str) -> Trial:
    """Run one experiment."""
    expected = EVERY_EXPERIMENT[name]
    if is_of_kind(expected.scenario):
        found = exhaust_kind(expected.scenario, switches=SWITCHES)
        if found.broken is None:
            return Trial(name, None, None, None)
        return Trial(name, found.broken.law_id, None, found.schedule)
    broken = exhaust(expected.scenario).broken
    law = None if broken is None else broken.law_id
    felt = exhaust(expected.scenario, without=OWNER).broken if expected.felt else None
    schedule = None
    if law is not None:
        search = Search(expected.scenario, law)
        schedule = search.fewest(switches=SWITCHES, states=STATES)
    return Trial(name, law, None if felt is None else felt.law_id, schedule)


def trace_of(trial: Trial) -> ScheduleTrace:
    """Its schedule as a trace. Raises UsageError if it has none."""
    if trial.schedule is None:
        raise UsageError(f"experiment {trial.name} has no bad schedule to write")
    expected = EVERY_EXPERIMENT[trial.name]
    comments = (f"{trial.name}: {expected.sentence}",)
    return ScheduleTrace(expected.scenario, trial.schedule, trial.law, comments)


def row_of(trial: Trial) -> tuple[object, ...]:
    """One row, as COLUMNS names it."""
    era = EVERY_EXPERIMENT[trial.name].scenario.machine.era
    schedule = trial.schedule or ()
    words, switches = schedule_words(schedule), switches_of(schedule)
    return trial.name, era.name, era.guard, trial.law, trial.felt, switches, words, trial.verdict


def run_and_show(names: Sequence[str], jobs: int, folder: Path | None) -> Exit:
    """Run experiments and print what broke; 0 if all broke as they should.

    folder: where their schedules are kept, if anywhere.
    """
    if folder is not None:
        make_ready(folder, "--write")
    trials: dict[str, Trial] = {}

    def enter(trial: Trial) -> str:
        trials[trial.name] = trial
        return trial.name

    with Interrupt() as interrupt:
        attend(try_out, names, jobs, interrupt, "experiments", enter)
        done = [trials[name] for name in names if name in trials]
        console.table("experiments", COLUMNS, map(row_of, done))
        if folder is not None:
            paths = [keep(trace_of(trial), folder) for trial in done if trial.schedule]
            print(f"{len(paths)} traces written to {folder}")
        good = all(trial.verdict == "as expected" for trial in done)
        codes = [Exit.HELD if good else Exit.BROKEN]
        if interrupt.asked:
            left = counted(len(names) - len(done), "experiment was", "experiments were")
            print(f"interrupted: {left} not tried")
            codes.append(Exit.INTERRUPTED)
    return worst(codes)
