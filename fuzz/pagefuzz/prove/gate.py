"""The gate: run conditions on all cores and hold what they came to against the ledger."""

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from typing import NamedTuple

from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit
from pagefuzz.processes import Workers, follow_parent, kept_from_workers, kill_workers
from pagefuzz.prove.conditions import ZONES, Condition
from pagefuzz.prove.engines import Task, joined, run, tasks_of
from pagefuzz.prove.ledger import Row
from pagefuzz.prove.verdict import STRENGTH, Finding, Verdict

Key = tuple[str, str]


class Judgement(NamedTuple):
    """A condition's finding beside its row, and what that means for the run."""

    condition: Condition
    finding: Finding
    code: Exit
    sentence: str


def check_complete(conditions: Iterable[Condition], rows: Iterable[Row]) -> None:
    """Raise UsageError if a condition has no row or a row no condition."""
    known: set[Key] = {condition[:2] for condition in conditions}
    written = {(row.engine, row.what) for row in rows}
    if unwritten := sorted(known - written):
        engine, what = unwritten[0]
        raise UsageError(
            f"{engine} {what} is a condition without a row: enter it by "
            f"`pagefuzz prove '{what}' --update`"
        )
    if unknown := sorted(written - known):
        engine, what = unknown[0]
        raise UsageError(
            f"{engine} {what} is a row without a condition: bring the condition back, or, if it "
            f"was meant to go, drop the row by `pagefuzz prove '{engine}' --update`"
        )


def judged(condition: Condition, finding: Finding, rows: dict[Key, Finding]) -> Judgement:
    """What a finding means beside its row, if it has one."""
    return Judgement(condition, finding, *_meaning(finding, rows.get(condition[:2])))


def _meaning(finding: Finding, row: Finding | None) -> tuple[Exit, str]:
    if finding.verdict is Verdict.REFUTED:
        return Exit.BROKEN, finding.says
    if STRENGTH[finding.verdict] < STRENGTH[Verdict.NOT_REFUTED]:
        return Exit.INCONCLUSIVE, finding.says or finding.verdict.value
    if row is None:
        return Exit.HELD, "new"
    if STRENGTH[finding.verdict] < STRENGTH[row.verdict]:
        return Exit.BROKEN, (
            f"worse than its row: expected {row.verdict.value} as before in {row.seconds} s, "
            f"got {finding.verdict.value} within {finding.seconds} s"
        )
    if finding.counts != row.counts:
        was, now = dict(row.counts), dict(finding.counts)
        name = next(name for name in {**was, **now} if was.get(name) != now.get(name))
        return Exit.BROKEN, f"{name}: expected {was.get(name)} as before, got {now.get(name)}"
    if STRENGTH[finding.verdict] > STRENGTH[row.verdict]:
        return Exit.HELD, "better than its row: enter it by --update"
    return Exit.HELD, ""


def run_all(
    conditions: Sequence[Condition], rows: dict[Key, Finding], tell: Callable[[str], None]
) -> list[Judgement]:
    """Run every condition over all cores, the longest first; judgements in the given order."""
    tasks = [task for c in conditions for task in tasks_of(c, rows.get(c[:2]))]
    tasks.sort(key=lambda task: _length(task, rows), reverse=True)
    found: dict[Condition, list[tuple[int, Finding]]] = {condition: [] for condition in conditions}
    cores = len(os.sched_getaffinity(0))
    with ProcessPoolExecutor(cores, Workers(), follow_parent, (os.getpid(),)) as pool:
        with kept_from_workers():
            running: dict[Future[Finding], Task] = {pool.submit(run, task): task for task in tasks}
        try:
            for done, future in enumerate(as_completed(running), start=1):
                task = running[future]
                found[task.condition].append((task.pages, future.result()))
                tell(f"{done} of {len(tasks)} done, last {task.condition}")
        except BaseException:
            kill_workers()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [
        judged(condition, joined([finding for _, finding in sorted(found[condition])]), rows)
        for condition in conditions
    ]


def expected_s(conditions: Iterable[Condition], rows: Iterable[Row], cores: int) -> float:
    """About how long the conditions take on so many idle cores, by what they took before."""
    took = {row[:2]: row.finding.seconds for row in rows}
    seconds = [took.get(condition[:2], 0.0) for condition in conditions]
    return max(sum(seconds) / cores, *seconds, 0.0)


def entered(
    conditions: Iterable[Condition], rows: Iterable[Row], judgements: Iterable[Judgement]
) -> list[Row]:
    """The ledger after these judgements: one row a condition, those without a verdict as before."""
    findings = {(row.engine, row.what): row.finding for row in rows}
    findings |= {j.condition[:2]: j.finding for j in judgements if j.code is Exit.HELD}
    return [Row(*c[:2], findings[c[:2]]) for c in conditions if c[:2] in findings]


def _length(task: Task, rows: dict[Key, Finding]) -> float:
    """A guess at how long a task takes: each frame more makes a zone some five times as slow."""
    row = rows.get(task.condition[:2])
    seconds = task.budget_s if row is None else row.seconds
    if task.pages == 0:
        return seconds
    longest = ZONES[task.condition.what].lengths[-1]
    return seconds * 5.0 ** (task.pages - longest)
