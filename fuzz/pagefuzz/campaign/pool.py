"""Units over processes: a budget goes in, results come out in the order of their numbers.

Seconds only choose how many units there are: whoever repeats a run by `--units` gets the same.
Processes are spawned, not forked, since compiled code and threads do not survive a fork. The
kernels are compiled once, before, and found in the cache by every process.
"""

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import count, islice
from multiprocessing import get_context
from time import monotonic
from typing import NamedTuple

from pagefuzz.campaign.plan import Plan, Result
from pagefuzz.campaign.unit import empty_result, run_unit
from pagefuzz.target.load import factory_of


class Budget(NamedTuple):
    """How long a campaign goes on: until so many seconds are over, or so many units are done."""

    seconds: float | None
    units: int | None


def numbers_within(budget: Budget) -> Iterator[int]:
    """The numbers of the units to begin, as long as the budget lasts; at least one."""
    begin = monotonic()
    for number in islice(count(), budget.units):
        yield number
        if budget.seconds is not None and monotonic() - begin >= budget.seconds:
            return


def _pool(jobs: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_leave_sigint)


def _leave_sigint() -> None:
    """Leave Ctrl-C to the parent, which lets the units under way come to their end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _work(plan: Plan, number: int) -> Result:
    return run_unit(plan, number, factory_of(plan.target))


def run_units(
    plan: Plan, jobs: int, budget: Budget, told: Callable[[Result], None]
) -> list[Result]:
    """Run units over so many processes; after the first failure no new ones are begun.

    told: called with each result as it comes in, in any order. When a process dies, the units that
    were under way are run once more, each alone: if its process dies again, that is the finding.
    """
    results: list[Result] = []
    pending: dict[Future[Result], int] = {}

    def enter(result: Result) -> None:
        results.append(result)
        told(result)

    with _pool(jobs) as pool:
        numbers = numbers_within(budget)
        try:
            while True:
                # Two each: one at work and one waiting, so that no process idles.
                for number in islice(numbers, 2 * jobs - len(pending)):
                    pending[pool.submit(_work, plan, number)] = number
                if not pending:
                    break
                for future in wait(pending, return_when=FIRST_COMPLETED).done:
                    enter(future.result())
                    del pending[future]
                if any(result.law for result in results):
                    numbers = iter(())
        except BrokenProcessPool:
            # Which unit killed its process is not known; each is tried again below.
            pass
        except KeyboardInterrupt:
            for future in pending:
                future.cancel()
            for future in wait(pending).done:
                if not future.cancelled():
                    enter(future.result())
            raise
    for number in pending.values():
        enter(_alone(plan, number))
    return sorted(results, key=lambda result: result.number)


def _alone(plan: Plan, number: int) -> Result:
    """Run a unit in a process of its own; the process's death is a broken law."""
    with _pool(1) as pool:
        try:
            return pool.submit(_work, plan, number).result()
        except BrokenProcessPool:
            died = empty_result(plan, number)
            died.law = "OUT-fault"
            died.complaint = f"seed {plan.seed:08x} unit {number}: its process died twice"
            return died
