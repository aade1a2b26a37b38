"""A run of explorations: on all cores, each bad schedule on disk before anything else is done."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic

from pagefuzz.campaign.interrupt import Interrupt
from pagefuzz.exits import Exit
from pagefuzz.findings import keep, make_ready
from pagefuzz.processes import kill_workers
from pagefuzz.report import console
from pagefuzz.schedule import report
from pagefuzz.schedule.pool import run_all
from pagefuzz.schedule.shrink import fewer_switches
from pagefuzz.schedule.tasks import Counts, Result, Task, run
from pagespec.schedule.trace import ScheduleTrace


def explore(
    tasks: Sequence[Task], committed: Mapping[str, Counts], jobs: int, out: Path, *, whole: bool
) -> tuple[list[Exit], dict[str, Result]]:
    """Explore all scenarios and print what they came to; what that means, and the results by name.

    whole: whether they are all that there are. Ctrl-C lets those under way come to their end; the
    second one does not.
    """
    make_ready(out)
    begin = monotonic()
    results: dict[str, Result] = {}
    findings: dict[str, Path] = {}
    expected = {task.name: committed[task.name].states for task in tasks if task.name in committed}
    longest_first = sorted(tasks, key=lambda task: -expected.get(task.name, 0))
    with Interrupt() as interrupt:
        interrupt.at_once = True
        with console.progress("explore") as tell, interrupt.heeded():
            for result in run_all(run, longest_first, jobs, lambda: interrupt.asked):
                name = result.task.name
                results[name] = result
                if result.law is not None:
                    findings[name] = _kept(result, out)
                tell(f"{len(results)} of {len(tasks)} scenarios, last {name}")
        interrupt.at_once = False
        done = [results[task.name] for task in tasks if task.name in results]
        codes = report.show(done, committed, whole=whole and len(done) == len(tasks))
        report.show_total(done, monotonic() - begin)
        for name, path in findings.items():
            report.show_finding(results[name], path)
        if interrupt.asked:
            print(f"interrupted: {len(tasks) - len(done)} scenarios were not explored")
            kill_workers()
            codes.append(Exit.INTERRUPTED)
    return codes, results


def _kept(result: Result, out: Path) -> Path:
    """Write the bad schedule, and then the one with the fewest switches that is quickly found."""
    trace = trace_of(result)
    path = keep(trace, out)
    for better in fewer_switches(trace):
        path = keep(better, out)
    return path


def trace_of(result: Result) -> ScheduleTrace:
    """The schedule that broke a law, as a trace."""
    comments = (f"{result.task.name}: {result.complaint}",)
    return ScheduleTrace(result.task.scenario, result.schedule, result.law, comments)
