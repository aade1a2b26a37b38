"""Frames that compaction took from the buddy, as far as its events let one know.

Compaction isolates free pages as targets of migration and logs a range and a count, not the pages.
So a claim that a frame was isolated is checked: it must lie in a range that was scanned, and no
range gives more frames than the kernel said it took. Releases up to 6.1 have a fast path without
any event; it is bounded by what its scanner may reach and by what it is asked for.
Source: mm/compaction.c of 6.1 and 6.12; docs/traces.md.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from pagespec.frames import SIZES

EVENTS = ("mm_compaction_isolate_freepages", "mm_compaction_fast_isolate_freepages")
BEGIN = "mm_compaction_begin"
END = "mm_compaction_end"
WANTED = "mm_compaction_isolate_migratepages"
_STEPS = (BEGIN, WANTED, *EVENTS, "mm_compaction_migratepages", "mm_compaction_finished", END)
"""What a task logs while it compacts; other events of compaction wake someone, or weigh it."""

LOGGED_CAUSE = "isolated by compaction"
SILENT_CAUSE = "isolated by compaction without event"
EARLIER_CAUSE = "isolated by compaction before the trace begins"


@dataclass
class Taken:
    """Frames [first, end) of which compaction took some; `left` of them are not yet claimed."""

    line: int
    first: int
    end: int
    left: int


@dataclass
class Scan:
    """One compaction of one zone: what its free scanner may reach, and how much it may take.

    The fast path looks from the middle between both scanners upwards, so the lowest free scanner
    position bounds it from below.
    """

    line: int
    migrate: int
    free: int
    zone_end: int
    left: int = 0
    ended: int = 0

    def reach(self) -> int:
        """The lowest frame that the fast path may have taken."""
        return (self.migrate + self.free) // 2

    def covers(self, frame: int) -> bool:
        """Whether the fast path may have taken the frame."""
        return self.reach() <= frame < self.zone_end


class Claim(NamedTuple):
    """Why a frame may be isolated, and the line of the event that took it or began to."""

    cause: str
    line: int


@dataclass
class Ledger:
    """All that compaction may hold, oldest first, and which task scans now.

    working: tasks whose compaction is not seen to be over; known: all that ever compacted; worked:
    the line of the last step of any of them.
    """

    taken: list[Taken] = field(default_factory=list)
    scans: list[Scan] = field(default_factory=list)
    scanning: dict[str, Scan] = field(default_factory=dict)
    working: set[str] = field(default_factory=set)
    known: set[str] = field(default_factory=set)
    worked: int = 0

    def step(self, kind: str, task: str, line: int) -> bool:
        """Note a step of a task's compaction, if the event is one; say whether it is."""
        if kind not in _STEPS:
            return False
        (self.working.discard if kind == END else self.working.add)(task)
        self.known.add(task)
        self.worked = line
        return True

    def worked_since(self, line: int) -> bool:
        """Whether some compaction was at work at a line, or later."""
        return bool(self.working) or self.worked > line

    def take(self, taken: Taken, task: str) -> None:
        """Note a range that was scanned and gave `left` frames."""
        if taken.left and taken.first < taken.end:
            self.taken.append(taken)
        if scan := self.scanning.get(task):
            scan.free = min(scan.free, taken.first)

    def begin(self, task: str, scan: Scan) -> None:
        """Note that a task begins to compact a zone."""
        self.scans.append(scan)
        self.scanning[task] = scan

    def want(self, task: str, pages: int, top: int) -> None:
        """Note that a task will look for so many free pages; the last block may be a whole one."""
        if pages and (scan := self.scanning.get(task)):
            scan.left += pages + SIZES[top]

    def finish(self, task: str, free: int, line: int) -> None:
        """Note that a task's compaction ends, with its free scanner at a frame."""
        if scan := self.scanning.pop(task, None):
            scan.free = min(scan.free, free)
            scan.ended = line

    def claim(self, frame: int, *, silent: bool) -> Claim | None:
        """Use up one isolated frame and return the claim, or None if none can be made."""
        for taken in reversed(self.taken):
            if taken.left and taken.first <= frame < taken.end:
                taken.left -= 1
                return Claim(LOGGED_CAUSE, taken.line)
        for scan in reversed(self.scans) if silent else ():
            if scan.left and scan.covers(frame):
                scan.left -= 1
                return Claim(SILENT_CAUSE, scan.line)
        return None

    def may_hold(self, first: int, end: int, *, silent: bool) -> bool:
        """Whether some frame of [first, end) may be isolated and not yet claimed."""
        bounds = [(taken.first, taken.end) for taken in self.taken if taken.left]
        if silent:
            bounds += [(scan.reach(), scan.zone_end) for scan in self.scans if scan.left]
        return any(start < end and first < behind for start, behind in bounds)

    def settle(self, line: int) -> None:
        """Forget what a snapshot has settled: all that was over before its reading began."""
        self.taken = [taken for taken in self.taken if taken.line >= line]
        self.scans = [scan for scan in self.scans if not scan.ended or scan.ended >= line]
