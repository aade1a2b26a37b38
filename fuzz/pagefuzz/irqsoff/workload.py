"""The workload: memory that fills up, and huge pages that are wanted all the same.

A zone is filled with single frames, most of them movable and on the LRU, some of them pinned, some
unmovable. From then on each round takes the oldest movable ones away, as reclaim would, asks for
huge pages, keeps CPUs' page lists busy, lets the oldest huge pages go, compacts the zone as a whole
and fills it up again. So there is never much free, and it is never where it is looked for.
"""

from array import array
from collections import deque
from collections.abc import Iterable, Sequence
from random import Random
from typing import NamedTuple, Protocol

from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.suitable import compact_gap
from pagespec.compaction.verbs import CompactionOp, CompactionVerb
from pagespec.era import ERAS
from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.migratetype import MOVABLE, UNMOVABLE
from pagespec.types import Order, Pfn
from pagespec.verbs import Outcome
from pagespec.watermark.marks import (
    MIN_FREE_RULES,
    marks_by_scale,
    min_free_kbytes,
    share_of,
)

CPUS = 4
HUGE_A_ROUND = 8
"""Huge pages that are asked for in a round."""

HUGE_SHARE = 8
"""Huge pages are let go, oldest first, when they are more than one part in so many of the zone."""

UNMOVABLE_PART = 16
PINNED_PART = 1024
"""One held frame in so many is unmovable; one movable frame in so many is pinned for a while."""

REPINNED = 64
"""How many of these are let go in a round, and others pinned."""

LIST_PAGES = 512
"""Frames that a round takes from CPUs' lists and gives back, in bursts."""

BURST = 64
CHUNK = 2**15
"""Requests that are put at a time."""


class Shape(NamedTuple):
    """How large the zone is, its pageblocks' order, which is the huge pages' too, and the seed."""

    pages: int
    pageblock: Order
    seed: int


class Engine(Protocol):
    """What serves requests and records stretches with interrupts off."""

    def serve(self, ops: Sequence[CompactionOp]) -> Sequence[Outcome]:
        """Serve the requests in their order: what came of each."""
        ...

    def moved(self) -> Iterable[tuple[Pfn, Pfn]]:
        """From where and to where the latest request has moved blocks, in order."""
        ...


def machine_of(era: str, shape: Shape) -> CompactionMachine:
    """The machine of an era: one zone with the marks that the kernel would choose.

    Raises DomainError.
    """
    pages, pageblock = shape.pages, shape.pageblock
    kbytes = min_free_kbytes(4 * pages, MIN_FREE_RULES["64m"])
    zone = Machine(pages, pageblock + 1, ERAS[era], pageblock=pageblock, cpus=CPUS, min_free=kbytes)
    return CompactionMachine(zone)


def spare_of(shape: Shape) -> int:
    """The frames that stay free: what a run for a huge page asks of the zone, and as much again."""
    kbytes = min_free_kbytes(4 * shape.pages, MIN_FREE_RULES["64m"])
    marks = marks_by_scale(share_of(kbytes, shape.pages, shape.pages), shape.pages)
    return marks[1] + 2 * compact_gap(shape.pageblock)


