"""Tasks worked at while somebody watches: how far it is by time, and an end when they ask."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from pagefuzz.campaign.interrupt import Interrupt
from pagefuzz.explore.pool import run_all
from pagefuzz.report import console

Task = TypeVar("Task")
Result = TypeVar("Result")


def attend(
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
    jobs: int,
    interrupt: Interrupt,
    title: str,
    enter: Callable[[Result], str],
) -> None:
    """Work at all tasks, until that is asked to end; then those under way are left as they are.

    title: of what is told on stderr, whether or not a task has come to its end. enter: takes a
    result as soon as it is there, and names it.
    """
    done, last = 0, ""
    interrupt.at_once = True
    with console.progress(title) as tell, interrupt.heeded():

        def looked() -> bool:
            tell(f"{done} of {len(tasks)}{last}")
            return interrupt.asked

        for result in run_all(work, tasks, jobs, looked):
            done, last = done + 1, f", last {enter(result)}"
    interrupt.at_once = False
