"""The pair-bitmap buddy of 2.6.8: one bit for each pair of siblings below the top order.

The twin of the spec's `bitmap`, in slots. The merge decision reads nothing but the bit, so a frame
that does not exist is never looked at.
"""

from pageimpl.frames import buddy_of, parent_of
from pageimpl.jitcache import kernel
from pageimpl.memory import (
    Memory,
    byte_at,
    free_pages_of,
    map_of,
    origin_of,
    set_byte,
    set_free_pages,
    span_of,
    top_of,
)
from pageimpl.migratetype import UNMOVABLE
from pageimpl.zone import first_of_list, list_add, list_del


@kernel
def pair_of(index: int, order: int) -> int:
    """The number of the pair to which the block at the index belongs."""
    return index >> (1 + order)


@kernel
def toggle_pair(mem: Memory, p: int, order: int) -> bool:
    """Toggle the bit of the block's pair; return whether it was set before.

    The maps of all orders lie one after the other: those below an order take half the span's
    frames in bits, a quarter, and so on. The top order has no map.
    """
    if order == top_of(mem):
        return False
    span = span_of(mem)
    bit = span - (span >> order) + pair_of(p - origin_of(mem), order)
    at = map_of(mem) + (bit >> 3)
    mask = 1 << (bit & 7)
    before = byte_at(mem, at)
    set_byte(mem, at, before ^ mask)
    return before & mask != 0


@kernel
def expand(mem: Memory, p: int, low: int, high: int) -> None:
    """Give back the upper half of the block, of what is left, and so on down to order low."""
    while high > low:
        high -= 1
        list_add(mem, p + (1 << high), high, UNMOVABLE, False)
        toggle_pair(mem, p + (1 << high), high)


@kernel
def rmqueue(mem: Memory, order: int) -> int:
    """Take a block of that order: its slot, or 0 if no free block is large enough."""
    for current in range(order, top_of(mem) + 1):
        p = first_of_list(mem, current, UNMOVABLE)
        if p != 0:
            list_del(mem, p, current)
            toggle_pair(mem, p, current)
            set_free_pages(mem, free_pages_of(mem) - (1 << order))
            expand(mem, p, order, current)
            return p
    return 0


@kernel
def free_one_block(mem: Memory, p: int, order: int, to_tail: bool) -> None:
    """Free the block and merge it upward as long as its pair's bit was set."""
    set_free_pages(mem, free_pages_of(mem) + (1 << order))
    while toggle_pair(mem, p, order):
        list_del(mem, buddy_of(p, order), order)
        p = parent_of(p, order)
        order += 1
    list_add(mem, p, order, UNMOVABLE, to_tail)
