"""The twin's own text explored: each case to a bound of preemptions, and some schedules beyond."""

from collections.abc import Sequence
from typing import NamedTuple

from pagefuzz.campaign.interrupt import Interrupt
from pagefuzz.exits import Exit
from pagefuzz.explore.attended import attend
from pagefuzz.explore.pool import is_told_to_stop
from pagefuzz.report import console
from pagefuzz.report.words import counted
from pagefuzz.schedule.twin.explore import TwinFinding, TwinResult, explore_twin

BOUND = 2
"""The preemptions that the cases are explored to by default: few faults need more."""

COLUMNS = (
    *("case", "schedules", "states", "transitions", "depth", "points", "drawn beyond"),
    "verdict",
)


class TwinTask(NamedTuple):
    """A case by name, and how to explore it."""

    case: str
    bound: int
    seed: int
    hashed: bool


def run(task: TwinTask) -> TwinResult:
    """Explore one case, until the worker is told to stop."""
    return explore_twin(
        task.case, task.bound, task.seed, hashing=task.hashed, enough=is_told_to_stop
    )


def verdict_of(result: TwinResult) -> str:
    """The verdict in words: a bound is named with what was exhausted to it."""
    if result.finding is not None:
        return f"broken: {result.finding.law}"
    if result.verdict == "exhausted":
        return f"exhausted to bound {result.bound}"
    return f"not refuted in {result.schedules} schedules"


def row_of(result: TwinResult) -> tuple[object, ...]:
    """One row, as COLUMNS names it."""
    return (
        *(result.case, result.schedules, result.states, result.transitions, result.depth),
        *(result.points, result.drawn, verdict_of(result)),
    )


def run_and_show(tasks: Sequence[TwinTask], jobs: int, seed: int) -> list[Exit]:
    """Explore cases of the twin and print what they came to; what that means.

    A case none of whose schedules was cut short is exhausted; one that was is inconclusive.
    """
    console.seed(seed)
    found: dict[str, TwinResult] = {}

    def enter(result: TwinResult) -> str:
        found[result.case] = result
        return result.case

    with Interrupt() as interrupt:
        attend(run, tasks, jobs, interrupt, "explore cases of the twin", enter)
        results = [(task, found[task.case]) for task in tasks if task.case in found]
        console.table("the twin's own text", COLUMNS, (row_of(result) for _, result in results))
        codes = []
        for task, result in results:
            if result.finding is not None:
                _show_finding(task, result.finding)
                codes.append(Exit.BROKEN)
            else:
                codes.append(Exit.HELD if result.verdict == "exhausted" else Exit.INCONCLUSIVE)
        if interrupt.asked:
            left = len(tasks) - sum(result.verdict == "exhausted" for _, result in results)
            print(f"interrupted: {counted(left, 'case was', 'cases were')} not exhausted")
            codes.append(Exit.INTERRUPTED)
    console.seed(seed)
    return codes


def _show_finding(task: TwinTask, finding: TwinFinding) -> None:
    print(f"{task.case}: error: {finding.law}: {finding.what}")
    for line in finding.told:
        print(f"    {line}")
    print(
        f"  repeat with: pagefuzz explore --twin {task.case} --bound {task.bound} "
        f"--seed {task.seed:x}"
    )
