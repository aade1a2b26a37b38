"""The state of a zone: its free lists, the order tags, and the blocks that are held.

Plain data, no behaviour beyond the smallest moves that keep one field in step with itself.
"""

from collections import OrderedDict
from dataclasses import dataclass, field, fields
from typing import NamedTuple, TypeAlias

from pagespec.events import Event, Kind
from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.migratetype import CMA, HIGHATOMIC, ISOLATE, UNMOVABLE, MigrateType
from pagespec.pcp.state import Pcp, copy_of_pcp, empty_pcps, low_mark_of
from pagespec.types import Block, Order, Pfn
from pagespec.vmstat.kept import Cells, copy_of_cells, empty_cells, keep
from pagespec.watermark.levels import Levels, copy_of_levels, levels_of

FreeList: TypeAlias = "OrderedDict[Pfn, None]"
"""The heads of free blocks of one order and type. Requests are served from the front."""

Lists: TypeAlias = list[dict[MigrateType, list[Pfn]]]
"""Per order and type, the heads of the free blocks in list order."""

KeptLists: TypeAlias = list[list[list[list[Pfn]]]]
"""Per CPU, set and list, the heads of the blocks that it keeps, those to be served first first."""


class Held(NamedTuple):
    """A block that somebody holds.

    compound: whether the block stays one until its last reference is dropped; otherwise its first
    frame alone carries the references.
    """

    order: Order
    refs: int
    compound: bool
    mt: MigrateType = UNMOVABLE


@dataclass(slots=True)
class Zone:
    """Everything that the allocator knows of a zone.

    free_area: per order and type, the free blocks in list order.
    tag: the order in the page of each free block's head; frames without a tag are absent.
    nr_free: per order, how many blocks free_area should hold.
    free_pages: how many frames should be free, by the era's way of counting.
    free_cma, free_highatomic: how many of them should be of those types; the latter from 6.12.
    pair_bits: per order, the pairs whose bit is 1 in the bitmap design; a pair's number is its
        index shifted by 1 + order.
    pageblocks: the type of each pageblock, lowest first; none on a machine without them.
    nr_reserved: the size of the reserve for atomic requests, in frames.
    held: the blocks that are given out, by head.
    given: every frame that ever headed a block that was given out.
    guards: the order of each guard, by head: a half that is neither free nor anybody's.
    poisoned: frames that have failed and were taken off.
    offline: the first frames of pageblocks that are offline.
    pcps: per CPU, its page lists: one set, or a hot and a cold one.
    levels: the zone's watermarks, if it has any.
    unplugged: the CPUs that are not running. disabled: whether the lists keep nothing for now.
    sized_low: the low mark, with its boost, from which the sizes of the CPUs' lists follow.
    slots: the frames that the array of bulk requests holds, each with the number of its slot.
    cells: what the CPUs keep of the counts of free frames, where they do. on_cpu: the CPU that is
        at work. gathered: what a refill or drain has moved so far, where it counts once for all.
    pgallocs, pgfrees: per CPU, frames allocated and freed, by the era's way of counting; a machine
        whose CPUs keep no lists has one count for all.
    visited: frames and list nodes that the algorithms have looked at, listed or unlisted.
    log: what happened, in the kernel's words; whoever reads it clears it.
    """

    machine: Machine
    free_area: list[dict[MigrateType, FreeList]]
    tag: dict[Pfn, Order]
    nr_free: list[int]
    free_pages: int
    free_cma: int
    free_highatomic: int
    pair_bits: list[set[int]]
    pageblocks: list[MigrateType]
    nr_reserved: int
    held: dict[Pfn, Held]
    given: set[Pfn]
    guards: dict[Pfn, Order]
    poisoned: set[Pfn]
    offline: set[Pfn]
    pcps: list[list[Pcp]]
    levels: Levels | None
    unplugged: set[int]
    disabled: bool
    sized_low: int
    slots: dict[Pfn, int]
    cells: Cells | None
    on_cpu: int = field(compare=False)
    gathered: int | None = field(compare=False)
    pgallocs: list[int] = field(compare=False)
    pgfrees: list[int] = field(compare=False)
    visited: int
    log: list[Event]

    @property
    def pgalloc(self) -> int:
        """What all CPUs have allocated; whoever sets it lays it to the first."""
        return sum(self.pgallocs)

    @pgalloc.setter
    def pgalloc(self, pages: int) -> None:
        self.pgallocs = [pages, *[0] * (len(self.pgallocs) - 1)]

    @property
    def pgfree(self) -> int:
        """What all CPUs have freed; whoever sets it lays it to the first."""
        return sum(self.pgfrees)

    @pgfree.setter
    def pgfree(self, pages: int) -> None:
        self.pgfrees = [pages, *[0] * (len(self.pgfrees) - 1)]


