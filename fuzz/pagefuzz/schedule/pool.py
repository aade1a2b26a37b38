"""Explorations over processes: tasks go in, results come out as they are done."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from typing import TypeVar

from pagefuzz.processes import Workers, follow_parent, kept_from_workers, kill_workers

Task = TypeVar("Task")
Result = TypeVar("Result")


def run_all(
    work: Callable[[Task], Result],
    tasks: Iterable[Task],
    jobs: int,
    enough: Callable[[], bool] = lambda: False,
) -> Iterator[Result]:
    """Work at tasks in so many processes; when it is enough, no more are begun.

    work: a function of a module, since it goes to another process. KeyboardInterrupt ends all.
    """
    left = iter(tasks)
    running: set[Future[Result]] = set()
    with ProcessPoolExecutor(jobs, Workers(), follow_parent, (os.getpid(),)) as pool:
        try:
            while True:
                # Two each: one at work and one waiting, so that no process idles.
                wanted = 0 if enough() else 2 * jobs - len(running)
                with kept_from_workers():
                    running |= {pool.submit(work, task) for task in islice(left, wanted)}
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        except BaseException:
            kill_workers()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
