"""`pagefuzz explore`: does any law break, whoever comes between whom?"""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pagefuzz.cli.options import cores, out_option
from pagefuzz.cli.traces import read_trace
from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit, worst
from pagefuzz.report.words import counted

if TYPE_CHECKING:
    from pagefuzz.schedule.tasks import Reach, Task


@click.command()
@click.argument("pattern", default="*")
@click.option("--bound", type=click.IntRange(min=0), help="Preemptions of a schedule, at most.")
@click.option("--depth", type=click.IntRange(min=1), help="Steps of a schedule, at most.")
@click.option("--no-hash", is_flag=True, help="Go every way to a state, not one for all.")
@click.option("--experiments", is_flag=True, help="Leave out rules instead: each must break.")
@click.option("--update", is_flag=True, help="Enter what the scenarios came to among the counts.")
@click.option(
    "--write",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the schedule of each experiment as a trace in this directory.",
)
@click.option("--jobs", type=click.IntRange(min=1), default=cores, help="Processes; one a core.")
@out_option
def command(
    pattern: str,
    bound: int | None,
    depth: int | None,
    no_hash: bool,
    experiments: bool,
    update: bool,
    folder: Path | None,
    jobs: int,
    out: Path,
) -> Exit:
    """Explore every schedule of built-in scenarios: who comes between whom, at every step.

    PATTERN picks scenarios by a part of their name, `*` standing for anything; or it is a file, a
    trace of a schedule, whose scenario is explored. Without bounds every state is visited that the
    scenario can reach, so "exhausted" speaks of these scenarios and of no larger ones.

    Exit codes: 0 every law held, and the counts are as committed; 1 a law broke, or a count
    changed; 2 usage; 3 vacuous: a law was never asked, or nothing came between; 130 interrupted.
    """
    from pagefuzz.schedule import counts
    from pagefuzz.schedule.experiments import EXPERIMENTS
    from pagefuzz.schedule.scenarios import SCENARIOS
    from pagefuzz.schedule.session import explore
    from pagefuzz.schedule.tasks import DEFAULT, Reach

    if experiments:
        from pagefuzz.schedule import trials

        return trials.run_and_show(chosen(EXPERIMENTS, pattern, "experiment"), jobs, folder)
    reach = Reach(bound, depth, not no_hash)
    if update and reach != DEFAULT:
        raise UsageError("--update: the counts are of every schedule; leave the other options out")
    committed = counts.read() if counts.COUNTS.exists() else {}
    tasks = tasks_of(pattern, reach)
    whole = len(tasks) == len(SCENARIOS)
    if whole and not update:
        counts.check_complete(SCENARIOS, committed)
    codes, results = explore(tasks, {} if update else committed, jobs, out, whole=whole)
    if update:
        found = {name: each.counts for name, each in results.items() if each.exhausted}
        counts.write(counts.entered(SCENARIOS, committed, found))
        print(f"{counted(len(found), 'scenario')} entered in {counts.COUNTS}")
    return worst(codes)


def tasks_of(pattern: str, reach: "Reach") -> "list[Task]":
    """What is to be explored: the scenario of a trace, or those whose names the pattern picks."""
    from pagefuzz.schedule.scenarios import SCENARIOS
    from pagefuzz.schedule.tasks import Task
    from pagespec.schedule.trace import ScheduleTrace

    path = Path(pattern)
    if path.is_file():
        trace = read_trace(path)
        if not isinstance(trace, ScheduleTrace):
            raise UsageError(f"{path}: expected a trace of a schedule, with tasks or interrupts")
        return [Task(path.name, trace.scenario, reach)]
    names = chosen(SCENARIOS, pattern, "scenario")
    return [Task(name, SCENARIOS[name], reach) for name in names]


def chosen(names: Iterable[str], pattern: str, what: str) -> list[str]:
    """The names that have the pattern in them, `*` standing for anything. Raises UsageError."""
    found = [name for name in names if fnmatchcase(name, f"*{pattern}*")]
    if not found:
        raise UsageError(f"no {what} matches {pattern!r}, and no file has that name")
    return found