COUNTS = ("pgalloc", "pgfree")
"""What only ever grows, and on which nothing depends."""

COUNTS_OF_CPUS = ("pgallocs", "pgfrees")
"""The fields that hold each CPU's part of them."""

UNDER_WAY = ("on_cpu", "gathered", "visited", "log")
"""The fields that mean something only while a request is served, or say what it passed through."""

STATE = tuple(
    each.name for each in fields(Zone) if each.name not in ("machine", *UNDER_WAY, *COUNTS_OF_CPUS)
)
"""The fields of a zone that are its state."""


def empty_zone(machine: Machine) -> Zone:
    """A zone before boot hands over its memory: nothing is free and nothing is held."""
    orders = range(machine.top + 1)
    types = machine.types_listed
    return Zone(
        machine=machine,
        free_area=[{mt: OrderedDict() for mt in types} for _ in orders],
        tag={},
        nr_free=[0 for _ in orders],
        free_pages=0,
        free_cma=0,
        free_highatomic=0,
        pair_bits=[set() for _ in orders],
        pageblocks=list(machine.first_types),
        nr_reserved=SIZES[machine.pageblock or 0] * machine.first_types.count(HIGHATOMIC),
        held={},
        given=set(),
        guards={},
        poisoned=set(),
        offline=set(),
        pcps=empty_pcps(machine),
        levels=levels_of(machine),
        unplugged=set(),
        disabled=False,
        sized_low=low_mark_of(machine, levels_of(machine)) if machine.cpus else 0,
        slots={},
        cells=empty_cells(machine.cpus) if machine.cells else None,
        on_cpu=0,
        gathered=None,
        pgallocs=[0] * (machine.cpus or 1),
        pgfrees=[0] * (machine.cpus or 1),
        visited=0,
        log=[],
    )


def copy_of(zone: Zone) -> Zone:
    """The same state, sharing nothing that changes."""
    # Not by `replace`: explorers copy a zone for every step, and it takes twice as long.
    return Zone(
        machine=zone.machine,
        free_area=[{mt: blocks.copy() for mt, blocks in lists.items()} for lists in zone.free_area],
        tag=zone.tag.copy(),
        nr_free=zone.nr_free.copy(),
        free_pages=zone.free_pages,
        free_cma=zone.free_cma,
        free_highatomic=zone.free_highatomic,
        pair_bits=[bits.copy() for bits in zone.pair_bits],
        pageblocks=zone.pageblocks.copy(),
        nr_reserved=zone.nr_reserved,
        held=zone.held.copy(),
        given=zone.given.copy(),
        guards=zone.guards.copy(),
        poisoned=zone.poisoned.copy(),
        offline=zone.offline.copy(),
        pcps=[[copy_of_pcp(pcp) for pcp in pcps] for pcps in zone.pcps],
        unplugged=zone.unplugged.copy(),
        disabled=zone.disabled,
        sized_low=zone.sized_low,
        slots=zone.slots.copy(),
        cells=copy_of_cells(zone.cells),
        on_cpu=zone.on_cpu,
        gathered=zone.gathered,
        pgallocs=zone.pgallocs.copy(),
        pgfrees=zone.pgfrees.copy(),
        levels=copy_of_levels(zone.levels),
        visited=zone.visited,
        log=zone.log.copy(),
    )


