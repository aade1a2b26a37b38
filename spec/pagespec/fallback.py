"""Fallback: a request whose own type has nothing left takes memory of another type.

Each era weighs the same two harms: a pageblock in which types mix will not become one large block
again; but a request that breaks up a large block of its neighbours today leaves its own kind room
for tomorrow. So the largest block is taken rather than the smallest, and if enough of its pageblock
is free or alike, the whole pageblock changes hands.
Source: mm/page_alloc.c (__rmqueue_fallback, steal_suitable_fallback, find_suitable_fallback),
2.6.37, 4.10, 5.8, 5.15, 6.1 and 6.12.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from pagespec.buddy import del_from_free_list, expand, rmqueue_smallest, take
from pagespec.choices import Fallback
from pagespec.events import Event, Kind
from pagespec.frames import SIZES
from pagespec.migratetype import (
    FALLBACKS,
    HIGHATOMIC,
    MOVABLE,
    RECLAIMABLE,
    UNMOVABLE,
    MigrateType,
)
from pagespec.pageblock import (
    change_pageblock_range,
    move_free_blocks,
    move_pageblock,
    move_to_free_list,
    pageblock_order,
    pageblock_to_move,
    pageblock_type,
    set_pageblock_type,
    usage_of,
)
from pagespec.types import Order, Pfn
from pagespec.watermark.boost import boost_watermark
from pagespec.zone import Zone, account


class Found(NamedTuple):
    """A free block of another type, the first of its list."""

    pfn: Pfn
    order: Order
    mt: MigrateType


FallBack: TypeAlias = Callable[[Zone, Order, MigrateType, bool], Pfn | None]
"""How an era serves a request of an order and type from another type, or None.

The last argument is whether pageblocks of other types must not be broken up.
"""


def find_fallback(zone: Zone, orders: Iterable[Order], mt: MigrateType) -> Found | None:
    """The block that the table names at the first of the orders that has any."""
    for order in orders:
        for other in FALLBACKS[mt]:
            zone.visited += 1
            blocks = zone.free_area[order][other]
            if blocks:
                return Found(next(iter(blocks)), order, other)
    return None


def can_steal(zone: Zone, order: Order, mt: MigrateType) -> bool:
    """Whether more than the block itself may change hands.

    Memory that cannot be moved spoils a pageblock for good, so such requests gather in as few of
    them as possible; movable ones do it only for a large block.
    """
    return order >= pageblock_order(zone) // 2 or mt in (UNMOVABLE, RECLAIMABLE)


def extfrag(zone: Zone, pfn: Pfn, order: Order, mt: MigrateType, found: Found) -> None:
    """Log that the request took a block of another type."""
    owned = pageblock_type(zone, pfn) is mt
    if zone.machine.era.fallback == "take-largest":
        owned = found.mt is mt
    zone.log.append(Event(Kind.EXTFRAG, pfn, order, mt, found.order, found.mt, owned))


def claim(zone: Zone, pfn: Pfn, order: Order, mt: MigrateType, pages: int) -> bool:
    """Give the pageblock to mt if at least half of it is free or alike; return whether it was."""
    enough = pages >= SIZES[pageblock_order(zone) - 1]
    if enough:
        set_pageblock_type(zone, pfn, mt)
    zone.log.append(Event(Kind.CLAIMED if enough else Kind.MIXED, pfn, order, mt))
    return enough


def take_whole(zone: Zone, pfn: Pfn, order: Order, mt: MigrateType) -> None:
    """Give mt all pageblocks that a free block covers."""
    change_pageblock_range(zone, pfn, order, mt)
    zone.log.append(Event(Kind.TAKEN, pfn, order, mt))


def alike_pages(zone: Zone, mt: MigrateType, block_mt: MigrateType, free: int, movable: int) -> int:
    """Held frames of a pageblock that suit mt as well.

    For movable requests those that can be moved. For the others, in a movable pageblock, those that
    cannot; what other pageblocks hold may be of either kind.
    """
    if mt is MOVABLE:
        return movable
    if block_mt is MOVABLE:
        return SIZES[pageblock_order(zone)] - free - movable
    return 0


def take_largest(zone: Zone, order: Order, mt: MigrateType, nofragment: bool) -> Pfn | None:
    """2.6.37: the largest block; with it, if that is large, the free rest of its pageblock."""
    found = find_fallback(zone, range(zone.machine.top, order - 1, -1), mt)
    if found is None:
        return None
    pfn, from_order, other = found
    if from_order >= pageblock_order(zone) // 2 or mt is RECLAIMABLE:
        claim(zone, pfn, from_order, mt, move_pageblock(zone, pfn, mt))
        other = mt
    else:
        zone.log.append(Event(Kind.SINGLE, pfn, from_order, other))
    if from_order >= pageblock_order(zone):
        take_whole(zone, pfn, from_order, mt)
    take(zone, pfn, order, from_order, other)
    extfrag(zone, pfn, order, mt, Found(pfn, from_order, other))
    return pfn


def steal_largest(zone: Zone, order: Order, mt: MigrateType, nofragment: bool) -> Pfn | None:
    """4.10: the largest block, whose rest is mt's from now on; its pageblock if enough is free."""
    found = find_fallback(zone, range(zone.machine.top, order - 1, -1), mt)
    if found is None:
        return None
    pfn, from_order, _ = found
    if can_steal(zone, from_order, mt) and pageblock_type(zone, pfn) is not HIGHATOMIC:
        if from_order >= pageblock_order(zone):
            take_whole(zone, pfn, from_order, mt)
        else:
            claim(zone, pfn, from_order, mt, move_pageblock(zone, pfn, mt))
    else:
        zone.log.append(Event(Kind.SINGLE, pfn, from_order, mt))
    take(zone, pfn, order, from_order, mt)
    extfrag(zone, pfn, order, mt, found)
    return pfn


