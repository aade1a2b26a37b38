"""Explorations over processes: tasks go in, results come out as they are done."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing.synchronize import Event
from typing import TypeVar

from pagefuzz.processes import Workers, follow_parent, kept_from_workers, kill_workers

Task = TypeVar("Task")
Result = TypeVar("Result")

LOOK_EVERY_S = 0.2
"""How often is looked whether it is enough."""

_stop: list[Event] = []


def is_told_to_stop() -> bool:
    """In a worker: whether what is under way is to end unfinished. False anywhere else."""
    return any(event.is_set() for event in _stop)


def run_all(
    work: Callable[[Task], Result],
    tasks: Iterable[Task],
    jobs: int,
    enough: Callable[[], bool] = lambda: False,
) -> Iterator[Result]:
    """Work at tasks in so many processes; when it is enough, no more are begun.

    work: a function of a module, since it goes to another process; a long one asks now and then
    whether it is told to stop. KeyboardInterrupt ends all.
    """
    left = iter(tasks)
    running: set[Future[Result]] = set()
    workers = Workers()
    stop = workers.Event()
    with ProcessPoolExecutor(jobs, workers, _begin, (os.getpid(), stop)) as pool:
        try:
            while True:
                # Two each: one at work and one waiting, so that no process idles.
                wanted = 0 if stop.is_set() else 2 * jobs - len(running)
                with kept_from_workers():
                    running |= {pool.submit(work, task) for task in islice(left, wanted)}
                if not running:
                    return
                done, running = wait(running, LOOK_EVERY_S, FIRST_COMPLETED)
                if enough() and not stop.is_set():
                    stop.set()
                    for future in list(running):
                        if future.cancel():
                            running.remove(future)
                for future in done:
                    yield future.result()
        except BaseException:
            kill_workers()
            # Waited for: a pool that is still closing when Python ends gets in the way of that.
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _begin(parent: int, stop: Event) -> None:
    _stop.append(stop)
    follow_parent(parent)