class Workload:
    """The requests of one machine, round by round: the same for the same seed and outcomes.

    Blocks that are moved are followed, so that what is freed is what is held.
    """

    def __init__(self, shape: Shape, engine: Engine) -> None:
        self.shape = shape
        self.engine = engine
        self.rng = Random(shape.seed)
        self.spare = spare_of(shape)
        self.free = shape.pages
        self.number = array("q", [-1]) * shape.pages
        """Of each frame that heads a block, the number of that block."""
        self.place = array("q")
        """Of each block its first frame, by number."""
        self.pinned: deque[int] = deque()
        self.lru: deque[int] = deque()
        self.huge: deque[int] = deque()
        self.asked = self.got = 0
        """Huge pages that were asked for, and those that were got."""

    def fill(self) -> None:
        """Take single frames until no more than the spare ones are free."""
        while self.free > self.spare:
            count = min(self.free - self.spare, CHUNK)
            ops = self.rng.choices(FRAMES, cum_weights=FRAME_WEIGHTS, k=count)
            outcomes = self.engine.serve(ops)
            got = [(pfn, op.lru) for pfn, op in zip(outcomes, ops, strict=True) if pfn >= 0]
            for pfn, lru in got:
                number = self.enter(pfn, 0)
                if lru:
                    self.lru.append(number)
            if len(got) < count:
                break

    def round(self) -> None:
        """One round, as the head of this file has it."""
        self.pin()
        for _ in range(HUGE_A_ROUND):
            self.reclaim(SIZES[self.shape.pageblock] // 2)
            self.ask_huge()
            self.churn(LIST_PAGES // HUGE_A_ROUND)
        self.let_go()
        self.compact(CompactionOp(CompactionVerb.COMPACT, whole=True))
        self.fill()

    def enter(self, pfn: Pfn, order: Order) -> int:
        """Number a block that was given out."""
        number = len(self.place)
        self.place.append(pfn)
        self.number[pfn] = number
        self.free -= SIZES[order]
        return number

    def compact(self, op: CompactionOp) -> Outcome:
        """Serve a request that may move blocks, and follow them."""
        (outcome,) = self.engine.serve([op])
        for source, target in self.engine.moved():
            number = self.number[source]
            self.number[source], self.number[target] = -1, number
            self.place[number] = target
        return outcome

    def ask_huge(self) -> None:
        """Ask for a huge page, and compact for it if there is none."""
        order = self.shape.pageblock
        cpu = self.rng.randrange(CPUS)
        pfn = self.compact(CompactionOp(CompactionVerb.DIRECT, order=order, cpu=cpu, lru=False))
        self.asked += 1
        if pfn >= 0:
            self.got += 1
            self.huge.append(self.enter(pfn, order))

    def let_go(self) -> None:
        """Free the oldest huge pages beyond their share."""
        order = self.shape.pageblock
        most = self.shape.pages // HUGE_SHARE >> order
        while len(self.huge) > most:
            self.give_back([self.huge.popleft()], order)

    def reclaim(self, count: int) -> None:
        """Take away the oldest movable frames, if no more than the spare ones are free."""
        if self.free > self.spare:
            return
        pinned = set(self.pinned)
        oldest: list[int] = []
        for _ in range(min(count, len(self.lru))):
            number = self.lru.popleft()
            if number in pinned:
                self.lru.append(number)
            else:
                oldest.append(number)
        self.give_back(oldest, 0)

    def churn(self, count: int) -> None:
        """Keep CPUs' page lists busy: a burst of frames is taken, and given back elsewhere."""
        for _ in range(count // BURST):
            taken, given = self.rng.randrange(CPUS), self.rng.randrange(CPUS)
            some = self.engine.serve([MOVABLE_FRAME._replace(cpu=taken)] * BURST)
            frees = [FREED._replace(pfn=pfn, cpu=given) for pfn in some if pfn >= 0]
            self.engine.serve(frees)

    def pin(self) -> None:
        """Let go of those that have been pinned longest, and pin as many others."""
        due = len(self.lru) // PINNED_PART
        drawn = self.rng.choices(self.lru, k=min(due, max(due - len(self.pinned), REPINNED)))
        fresh = set(drawn).difference(self.pinned)
        pin = CompactionOp(CompactionVerb.PIN)
        self.engine.serve([pin._replace(pfn=self.place[number]) for number in sorted(fresh)])
        self.pinned.extend(sorted(fresh))
        over = [self.pinned.popleft() for _ in range(max(len(self.pinned) - due, 0))]
        unpin = CompactionOp(CompactionVerb.UNPIN)
        self.engine.serve([unpin._replace(pfn=self.place[number]) for number in over])

    def give_back(self, numbers: Iterable[int], order: Order) -> None:
        """Free blocks wherever they are by now."""
        pfns = [self.place[number] for number in numbers]
        for pfn in pfns:
            self.number[pfn] = -1
        self.free += len(pfns) << order
        cpu = self.rng.randrange(CPUS)
        self.engine.serve([FREED._replace(pfn=pfn, order=order, cpu=cpu) for pfn in pfns])


MOVABLE_FRAME = CompactionOp(CompactionVerb.ALLOC, mt=MOVABLE)
UNMOVABLE_FRAME = CompactionOp(CompactionVerb.ALLOC, mt=UNMOVABLE, lru=False)
FRAMES, FRAME_WEIGHTS = (UNMOVABLE_FRAME, MOVABLE_FRAME), (1, UNMOVABLE_PART)
FREED = CompactionOp(CompactionVerb.FREE)