def suitable(zone: Zone, order: Order, mt: MigrateType, nofragment: bool) -> Found | None:
    """Since 5.0: the largest block; but the smallest, where only the block itself may be used.

    A movable request does no harm in somebody else's pageblock, so it leaves the large blocks to
    those that do.
    """
    top, least = zone.machine.top, order
    if nofragment:
        least = max(order, pageblock_order(zone))
    found = find_fallback(zone, range(top, least - 1, -1), mt)
    if found is not None and found.order > order and not can_steal(zone, found.order, mt):
        zone.log.append(Event(Kind.SMALLEST, found.pfn, found.order, found.mt))
        found = find_fallback(zone, range(order, top + 1), mt)
    return found


def move_then_retry(zone: Zone, order: Order, mt: MigrateType, nofragment: bool) -> Pfn | None:
    """5.8 to 6.1: move the block, or all of its pageblock's free ones, then serve from mt's own.

    They move whether or not the pageblock changes its type, so lists and types part.
    """
    found = suitable(zone, order, mt, nofragment)
    if found is None:
        return None
    pfn, from_order, _ = found
    block_mt = pageblock_type(zone, pfn)
    run = pageblock_to_move(zone, pfn)
    if from_order >= pageblock_order(zone) and block_mt is not HIGHATOMIC:
        take_whole(zone, pfn, from_order, mt)
        move_to_free_list(zone, pfn, from_order, mt)
    elif block_mt is HIGHATOMIC:
        zone.log.append(Event(Kind.SINGLE, pfn, from_order, mt))
        move_to_free_list(zone, pfn, from_order, mt)
    elif not can_steal(zone, from_order, mt) or run is None:
        boost_watermark(zone)
        zone.log.append(Event(Kind.SINGLE, pfn, from_order, mt))
        move_to_free_list(zone, pfn, from_order, mt)
    else:
        boost_watermark(zone)
        free, movable = usage_of(zone, *run)
        move_free_blocks(zone, *run, mt)
        claim(zone, pfn, from_order, mt, free + alike_pages(zone, mt, block_mt, free, movable))
    extfrag(zone, pfn, order, mt, found)
    return rmqueue_smallest(zone, order, mt)


def claim_or_single(zone: Zone, order: Order, mt: MigrateType, nofragment: bool) -> Pfn | None:
    """6.12: all free blocks of the pageblock with its type, or this one block and nothing else.

    The rest of a single block goes back to its own lists, so that lists and types agree. Whole
    pageblocks count as gone from the one type and their rest as come to the other.
    """
    found = suitable(zone, order, mt, nofragment)
    if found is None:
        return None
    pfn, from_order, block_mt = found
    run = pageblock_to_move(zone, pfn)
    got: Pfn | None = None
    if from_order >= pageblock_order(zone):
        take_whole(zone, pfn, from_order, mt)
        del_from_free_list(zone, pfn, from_order)
        account(zone, -SIZES[from_order], block_mt)
        expand(zone, pfn, order, from_order, mt)
        account(zone, SIZES[from_order] - SIZES[order], mt)
        got = pfn
    else:
        boost_watermark(zone)
    if got is None and can_steal(zone, from_order, mt) and run is not None:
        free, movable = usage_of(zone, *run)
        alike = alike_pages(zone, mt, block_mt, free, movable)
        if free + alike >= SIZES[pageblock_order(zone) - 1]:
            move_free_blocks(zone, *run, mt)
            set_pageblock_type(zone, pfn, mt)
            zone.log.append(Event(Kind.CLAIMED, pfn, from_order, mt))
            got = rmqueue_smallest(zone, order, mt)
    if got is None:
        zone.log.append(Event(Kind.SINGLE, pfn, from_order, block_mt))
        take(zone, pfn, order, from_order, block_mt)
        got = pfn
    extfrag(zone, got, order, mt, found)
    return got


FALL_BACK: dict[Fallback, FallBack] = {
    "take-largest": take_largest,
    "steal-largest": steal_largest,
    "move-then-retry": move_then_retry,
    "claim-or-single": claim_or_single,
}