def account(zone: Zone, pages: int, mt: MigrateType, *, at_once: bool = True) -> None:
    """Count frames of a type as free, or with a negative number as no longer free.

    Frames that are being isolated do not count since 4.10; they did before.
    at_once: whether they count by themselves also while a refill or drain gathers what it moves.
    """
    era, cells = zone.machine.era, zone.cells
    if mt is ISOLATE and era.isolation != "move":
        return
    if not at_once and zone.gathered is not None:
        zone.gathered += pages
    elif cells is None:  # Not by a call: this is asked for every block of most zones.
        zone.free_pages += pages
    else:
        count_free(zone, pages)
    if mt is CMA:
        zone.free_cma += pages
        if cells is not None:
            _log_told(zone, keep(cells.cma, zone.on_cpu, pages, cells.threshold), CMA)
    elif mt is HIGHATOMIC and era.retypes_on_merge:
        zone.free_highatomic += pages


def count_free(zone: Zone, pages: int) -> None:
    """Count free frames on the CPU that is at work, which may keep it to itself for now."""
    zone.free_pages += pages
    cells = zone.cells
    if cells is not None:
        _log_told(zone, keep(cells.free, zone.on_cpu, pages, cells.threshold))


def _log_told(zone: Zone, pages: int, mt: MigrateType = UNMOVABLE) -> None:
    if pages:
        kind = Kind.TOLD_MORE if pages > 0 else Kind.TOLD_LESS
        zone.log.append(Event(kind, abs(pages), 0, mt))


def count_gathered(zone: Zone) -> None:
    """Count what a refill or drain has gathered, if it has."""
    pages, zone.gathered = zone.gathered, None
    if pages is not None:
        count_free(zone, pages)


def told_free(zone: Zone) -> int:
    """The count of free frames as whoever reads it cheaply sees it, never below 0."""
    return zone.free_pages if zone.cells is None else max(0, zone.cells.free.told)


def told_cma(zone: Zone) -> int:
    """The same for free CMA frames."""
    return zone.free_cma if zone.cells is None else max(0, zone.cells.cma.told)


def list_add(zone: Zone, pfn: Pfn, order: Order, mt: MigrateType, *, to_tail: bool = False) -> None:
    """Put the block into the free list of its order and type, at the head unless told otherwise."""
    blocks = zone.free_area[order][mt]
    blocks[pfn] = None
    if not to_tail:
        blocks.move_to_end(pfn, last=False)
    zone.nr_free[order] += 1
    zone.visited += 1
    zone.log.append(Event(Kind.TAIL if to_tail else Kind.HEAD, pfn, order, mt))


def list_of(zone: Zone, pfn: Pfn, order: Order) -> MigrateType:
    """The type of the list that the free block is on, which links alone know in the kernel."""
    for mt, blocks in zone.free_area[order].items():
        if pfn in blocks:
            return mt
    raise KeyError(pfn)


def list_del(zone: Zone, pfn: Pfn, order: Order, mt: MigrateType) -> None:
    """Take the block out of its list."""
    del zone.free_area[order][mt][pfn]
    zone.nr_free[order] -= 1
    zone.visited += 1


def free_blocks(zone: Zone) -> list[Block]:
    """Every free block, by order, by type, and then in list order."""
    return [
        Block(pfn, order)
        for order, lists in enumerate(zone.free_area)
        for blocks in lists.values()
        for pfn in blocks
    ]


def lists_of(zone: Zone) -> Lists:
    """The free lists as plain lists, to compare and to print."""
    return [{mt: list(blocks) for mt, blocks in lists.items()} for lists in zone.free_area]
