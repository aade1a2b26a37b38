"""What is known while a zone is compacted: plain data.

Source: mm/internal.h (struct compact_control, capture_control) and include/linux/mmzone.h (the
compact_* fields of struct zone), 2.6.37 to 6.12.
"""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pagespec.boot import boot
from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.verbs import Mode
from pagespec.frames import SIZES, head_of
from pagespec.migratetype import MOVABLE, MigrateType
from pagespec.pageblock import pageblock_order
from pagespec.types import Block, Order, Pfn
from pagespec.zone import Zone, copy_of


class Move(NamedTuple):
    """A held block that was moved: where it began, where it begins, and its order."""

    source: Pfn
    target: Pfn
    order: Order


@dataclass(slots=True)
class Run:
    """One run of compaction, from its beginning to its end.

    order: what is wanted, or WHOLE. mt: the type of the request behind it. mode, killed, whole: as
    the request has them. direct: whether a request waits for it. free, migrate: where the two
    scanners stand. targets: the isolated free blocks, next to be used first, on one list or on one
    for each order. sources: the held blocks that are to be moved, lowest first, each with one more
    reference. contended: whether it is to be given up. stride: every how manieth pageblock the free
    scanner looks at. drained: behind which frame of the migrate scanner the CPU's lists were
    drained last.
    """

    order: Order
    mt: MigrateType = MOVABLE
    mode: Mode = "sync"
    killed: bool = False
    whole: bool = False
    direct: bool = False
    free: Pfn = 0
    migrate: Pfn = 0
    targets: list[list[Block]] = field(default_factory=lambda: [[]])
    sources: list[Pfn] = field(default_factory=list)
    contended: bool = False
    stride: int = 1
    drained: Pfn | None = None

    @property
    def target_pages(self) -> int:
        """How many frames are isolated to move blocks to."""
        return sum(SIZES[block.order] for blocks in self.targets for block in blocks)


@dataclass(slots=True)
class Capture:
    """A slot in which a task waits for a block that is freed on its CPU, and what it got."""

    order: Order
    mt: MigrateType
    pfn: Pfn | None = None


@dataclass(slots=True)
class Compaction:
    """A zone, and everything that compaction knows of it.

    cached_free: where a run's free scanner begins. cached_migrate: where its migrate scanner does,
    if it will not wait and if it will. skips: the pageblocks, by number, in which nothing was found
    of late. flush: whether all this is to be forgotten as soon as nobody depends on it.
    runs: the runs under way, oldest first; none at rest. captures: the slot of the task on each
    CPU. lru: the held blocks that are on the LRU. isolated_lru: how many frames of them are counted
    as taken off it for now. strays: what others take for the order of a held block, by its first
    frame. moves: every block that was moved, in order; whoever reads it clears it.
    """

    machine: CompactionMachine
    zone: Zone
    cached_free: Pfn
    cached_migrate: list[Pfn]
    skips: set[int]
    flush: bool
    runs: list[Run]
    captures: list[Capture | None]
    lru: set[Pfn]
    isolated_lru: int
    strays: dict[Pfn, int]
    moves: list[Move] = field(compare=False)

    @property
    def isolated(self) -> list[Block]:
        """Every free block that a run has taken and not used yet."""
        return [block for run in self.runs for blocks in run.targets for block in blocks]


def last_pageblock(zone: Zone) -> Pfn:
    """The first frame of the pageblock of the zone's last frame, where free scanners begin."""
    return head_of(zone.machine.end - 1, pageblock_order(zone))


def start(machine: CompactionMachine) -> Compaction:
    """A zone that has just been handed over, and has never been compacted."""
    zone = boot(machine.zone)
    return Compaction(
        machine=machine,
        zone=zone,
        cached_free=last_pageblock(zone),
        cached_migrate=[machine.zone.start, machine.zone.start],
        skips=set(),
        flush=False,
        runs=[],
        captures=[None] * (machine.zone.cpus or 1),
        lru=set(),
        isolated_lru=0,
        strays={},
        moves=[],
    )


def copy_of_compaction(compaction: Compaction) -> Compaction:
    """The same state, sharing nothing that changes."""
    return Compaction(
        machine=compaction.machine,
        zone=copy_of(compaction.zone),
        cached_free=compaction.cached_free,
        cached_migrate=compaction.cached_migrate.copy(),
        skips=compaction.skips.copy(),
        flush=compaction.flush,
        runs=[
            replace(
                run, targets=[blocks.copy() for blocks in run.targets], sources=run.sources.copy()
            )
            for run in compaction.runs
        ],
        captures=[None if slot is None else replace(slot) for slot in compaction.captures],
        lru=compaction.lru.copy(),
        isolated_lru=compaction.isolated_lru,
        strays=compaction.strays.copy(),
        moves=compaction.moves.copy(),
    )
