"""Units over processes: a budget goes in, results come out.

Seconds only choose how many units there are: whoever repeats a run by `--units` gets the same.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import count, islice, takewhile
from time import monotonic
from typing import NamedTuple, TypeAlias

from pagefuzz.campaign.plan import Plan, Result
from pagefuzz.campaign.unit import empty_result, run_unit
from pagefuzz.processes import Workers, follow_parent, kept_from_workers, kill_workers
from pagefuzz.target.load import factory_of

Told: TypeAlias = Callable[[Result], None]
"""Called with each result as it comes in, in any order."""


class Budget(NamedTuple):
    """How long a campaign goes on, by the one of these that is not None.

    For about so many seconds, until so many units are done, or so many operations at least.
    completes: whether eras that have not met all their events by then get a few turns more.
    """

    seconds: float | None = None
    units: int | None = None
    operations: int | None = None
    completes: bool = False


def numbers_within(
    budget: Budget, turn: int, operations_done: Callable[[], int] = lambda: 0, first: int = 0
) -> Iterator[int]:
    """The numbers of the units to begin, from the first on.

    Seconds and operations buy whole turns, at least one; seconds as many as end nearest to them: a
    run that ends within a turn has met some eras in fewer gears than others, or on a slow machine
    not at all.
    """
    begin = monotonic()
    for number in islice(count(first), budget.units):
        turns, rest = divmod(number, turn)
        if budget.seconds is not None and turns > 0 and rest == 0:
            gone = monotonic() - begin
            if gone + gone / turns / 2 > budget.seconds:
                return
        if budget.operations is not None and rest == 0 and operations_done() >= budget.operations:
            return
        yield number


def run_units(
    plan: Plan,
    jobs: int,
    budget: Budget,
    told: Told,
    enough: Callable[[], bool] = lambda: False,
    first: int = 0,
    only: Callable[[int], bool] = lambda _: True,
) -> None:
    """Run units over so many processes; after a failure, or when it is enough, no more are begun.

    first: the number of the first. only: which of the budget's numbers are run at all.

    When a process dies, the units that were under way are run once more, each alone: if its process
    dies again, that is the finding, else the campaign goes on. KeyboardInterrupt ends it at once.
    """
    failed = False
    operations = 0

    def enter(result: Result) -> None:
        nonlocal failed, operations
        failed = failed or result.law is not None
        operations += result.operations
        told(result)

    within = numbers_within(budget, plan.turn, lambda: operations, first)
    numbers = takewhile(lambda _: not (failed or enough()), filter(only, within))
    try:
        while unknown := _run_over_pool(plan, jobs, numbers, enter):
            for number in unknown:
                enter(_alone(plan, number))
    except KeyboardInterrupt:
        kill_workers()
        raise


def _run_over_pool(plan: Plan, jobs: int, numbers: Iterator[int], enter: Told) -> list[int]:
    """Run the units; if a process dies, return those of which nothing is known."""
    begun: set[int] = set()
    futures: dict[Future[Result], int] = {}
    with _pool(jobs) as pool:
        try:
            while True:
                # Two each: one at work and one waiting, so that no process idles.
                for number in islice(numbers, 2 * jobs - len(futures)):
                    begun.add(number)
                    futures[_submit(pool, plan, number)] = number
                if not futures:
                    return []
                for future in wait(futures, return_when=FIRST_COMPLETED).done:
                    enter(future.result())
                    begun.remove(futures.pop(future))
        except BrokenProcessPool:
            return sorted(begun)


def _pool(jobs: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(jobs, Workers(), follow_parent, (os.getpid(),))


def _submit(pool: ProcessPoolExecutor, plan: Plan, number: int) -> Future[Result]:
    """Hand a unit to the pool, which may begin a process for it."""
    with kept_from_workers():
        return pool.submit(_work, plan, number)


def _work(plan: Plan, number: int) -> Result:
    return run_unit(plan, number, factory_of(plan.target))


def _alone(plan: Plan, number: int) -> Result:
    """Run a unit in a process of its own; the process's death is a broken law."""
    with _pool(1) as pool:
        try:
            return _submit(pool, plan, number).result()
        except BrokenProcessPool:
            died = empty_result(plan, number)
            died.law = "OUT-fault"
            died.complaint = f"seed {plan.seed:08x} unit {number}: its process died twice"
            return died
