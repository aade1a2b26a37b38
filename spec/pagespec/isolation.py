"""Isolation: pageblocks from which nothing is handed out any more, so that they can be emptied.

Their free blocks go to lists of their own, and since 4.10 out of the count of free frames. What is
held there joins them when it is freed. Undoing it gives the pageblocks a type and the blocks back.

A free block may be larger than a pageblock. Until 5.15 ranges are made of whole largest blocks, so
that none reaches over an end. Later ones isolate single pageblocks and cut what reaches over.
Whether what is held there could be moved away is the caller's concern.
Source: mm/page_isolation.c, 2.6.37 to 6.12, and mm/page_alloc.c (move_freepages_block_isolate,
split_large_buddy), 6.12.
"""

from collections.abc import Iterator

from pagespec.bounds import frame_exists
from pagespec.buddy import del_from_free_list, free_by_type, free_one_block, page_is_buddy
from pagespec.events import Event, Kind
from pagespec.frames import SIZES, buddy_of, head_of, largest_order_at
from pagespec.migratetype import ISOLATE, MigrateType
from pagespec.pageblock import move_pageblock, pageblock_order, pageblock_type, set_pageblock_type
from pagespec.types import Block, Order, Pfn
from pagespec.zone import Zone, account


def large_block_at(zone: Zone, pfn: Pfn) -> Block | None:
    """The free block that covers the frame, if there is one."""
    for order in range(zone.machine.top + 1):
        zone.visited += 1
        head = head_of(pfn, order)
        if zone.tag.get(head, -1) >= order:
            return Block(head, zone.tag[head])
    return None


def isolate_pageblock(zone: Zone, pfn: Pfn) -> None:
    """Isolate the pageblock that starts at the frame, under the zone's lock."""
    if zone.machine.era.isolation == "split-large":
        retype_alone(zone, pfn, ISOLATE)
    else:
        was = pageblock_type(zone, pfn)
        set_pageblock_type(zone, pfn, ISOLATE)
        moved = move_pageblock(zone, pfn, ISOLATE)
        if zone.machine.era.isolation != "move":
            account(zone, -moved, was)
    zone.log.append(Event(Kind.ISOLATED, pfn, pageblock_order(zone)))


def restore_pageblock(zone: Zone, pfn: Pfn, mt: MigrateType) -> None:
    """Give the isolated pageblock that starts at the frame the type mt, under the zone's lock.

    A block that the barrier kept from merging with its neighbour is freed anew, so that it merges.
    """
    isolation = zone.machine.era.isolation
    order = merges_anew(zone, pfn)
    if order is not None:
        del_from_free_list(zone, pfn, order)
        set_pageblock_type(zone, pfn, mt)
        zone.log.append(Event(Kind.REMERGED, pfn, order, mt))
        to_tail = zone.machine.era.moved_to_tail
        free_one_block(zone, pfn, order, mt, to_tail=to_tail)
    elif isolation == "split-large":
        retype_alone(zone, pfn, mt)
    else:
        moved = move_pageblock(zone, pfn, mt)
        set_pageblock_type(zone, pfn, mt)
        if isolation != "move":
            account(zone, moved, mt)
    zone.log.append(Event(Kind.RESTORED, pfn, pageblock_order(zone), mt))


def merges_anew(zone: Zone, pfn: Pfn) -> Order | None:
    """The order of the free block at the start of an isolated pageblock, if it is to be freed anew.

    Its buddy must exist and not be isolated; since 6.1 it must also be free, in one piece.
    """
    machine = zone.machine
    order = zone.tag.get(pfn)
    if machine.era.isolation == "move" or order is None:
        return None
    if not pageblock_order(zone) <= order < machine.top:
        return None
    buddy = buddy_of(pfn, order)
    if not frame_exists(machine, buddy) or pageblock_type(zone, buddy) is ISOLATE:
        return None
    if machine.era.isolates_pageblocks and not page_is_buddy(zone, buddy, order):
        return None
    return order


def retype_alone(zone: Zone, pfn: Pfn, mt: MigrateType) -> None:
    """Give the pageblock another type and its free blocks with it, and leave its neighbours alone.

    A free block that covers more is freed pageblock by pageblock, each to its own type.
    """
    block = large_block_at(zone, pfn)
    if block is not None and block.order > pageblock_order(zone):
        account(zone, -SIZES[block.order], del_from_free_list(zone, *block))
        set_pageblock_type(zone, pfn, mt)
        zone.log.append(Event(Kind.CUT, block.pfn, block.order, mt))
        free_by_type(zone, *block)
    else:
        move_pageblock(zone, pfn, mt)
        set_pageblock_type(zone, pfn, mt)


def cut_at(zone: Zone, edge: Pfn) -> None:
    """Cut the free block that reaches over the edge of a range, under the zone's lock.

    The two sides are freed to the types of their own pageblocks, which by now differ.
    """
    block = large_block_at(zone, edge) if frame_exists(zone.machine, edge) else None
    if block is None or block.pfn == edge:
        return
    account(zone, -SIZES[block.order], del_from_free_list(zone, *block))
    zone.log.append(Event(Kind.CUT, block.pfn, block.order, ISOLATE))
    for head, order in pieces_of(block, edge):
        free_one_block(zone, head, order, pageblock_type(zone, head))


def pieces_of(block: Block, edge: Pfn) -> Iterator[Block]:
    """The aligned pieces of a block below the edge and then above it, lowest first.

    >>> [tuple(piece) for piece in pieces_of(Block(8, 3), 12)]
    [(8, 2), (12, 2)]
    """
    pfn, end = block.pfn, block.pfn + SIZES[block.order]
    while pfn < end:
        order = largest_order_at(pfn, (edge if pfn < edge else end) - pfn, block.order)
        yield Block(pfn, order)
        pfn += SIZES[order]
