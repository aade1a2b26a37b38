"""The spec's steps, watched: the laws at every step, and how long scanners have interrupts off."""

from collections.abc import Iterator
from types import GeneratorType
from typing import NamedTuple

from pagespec.compaction.laws.moments import AT_EVERY_STEP, Moment, glance
from pagespec.compaction.laws.windows import WINDOW_LAWS, Scanner, ScanWindow
from pagespec.compaction.ops import steps_of
from pagespec.compaction.state import Compaction
from pagespec.compaction.verbs import FRAMES, CompactionOp
from pagespec.pcp.cpus import work_on
from pagespec.steps import Step, Stop
from pagespec.types import NO_MEMORY, Refused
from pagespec.verbs import Outcome

SCANNER_OF: dict[str, Scanner] = {
    "scan_frames": "free",
    "scan_pageblock": "free",
    "isolate_freepages": "free",
    "scan_around": "free",
    "seek": "lists",
    "scan_sources": "migrate",
}
"""Whose window it is that begins in an operation's part of that name."""

BEGINS, ENDS = (Step.LOCK, Step.IRQS_OFF), (Step.UNLOCK, Step.IRQS_ON)
"""The stops from which on interrupts are off, and at which they are on again."""


class Watched(NamedTuple):
    """What came of a request, and each window of a scanner."""

    outcome: Outcome
    windows: tuple[ScanWindow, ...]


def watch(compaction: Compaction, op: CompactionOp) -> Watched:
    """Serve a request of the spec, and ask the laws of every step and of every window.

    Raises LawBroken.
    """
    zone, era = compaction.zone, compaction.machine.era
    work_on(zone, op.cpu)
    steps = steps_of(compaction, op)
    windows: list[ScanWindow] = []
    scanner: Scanner | None = None
    since, locked, strays = 0, False, bool(compaction.strays)
    got: int | None = None
    try:
        while True:
            before = glance(compaction)
            stop: Stop = next(steps)
            AT_EVERY_STEP.check(era, Moment(before, compaction, locked))
            if stop in BEGINS:
                scanner, since = SCANNER_OF.get(_part(steps)), zone.visited
                locked = stop is Step.LOCK
            elif stop in ENDS:
                locked = False
                if scanner is not None:
                    visited = zone.visited - since
                    windows.append(ScanWindow(compaction.machine, scanner, strays, visited))
                    WINDOW_LAWS.check(era, windows[-1])
                scanner = None
    except StopIteration as end:
        got = end.value
    except Refused as fact:
        return Watched(fact.refusal, ())
    none = NO_MEMORY if op.verb in FRAMES else 0
    return Watched(none if got is None else got, tuple(windows))


def _part(steps: Iterator[Stop]) -> str:
    """The name of the part of an operation that is at work."""
    inner: object = steps
    while isinstance(inner, GeneratorType) and inner.gi_yieldfrom is not None:
        inner = inner.gi_yieldfrom
    return inner.gi_code.co_name if isinstance(inner, GeneratorType) else ""
