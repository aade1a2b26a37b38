"""The twin as an engine of the workload, with its recorder on."""

from collections.abc import Iterable, Sequence
from resource import RUSAGE_THREAD, getrusage

from pagefuzz.irqsoff.clock import ticks_a_us
from pagefuzz.irqsoff.stretches import Part, Recorded, end_round
from pageimpl.compaction import recorder
from pageimpl.compaction.refine import moves_of
from pageimpl.compaction.state import (
    BUCKETS,
    FRAMES_FIRST,
    KINDS_FIRST,
    LONGEST,
    bucket_of,
    cycles_of,
    longest_of,
    most_visited_of,
    set_records,
    stretches_of,
)
from pageimpl.compaction.twin import CompactionTwin, perform_all
from pageimpl.compaction.verbs import COLUMNS, rows_of
from pagespec.compaction.laws.windows import Scanner
from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.verbs import CompactionOp
from pagespec.types import Pfn
from pagespec.verbs import Outcome

SCANNER_OF: dict[int, Scanner] = {
    recorder.FREE_SCAN: "free",
    recorder.AROUND: "free",
    recorder.SEEK: "lists",
    recorder.MIGRATE_SCAN: "migrate",
}
PART_OF: dict[int, Part] = {
    **SCANNER_OF,
    recorder.ALLOC: "alloc",
    recorder.FREE: "give",
    recorder.DRAIN: "give",
}
"""What each of the recorder's kinds is; nothing is claimed by the workload."""


class Recording:
    """A zone of the twin, and what its operations had interrupts off for."""

    def __init__(self, machine: CompactionMachine) -> None:
        self.twin = CompactionTwin(machine)
        self.recorded = Recorded(ticks_a_us())
        self.visits: dict[Scanner, int] = {}
        self.ticks: dict[Part, int] = {}

    def serve(self, ops: Sequence[CompactionOp]) -> Sequence[Outcome]:
        """Serve the requests in their order: what came of each.

        Most requests of a workload are a few, many times over: each of them is written once.
        """
        distinct = {id(op): op for op in ops}
        place = {name: number for number, name in enumerate(distinct)}
        rows = rows_of([*distinct.values()]).reshape(-1, COLUMNS)[[place[id(op)] for op in ops]]
        before = getrusage(RUSAGE_THREAD).ru_nivcsw
        outcomes: list[Outcome] = perform_all(self.twin, rows.ravel(), len(ops)).tolist()
        self._enter(timed=getrusage(RUSAGE_THREAD).ru_nivcsw == before)
        return outcomes

    def moved(self) -> Iterable[tuple[Pfn, Pfn]]:
        """From where and to where the latest request has moved blocks, in order."""
        return [(move.source, move.target) for move in moves_of(self.twin.memory)]

    def begin(self) -> None:
        """Record from here on."""
        self.recorded.served = self.recorded.left_out = 0
        set_records(self.twin.memory, 1)

    def end_round(self) -> None:
        """Sample the round, and begin the next one."""
        end_round(self.recorded, self.visits, self.ticks)
        self.visits, self.ticks = {}, {}

    def _enter(self, *, timed: bool) -> None:
        """Enter what was recorded of the latest requests, with or without times."""
        memory, into = self.twin.memory, self.recorded
        into.served += 1
        into.left_out += not timed
        for kind, part in PART_OF.items():
            count = stretches_of(memory, kind)
            if not count:
                continue
            into.counts[part] += count
            if kind in SCANNER_OF:
                scanner = SCANNER_OF[kind]
                visits = most_visited_of(memory, kind)
                self.visits[scanner] = max(visits, self.visits.get(scanner, 0))
            if timed:
                self._enter_times(kind, part, count)
        memory.array[KINDS_FIRST:FRAMES_FIRST] = 0

    def _enter_times(self, kind: int, part: Part, count: int) -> None:
        memory, into = self.twin.memory, self.recorded
        into.timed[part] += count
        into.ticks[part] += cycles_of(memory, kind)
        for doublings in range(BUCKETS):
            into.buckets[part, doublings] += bucket_of(memory, kind * BUCKETS + doublings)
        kept = range(kind * LONGEST, kind * LONGEST + min(count, LONGEST))
        longest = max(longest_of(memory, number) for number in kept)
        self.ticks[part] = max(longest, self.ticks.get(part, 0))
