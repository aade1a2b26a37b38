"""Pageblocks: runs of frames that share a migratetype, and moves of their free blocks.

A pageblock's type is a hint for the future: a block that is freed goes to the list of its
pageblock's type. When the type changes, the blocks that are free already are moved.
Source: mm/page_alloc.c (move_freepages_block, change_pageblock_range), 2.6.37 to 6.12.
"""

from typing import NamedTuple

from pagespec.events import Event, Kind
from pagespec.frames import SIZES, head_of
from pagespec.migratetype import MOVABLE, UNMOVABLE, MigrateType
from pagespec.types import Order, Pfn
from pagespec.zone import Zone, account, list_add, list_del, list_of


def pageblock_order(zone: Zone) -> Order:
    """The order of the machine's pageblocks; asked only where there are any."""
    order = zone.machine.pageblock
    assert order is not None, "only machines with pageblocks reach here"
    return order


def pageblock_type(zone: Zone, pfn: Pfn) -> MigrateType:
    """The type of the frame's pageblock: UNMOVABLE throughout a machine without pageblocks."""
    machine = zone.machine
    return (
        UNMOVABLE if machine.pageblock is None else zone.pageblocks[machine.pageblock_number(pfn)]
    )


def set_pageblock_type(zone: Zone, pfn: Pfn, mt: MigrateType) -> None:
    """Give the frame's pageblock another type; its free blocks stay where they are."""
    zone.pageblocks[zone.machine.pageblock_number(pfn)] = mt


def change_pageblock_range(zone: Zone, pfn: Pfn, order: Order, mt: MigrateType) -> None:
    """Give every pageblock of a block that covers whole ones another type."""
    size = SIZES[pageblock_order(zone)]
    for head in range(pfn, pfn + SIZES[order], size):
        zone.visited += 1
        set_pageblock_type(zone, head, mt)


def move_to_free_list(zone: Zone, pfn: Pfn, order: Order, mt: MigrateType) -> None:
    """Move a free block to its order's list of another type, or to the end of its own."""
    list_del(zone, pfn, order, list_of(zone, pfn, order))
    zone.log.append(Event(Kind.MOVED, pfn, order, mt))
    list_add(zone, pfn, order, mt, to_tail=zone.machine.era.moved_to_tail)


def pageblock_to_move(zone: Zone, pfn: Pfn) -> tuple[Pfn, Pfn] | None:
    """The run [first, end) of frames whose free blocks move along with the frame's, if any may.

    Where a pageblock reaches over the zone's end nothing moves. Where it reaches over the start,
    6.12 moves nothing either, and the earlier ones what lies from the frame up.
    """
    machine = zone.machine
    first = head_of(pfn, pageblock_order(zone))
    end = first + SIZES[pageblock_order(zone)]
    if end > machine.end or (first < machine.start and machine.era.retypes_on_merge):
        return None
    return (pfn if first < machine.start else first), end


def move_free_blocks(zone: Zone, first: Pfn, end: Pfn, mt: MigrateType) -> int:
    """Move every free block that starts in the run, lowest first; return how many frames moved.

    Since lists and types agree (6.12), the counts by type change along with the lists.
    """
    moved = 0
    pfn = first
    while pfn < end:
        zone.visited += 1
        order = zone.tag.get(pfn)
        if order is None:
            pfn += 1
            continue
        if zone.machine.era.retypes_on_merge:
            account(zone, -SIZES[order], list_of(zone, pfn, order))
            account(zone, SIZES[order], mt)
        move_to_free_list(zone, pfn, order, mt)
        moved += SIZES[order]
        pfn += SIZES[order]
    return moved


def move_pageblock(zone: Zone, pfn: Pfn, mt: MigrateType) -> int:
    """Move the free blocks of the frame's pageblock; return how many frames, 0 if none may."""
    run = pageblock_to_move(zone, pfn)
    return 0 if run is None else move_free_blocks(zone, *run, mt)


class Usage(NamedTuple):
    """How many frames of a run are free, and how many are held and could be moved."""

    free: int
    movable: int


def usage_of(zone: Zone, first: Pfn, end: Pfn) -> Usage:
    """Count the free and the movable frames of a run."""
    free = movable = 0
    pfn = first
    while pfn < end:
        zone.visited += 1
        pages = 1
        if pfn in zone.tag:
            pages = SIZES[zone.tag[pfn]]
            free += pages
        elif pfn in zone.held:
            held = zone.held[pfn]
            pages = SIZES[held.order]
            movable += pages if held.mt is MOVABLE else 0
        pfn += pages
    return Usage(free, movable)
