"""Isolation: pageblocks from which nothing is handed out any more, so that they can be emptied.

The twin of the spec's `isolation`, in slots.
"""

from pageimpl.bounds import frame_exists
from pageimpl.buddy import del_from_free_list, free_by_type, free_one_block, page_is_buddy
from pageimpl.era import ISOLATE_BY_MOVE, ISOLATE_SPLIT_ENDS, ISOLATE_SPLIT_LARGE
from pageimpl.frames import buddy_of, head_of, largest_order_at
from pageimpl.jitcache import kernel
from pageimpl.memory import (
    Memory,
    isolation_of,
    moved_to_tail_of,
    pageblock_order_of,
    top_of,
)
from pageimpl.migratetype import ISOLATE
from pageimpl.pageblock import (
    free_order_at,
    move_pageblock,
    pageblock_type,
    set_pageblock_type,
)
from pageimpl.zone import account_at_once


@kernel
def large_block_at(mem: Memory, p: int) -> int:
    """The slot of the free block that covers the frame, or 0."""
    for order in range(top_of(mem) + 1):
        head = head_of(p, order)
        if free_order_at(mem, head) >= order:
            return head
    return 0


@kernel
def isolate_pageblock(mem: Memory, p: int) -> None:
    """Isolate the pageblock that starts at the slot."""
    if isolation_of(mem) == ISOLATE_SPLIT_LARGE:
        retype_alone(mem, p, ISOLATE)
        return
    was = pageblock_type(mem, p)
    set_pageblock_type(mem, p, ISOLATE)
    moved = move_pageblock(mem, p, ISOLATE)
    if isolation_of(mem) != ISOLATE_BY_MOVE:
        account_at_once(mem, -moved, was)


@kernel
def restore_pageblock(mem: Memory, p: int, mt: int) -> None:
    """Give the isolated pageblock that starts at the slot the type mt.

    A block that the barrier kept from merging with its neighbour is freed anew, so that it merges.
    """
    order = merges_anew(mem, p)
    if order >= 0:
        del_from_free_list(mem, p, order)
        set_pageblock_type(mem, p, mt)
        free_one_block(mem, p, order, mt, moved_to_tail_of(mem) != 0)
    elif isolation_of(mem) == ISOLATE_SPLIT_LARGE:
        retype_alone(mem, p, mt)
    else:
        moved = move_pageblock(mem, p, mt)
        set_pageblock_type(mem, p, mt)
        if isolation_of(mem) != ISOLATE_BY_MOVE:
            account_at_once(mem, moved, mt)


@kernel
def merges_anew(mem: Memory, p: int) -> int:
    """The order of the free block at the start of an isolated pageblock that is to be freed anew.

    Or -1. Its buddy must exist and not be isolated; since 6.1 it must also be free, in one piece.
    """
    order = free_order_at(mem, p)
    if isolation_of(mem) == ISOLATE_BY_MOVE or not pageblock_order_of(mem) <= order < top_of(mem):
        return -1
    buddy = buddy_of(p, order)
    if not frame_exists(mem, buddy) or pageblock_type(mem, buddy) == ISOLATE:
        return -1
    if isolation_of(mem) >= ISOLATE_SPLIT_ENDS and not page_is_buddy(mem, buddy, order):
        return -1
    return order


@kernel
def retype_alone(mem: Memory, p: int, mt: int) -> None:
    """Give the pageblock another type and its free blocks with it, and leave its neighbours alone.

    A free block that covers more is freed pageblock by pageblock, each to its own type.
    """
    head = large_block_at(mem, p)
    order = free_order_at(mem, head) if head != 0 else -1
    if order > pageblock_order_of(mem):
        del_from_free_list(mem, head, order)
        account_at_once(mem, -(1 << order), pageblock_type(mem, head))
        set_pageblock_type(mem, p, mt)
        free_by_type(mem, head, order, False)
    else:
        move_pageblock(mem, p, mt)
        set_pageblock_type(mem, p, mt)


@kernel
def cut_at(mem: Memory, edge: int) -> None:
    """Cut the free block that reaches over the edge of a range.

    The two sides are freed to the types of their own pageblocks, which by now differ. The block is
    on the list of its first pageblock's type, as far as the counts by type can tell.
    """
    head = large_block_at(mem, edge) if frame_exists(mem, edge) else 0
    if head == 0 or head == edge:
        return
    order = free_order_at(mem, head)
    del_from_free_list(mem, head, order)
    account_at_once(mem, -(1 << order), pageblock_type(mem, head))
    p, end = head, head + (1 << order)
    while p < end:
        piece = largest_order_at(p, (edge if p < edge else end) - p, order)
        free_one_block(mem, p, piece, pageblock_type(mem, p), False)
        p += 1 << piece
