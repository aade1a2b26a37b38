"""Kernels on threads at the same time, one a processor, and who has not come back."""

import os
from collections.abc import Callable, Sequence
from threading import Thread
from time import monotonic, perf_counter
from typing import NamedTuple

from pagespec.laws.law import LawBroken

PATIENCE_SECONDS = 60.0
"""How long a round may take before somebody in it counts as stuck: thousands of times as long as it
needs on a machine that is busy."""

_stuck: list[object] = []
"""What threads that hang still use: their memory must not be taken from under them."""


class Span(NamedTuple):
    """When a thread's work began and ended, in seconds of one clock."""

    began: float
    ended: float


def together(
    works: Sequence[Callable[[], object]], keep: object, patience_seconds: float = PATIENCE_SECONDS
) -> list[Span]:
    """Let each work be done by a thread of its own, and wait for all of them.

    keep: what the works use, which is kept for ever if one of them hangs. Raises LawBroken,
    LIVE-ends, for one that does not come back; whatever a work raised is raised here.
    """
    spans: dict[int, Span] = {}
    raised: list[BaseException] = []

    def run(number: int, work: Callable[[], object]) -> None:
        # Of one thread, this one. Threads that share a processor meet only where one is preempted.
        os.sched_setaffinity(0, {processors[number % len(processors)]})
        began = perf_counter()
        try:
            work()
        except BaseException as error:
            raised.append(error)
        spans[number] = Span(began, perf_counter())

    processors = sorted(os.sched_getaffinity(0))
    # Nothing ends a thread in an endless loop but the process, which does not wait for it.
    threads = [Thread(target=run, args=each, daemon=True) for each in enumerate(works)]
    for thread in threads:
        thread.start()
    until = monotonic() + patience_seconds
    for number, thread in enumerate(threads):
        thread.join(max(0.0, until - monotonic()))
        if thread.is_alive():
            _stuck.append(keep)
            raise LawBroken(
                "LIVE-ends",
                f"thread {number} has not come back after {patience_seconds:.0f} seconds",
            )
    if raised:
        raise raised[0]
    return [spans[number] for number in range(len(works))]


def overlap(spans: Sequence[Span]) -> bool:
    """Whether all were at work at some moment."""
    return max(span.began for span in spans) < min(span.ended for span in spans)
