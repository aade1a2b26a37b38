"""Pageblocks: runs of frames that share a migratetype, and moves of their free blocks.

The twin of the spec's `pageblock`, in slots. A machine without pageblocks has one that holds every
slot, and nothing here but its type is ever asked of it.
"""

from pageimpl.bounds import frame_exists
from pageimpl.frames import head_of
from pageimpl.jitcache import kernel
from pageimpl.memory import (
    BUDDY,
    GUARD,
    HELD,
    ORDER_BITS,
    TYPE_BITS,
    TYPE_SHIFT,
    Memory,
    end_of,
    first_of,
    moved_to_tail_of,
    nr_isolated_of,
    owner_of,
    pageblock_order_of,
    retypes_on_merge_of,
    set_nr_isolated,
    set_type,
    tag_of,
    top_of,
    type_of,
)
from pageimpl.migratetype import ISOLATE, MOVABLE
from pageimpl.zone import account_at_once, list_add, list_del


@kernel
def has_pageblocks(mem: Memory) -> bool:
    """Whether the machine has pageblocks, none of which is larger than the largest block."""
    return pageblock_order_of(mem) <= top_of(mem)


@kernel
def pageblock_type(mem: Memory, p: int) -> int:
    """The type of the slot's pageblock: UNMOVABLE throughout a machine without pageblocks."""
    return type_of(mem, head_of(p, pageblock_order_of(mem)))


@kernel
def set_pageblock_type(mem: Memory, p: int, mt: int) -> None:
    """Give the slot's pageblock another type; its free blocks stay where they are."""
    head = head_of(p, pageblock_order_of(mem))
    was = type_of(mem, head)
    if mt == ISOLATE or was == ISOLATE:
        set_nr_isolated(mem, nr_isolated_of(mem) + (mt == ISOLATE) - (was == ISOLATE))
    set_type(mem, head, mt)


@kernel
def change_pageblock_range(mem: Memory, p: int, order: int, mt: int) -> None:
    """Give every pageblock of a block that covers whole ones another type."""
    for head in range(p, p + (1 << order), 1 << pageblock_order_of(mem)):
        set_pageblock_type(mem, head, mt)


@kernel
def free_order_at(mem: Memory, p: int) -> int:
    """The order of the free block that the slot heads, or -1."""
    if not frame_exists(mem, p):
        return -1
    tag = tag_of(mem, p)
    return tag & ORDER_BITS if tag & (BUDDY | GUARD) == BUDDY else -1


@kernel
def move_to_free_list(mem: Memory, p: int, order: int, mt: int) -> None:
    """Move a free block to its order's list of another type, or to the end of its own."""
    list_del(mem, p, order)
    list_add(mem, p, order, mt, moved_to_tail_of(mem) != 0)


@kernel
def pageblock_to_move(mem: Memory, p: int) -> tuple[int, int]:
    """The run [first, end) of slots whose free blocks move along with this one; empty if none may.

    Where a pageblock reaches over the zone's end nothing moves. Where it reaches over the start,
    6.12 moves nothing either, and the earlier ones what lies from the slot up.
    """
    first = head_of(p, pageblock_order_of(mem))
    end = first + (1 << pageblock_order_of(mem))
    if end > end_of(mem):
        return p, p
    if first < first_of(mem):
        return (p, p) if retypes_on_merge_of(mem) else (p, end)
    return first, end


@kernel
def move_free_blocks(mem: Memory, first: int, end: int, mt: int) -> int:
    """Move every free block that starts in the run, lowest first; return how many frames moved.

    Where the counts by type change along with the lists (6.12), the list's type is its pageblock's.
    """
    moved = 0
    p = first
    while p < end:
        order = free_order_at(mem, p)
        if order < 0:
            p += 1
            continue
        if retypes_on_merge_of(mem):
            account_at_once(mem, -(1 << order), pageblock_type(mem, p))
            account_at_once(mem, 1 << order, mt)
        move_to_free_list(mem, p, order, mt)
        moved += 1 << order
        p += 1 << order
    return moved


@kernel
def move_pageblock(mem: Memory, p: int, mt: int) -> int:
    """Move the free blocks of the slot's pageblock; return how many frames, 0 if none may."""
    first, end = pageblock_to_move(mem, p)
    return move_free_blocks(mem, first, end, mt)


@kernel
def usage_of(mem: Memory, first: int, end: int) -> tuple[int, int]:
    """Count how many frames of a run are free, and how many are held and could be moved."""
    free = movable = 0
    p = first
    while p < end:
        pages = 1
        order = free_order_at(mem, p)
        owner = owner_of(mem, p)
        if order >= 0:
            pages = 1 << order
            free += pages
        elif owner >= HELD:
            pages = 1 << (owner & ORDER_BITS)
            if owner & TYPE_BITS == MOVABLE << TYPE_SHIFT:
                movable += pages
        p += pages
    return free, movable
