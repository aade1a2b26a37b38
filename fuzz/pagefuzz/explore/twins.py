"""The twin's own text explored: each case to a bound of preemptions, and some schedules beyond."""

from collections.abc import Sequence
from typing import NamedTuple

from pagefuzz.exits import Exit
from pagefuzz.explore.pool import run_all
from pagefuzz.report import console
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
    """Explore one case."""
    return explore_twin(task.case, task.bound, task.seed, hashing=task.hashed)


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
    with console.progress("explore the twin") as tell:
        for result in run_all(run, tasks, jobs):
            found[result.case] = result
            tell(f"{len(found)} of {len(tasks)} cases, last {result.case}")
    results = [found[task.case] for task in tasks]
    console.table("the twin's own text", COLUMNS, map(row_of, results))
    codes = []
    for task, result in zip(tasks, results, strict=True):
        if result.finding is not None:
            _show_finding(task, result.finding)
            codes.append(Exit.BROKEN)
        else:
            codes.append(Exit.HELD if result.verdict == "exhausted" else Exit.INCONCLUSIVE)
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
