"""Fallback: a request whose own type has nothing left takes memory of another type.

The twin of the spec's `fallback`, in slots: one function for each style of the eras.
"""

from pageimpl.buddy import del_from_free_list, expand, rmqueue_smallest, take
from pageimpl.era import CLAIM_OR_SINGLE, MOVE_THEN_RETRY, STEAL_LARGEST
from pageimpl.jitcache import kernel
from pageimpl.memory import Memory, fallback_of, pageblock_order_of, top_of
from pageimpl.migratetype import (
    FIRST_FALLBACK,
    HIGHATOMIC,
    LAST_FALLBACK,
    MOVABLE,
    RECLAIMABLE,
)
from pageimpl.pageblock import (
    change_pageblock_range,
    move_free_blocks,
    move_pageblock,
    move_to_free_list,
    pageblock_to_move,
    pageblock_type,
    set_pageblock_type,
    usage_of,
)
from pageimpl.watermark.boost import boost_watermark
from pageimpl.zone import account_at_once, first_of_list


@kernel
def find_fallback(mem: Memory, start: int, beyond: int, step: int, mt: int) -> tuple[int, int, int]:
    """Slot, order and type of the block that the table names at the first order that has any.

    The slot is 0 if none has.
    """
    for order in range(start, beyond, step):
        for other in (FIRST_FALLBACK[mt], LAST_FALLBACK[mt]):
            p = first_of_list(mem, order, other)
            if p != 0:
                return p, order, other
    return 0, 0, 0


@kernel
def can_steal(mem: Memory, order: int, mt: int) -> bool:
    """Whether more than the block itself may change hands."""
    return order >= pageblock_order_of(mem) >> 1 or mt != MOVABLE


@kernel
def is_enough(mem: Memory, pages: int) -> bool:
    """Whether so many frames of a pageblock that are free or alike let it change hands: half."""
    return pages >= 1 << (pageblock_order_of(mem) - 1)


@kernel
def claim(mem: Memory, p: int, mt: int, pages: int) -> None:
    """Give the pageblock to mt if enough of it is free or alike."""
    if is_enough(mem, pages):
        set_pageblock_type(mem, p, mt)


@kernel
def alike_pages(mem: Memory, mt: int, block_mt: int, free: int, movable: int) -> int:
    """Held frames of a pageblock that suit mt as well."""
    if mt == MOVABLE:
        return movable
    if block_mt == MOVABLE:
        return (1 << pageblock_order_of(mem)) - free - movable
    return 0


@kernel
def take_largest(mem: Memory, order: int, mt: int) -> int:
    """2.6.37: the largest block; with it, if that is large, the free rest of its pageblock."""
    p, from_order, other = find_fallback(mem, top_of(mem), order - 1, -1, mt)
    if p == 0:
        return 0
    pageblock = pageblock_order_of(mem)
    if from_order >= pageblock >> 1 or mt == RECLAIMABLE:
        claim(mem, p, mt, move_pageblock(mem, p, mt))
        other = mt
    if from_order >= pageblock:
        change_pageblock_range(mem, p, from_order, mt)
    take(mem, p, order, from_order, other)
    return p


@kernel
def steal_largest(mem: Memory, order: int, mt: int) -> int:
    """4.10: the largest block, whose rest is mt's from now on; its pageblock if enough is free."""
    p, from_order, _ = find_fallback(mem, top_of(mem), order - 1, -1, mt)
    if p == 0:
        return 0
    if can_steal(mem, from_order, mt) and pageblock_type(mem, p) != HIGHATOMIC:
        if from_order >= pageblock_order_of(mem):
            change_pageblock_range(mem, p, from_order, mt)
        else:
            claim(mem, p, mt, move_pageblock(mem, p, mt))
    take(mem, p, order, from_order, mt)
    return p


@kernel
def suitable(mem: Memory, order: int, mt: int, nofragment: bool) -> tuple[int, int, int]:
    """Since 5.0: the largest block; but the smallest, where only the block itself may be used."""
    top, least = top_of(mem), order
    if nofragment:
        least = max(order, pageblock_order_of(mem))
    p, from_order, other = find_fallback(mem, top, least - 1, -1, mt)
    if p != 0 and from_order > order and not can_steal(mem, from_order, mt):
        return find_fallback(mem, order, top + 1, 1, mt)
    return p, from_order, other


@kernel
def move_then_retry(mem: Memory, order: int, mt: int, nofragment: bool) -> int:
    """5.8 to 6.1: move the block, or all of its pageblock's free ones, then serve from mt's own.

    They move whether or not the pageblock changes its type, so lists and types part.
    """
    p, from_order, _ = suitable(mem, order, mt, nofragment)
    if p == 0:
        return 0
    block_mt = pageblock_type(mem, p)
    first, end = pageblock_to_move(mem, p)
    if from_order >= pageblock_order_of(mem) and block_mt != HIGHATOMIC:
        change_pageblock_range(mem, p, from_order, mt)
        move_to_free_list(mem, p, from_order, mt)
    elif block_mt == HIGHATOMIC or not can_steal(mem, from_order, mt) or first == end:
        if block_mt != HIGHATOMIC:
            boost_watermark(mem)
        move_to_free_list(mem, p, from_order, mt)
    else:
        boost_watermark(mem)
        free, movable = usage_of(mem, first, end)
        move_free_blocks(mem, first, end, mt)
        claim(mem, p, mt, free + alike_pages(mem, mt, block_mt, free, movable))
    return rmqueue_smallest(mem, order, mt)


@kernel
def claim_or_single(mem: Memory, order: int, mt: int, nofragment: bool) -> int:
    """6.12: all free blocks of the pageblock with its type, or this one block and nothing else."""
    p, from_order, block_mt = suitable(mem, order, mt, nofragment)
    if p == 0:
        return 0
    if from_order >= pageblock_order_of(mem):
        change_pageblock_range(mem, p, from_order, mt)
        del_from_free_list(mem, p, from_order)
        account_at_once(mem, -(1 << from_order), block_mt)
        expand(mem, p, order, from_order, mt)
        account_at_once(mem, (1 << from_order) - (1 << order), mt)
        return p
    boost_watermark(mem)
    first, end = pageblock_to_move(mem, p)
    if can_steal(mem, from_order, mt) and first != end:
        free, movable = usage_of(mem, first, end)
        if is_enough(mem, free + alike_pages(mem, mt, block_mt, free, movable)):
            move_free_blocks(mem, first, end, mt)
            set_pageblock_type(mem, p, mt)
            return rmqueue_smallest(mem, order, mt)
    take(mem, p, order, from_order, block_mt)
    return p


@kernel
def fall_back(mem: Memory, order: int, mt: int, nofragment: bool) -> int:
    """Serve a request of an order and type from another type: its slot, or 0.

    nofragment: whether pageblocks of other types must not be broken up.
    """
    style = fallback_of(mem)
    if style == CLAIM_OR_SINGLE:
        return claim_or_single(mem, order, mt, nofragment)
    if style == MOVE_THEN_RETRY:
        return move_then_retry(mem, order, mt, nofragment)
    if style == STEAL_LARGEST:
        return steal_largest(mem, order, mt)
    return take_largest(mem, order, mt)
