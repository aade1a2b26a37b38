"""What is known while a zone is compacted: plain data.

Source: mm/internal.h (struct compact_control, capture_control) and include/linux/mmzone.h (the
compact_* fields of struct zone), 2.6.37 to 6.12.
"""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pagespec.compaction.events import Event
from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.verbs import Mode
from pagespec.frames import SIZES, head_of
from pagespec.migratetype import MOVABLE, MigrateType
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

    order: what is wanted, or WHOLE. mt: the type of the request behind it. cpu: who runs it. mode,
    killed: as the request has them. whole: whether it goes through the whole zone. direct: whether
    a request waits for it. heeds: whether it passes over pageblocks in which nothing was found of
    late. told: whether it may take frames from any pageblock. free, migrate: where the two scanners
    stand. fresh: the free blocks that were isolated and are not sorted yet. targets: those that
    are, next to be used first, on one list or on one for each order. taken: the one that a block is
    being moved to. sources: the held blocks that are to be moved, lowest first, each with one more
    reference; the last one goes first. wanted: how many frames are to be isolated for them.
    contended: whether it is to be given up. sought,
    sought_vainly: the order at which free blocks are sought next, and how often in a row none was
    found.
    """

    order: Order
    mt: MigrateType = MOVABLE
    cpu: int = 0
    mode: Mode = "sync"
    killed: bool = False
    whole: bool = False
    direct: bool = False
    heeds: bool = True
    told: bool = False
    free: Pfn = 0
    migrate: Pfn = 0
    fresh: list[Block] = field(default_factory=list)
    targets: list[list[Block]] = field(default_factory=lambda: [[]])
    taken: Block | None = None
    sources: list[Pfn] = field(default_factory=list)
    wanted: int = 0
    contended: bool = False
    sought: Order = 0
    sought_vainly: int = 0

    @property
    def target_pages(self) -> int:
        """How many frames are isolated to move blocks to."""
        return sum(SIZES[block.order] for blocks in self.blocks for block in blocks)

    @property
    def blocks(self) -> list[list[Block]]:
        """All that is isolated, sorted or not."""
        return [self.fresh, *self.targets]

    @property
    def has_enough(self) -> bool:
        """Whether there is a frame for each that is to be moved."""
        return self.target_pages >= self.wanted


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
    frame. moves: every block that was moved, in order. log: what happened; whoever reads these two
    clears them.
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
    log: list[Event] = field(compare=False)

    @property
    def isolated(self) -> list[Block]:
        """Every free block that a run has taken and not used yet."""
        blocks = [block for run in self.runs for blocks in run.blocks for block in blocks]
        return blocks + [run.taken for run in self.runs if run.taken is not None]


def forget(compaction: Compaction, pfn: Pfn) -> None:
    """The block is nobody's any more: forget what its holder has said of it."""
    compaction.lru.discard(pfn)
    compaction.strays.pop(pfn, None)


def last_pageblock(zone: Zone) -> Pfn:
    """The first frame of the pageblock of the zone's last frame, where free scanners begin."""
    return head_of(zone.machine.end - 1, zone.machine.pageblock or 0)


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
                run,
                fresh=run.fresh.copy(),
                targets=[blocks.copy() for blocks in run.targets],
                sources=run.sources.copy(),
            )
            for run in compaction.runs
        ],
        captures=[None if slot is None else replace(slot) for slot in compaction.captures],
        lru=compaction.lru.copy(),
        isolated_lru=compaction.isolated_lru,
        strays=compaction.strays.copy(),
        moves=compaction.moves.copy(),
        log=compaction.log.copy(),
    )
