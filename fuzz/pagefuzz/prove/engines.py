"""How each engine runs on one condition, and how long it may take.

A condition is run as one or more tasks, so that the zones of a domain can go to different cores.
"""

import resource
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import process_time
from types import FrameType
from typing import NamedTuple

from pagefuzz.prove import crosshair
from pagefuzz.prove.conditions import BY_BITS, COUNTERS, ZONES, Condition, module_of_pair
from pagefuzz.prove.exhaust import named
from pagefuzz.prove.verdict import STRENGTH, Finding, Verdict

FACTOR = 5
"""A condition gets this many times what its row needed: machines differ, and so do versions."""

LEAST_S = 10.0
"""What a condition gets at least."""

TRIED_S = {
    "check": 60.0,
    "agree": 60.0,
    "diffbehavior": 10.0,
    "numbers": 60.0,
    "exhaust": 600.0,
    "count": 600.0,
}
"""What a condition without a row is tried for, by engine."""


class Task(NamedTuple):
    """A condition, or one zone of its domain. budget_s: of CPU time."""

    condition: Condition
    pages: int
    budget_s: float


def tasks_of(condition: Condition, row: Finding | None) -> list[Task]:
    """The tasks of a condition, the longest first, given what its row says if it has one."""
    budget_s = budget_of(condition, row)
    if condition.engine != "exhaust":
        return [Task(condition, 0, budget_s)]
    lengths = ZONES[condition.what].lengths
    return [Task(condition, pages, budget_s) for pages in reversed(lengths)]


def budget_of(condition: Condition, row: Finding | None) -> float:
    """How many CPU seconds a condition gets.

    What could not be confirmed is tried for as long as its row says, so that the row stays true.
    """
    if row is None:
        return TRIED_S[condition.engine]
    if row.verdict is Verdict.NOT_REFUTED:
        return row.seconds
    return max(LEAST_S, FACTOR * row.seconds)


def run(task: Task) -> Finding:
    """Run one task, in the main thread of a process of its own."""
    started = _cpu_s()
    finding = ENGINES[task.condition.engine](task)
    if finding.verdict is Verdict.NOT_REFUTED:
        return finding._replace(seconds=task.budget_s)
    return finding._replace(seconds=round(_cpu_s() - started, 1))


def _cpu_s() -> float:
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + ended.ru_utime + ended.ru_stime


def _check(task: Task) -> Finding:
    condition = task.condition
    return crosshair.check(condition.what, condition.postconditions, task.budget_s)


def _diff(task: Task) -> Finding:
    name = f"pagefuzz.prove.scalars.{task.condition.what}"
    return crosshair.diff(name, name + BY_BITS, task.budget_s)


def _numbers(task: Task) -> Finding:
    from pagefuzz.prove import numbers

    name = task.condition.what
    module = module_of_pair(name)
    with _limit(task.budget_s):
        tried, difference = numbers.first_difference(
            getattr(module, name), getattr(module, name + BY_BITS)
        )
    verdict = Verdict.REFUTED if difference else Verdict.EXHAUSTED
    return Finding(verdict, counts=(("cases", (tried,)),), says=difference)


def _exhaust(task: Task) -> Finding:
    domain = ZONES[task.condition.what]
    return _counted(
        task,
        lambda: {name: (n,) for name, n in named(domain.exhaust(task.pages)).items()},
        f"{task.pages} frames: ",
    )


def _count(task: Task) -> Finding:
    return _counted(task, COUNTERS[task.condition.what].counts)


def _counted(
    task: Task, count: Callable[[], dict[str, tuple[int, ...]]], where: str = ""
) -> Finding:
    from pagespec.laws.law import LawBroken

    try:
        with _limit(task.budget_s):
            counts = count()
    except LawBroken as broken:
        return Finding(Verdict.REFUTED, says=str(broken))
    except TimeoutError as late:
        return Finding(Verdict.UNKNOWN, says=f"{where}{late}")
    return Finding(Verdict.EXHAUSTED, counts=tuple(counts.items()))


ENGINES: dict[str, Callable[[Task], Finding]] = {
    "check": _check,
    "agree": _check,
    "diffbehavior": _diff,
    "numbers": _numbers,
    "exhaust": _exhaust,
    "count": _count,
}


@contextmanager
def _limit(budget_s: float) -> Iterator[None]:
    """Raise TimeoutError once the body has used so much CPU time: a slip may loop for ever."""

    def late(signum: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"stopped after {budget_s:.0f} s of CPU time")

    before = signal.signal(signal.SIGPROF, late)
    # Again and again: what is raised in a callback of the collector of garbage is lost.
    signal.setitimer(signal.ITIMER_PROF, budget_s, 0.1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def joined(findings: Sequence[Finding]) -> Finding:
    """The finding of a condition from those of its tasks, smallest zone first.

    The states stand zone by zone, the steps' counts in sum.
    """
    weakest = min(findings, key=lambda finding: STRENGTH[finding.verdict])
    if len(findings) == 1:
        return weakest
    seconds = round(sum(finding.seconds for finding in findings), 1)
    if weakest.verdict is not Verdict.EXHAUSTED:
        return weakest._replace(seconds=seconds, counts=())
    columns = [dict(finding.counts) for finding in findings]
    counts = []
    for name in columns[0]:
        values = tuple(number for column in columns for number in column[name])
        counts.append((name, values if name == "states" else (sum(values),)))
    return Finding(Verdict.EXHAUSTED, seconds, tuple(counts))
