"""A run of explorations: on all cores, each bad schedule on disk before anything else is done."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic

from pagefuzz.campaign.interrupt import Interrupt
from pagefuzz.exits import Exit
from pagefuzz.explore import report
from pagefuzz.explore.attended import attend
from pagefuzz.explore.tasks import Counts, Result, Task, run
from pagefuzz.findings import keep, make_ready
from pagefuzz.report.words import counted
from pagefuzz.schedule.shrink import fewer_switches
from pagespec.schedule.trace import ScheduleTrace


def explore(
    tasks: Sequence[Task], committed: Mapping[str, Counts], jobs: int, out: Path, *, whole: bool
) -> tuple[list[Exit], dict[str, Result]]:
    """Explore all scenarios and print what they came to; what that means, and the results by name.

    whole: whether they are all that there are. At Ctrl-C those under way are left unfinished.
    """
    make_ready(out)
    begin = monotonic()
    results: dict[str, Result] = {}
    findings: dict[str, Path] = {}
    expected = {task.name: committed[task.name].states for task in tasks if task.name in committed}
    longest_first = sorted(tasks, key=lambda task: -expected.get(task.name, 0))

    def enter(result: Result) -> str:
        name = result.task.name
        results[name] = result
        if result.law is not None:
            findings[name] = _kept(result, out)
        return name

    with Interrupt() as interrupt:
        attend(run, longest_first, jobs, interrupt, "explore scenarios", enter)
        done = [results[task.name] for task in tasks if task.name in results]
        codes = report.show(done, committed, whole=whole and len(done) == len(tasks))
        report.show_total(done, monotonic() - begin)
        for name, path in findings.items():
            report.show_finding(results[name], path)
        if interrupt.asked:
            left = len(tasks) - sum(result.exhausted for result in done)
            print(f"interrupted: {counted(left, 'scenario was', 'scenarios were')} not exhausted")
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
