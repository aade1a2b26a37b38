"""Processes of a pool, which leave Ctrl-C and SIGTERM to the process that began them.

A terminal and `timeout` send either to all at once. If a worker ended by it, the one that began it
would report a dead process instead of a summary.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import active_children
from multiprocessing.context import SpawnContext, SpawnProcess
from threading import Thread
from time import sleep
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM)
"""By the first people end a command, by the second `timeout`, CI and batch systems do."""


class _Worker(SpawnProcess):
    def terminate(self) -> None:
        """End it by the signal that it does hear: a pool does so when one of its processes died."""
        self.kill()


class Workers(SpawnContext):
    """Spawned, not forked, since compiled code and threads do not survive a fork."""

    Process = _Worker


@contextmanager
def kept_from_workers() -> Iterator[None]:
    """Hold back the signals while workers are begun.

    A process inherits which signals are blocked; a handler of its own would come too late for those
    that are still starting.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)


def follow_parent(parent: int) -> None:
    """In a worker: end soon after the one that began it, however that one ends."""

    def watch() -> None:
        while os.getppid() == parent:
            sleep(1)
        os._exit(1)

    Thread(target=watch, daemon=True).start()
    # A handler, unlike what is blocked or ignored, is not passed on: what a worker runs may end.
    for number in ENDING:
        signal.signal(number, _unheard)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)


def kill_workers() -> None:
    """End them at once, whatever they are at."""
    for process in active_children():
        process.kill()


def _unheard(number: int, frame: FrameType | None) -> None:
    """The one that began this process answers."""
