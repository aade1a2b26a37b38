"""The order-tag buddy: the order of a free block is written in its first frame's record.

The twin of the spec's `buddy`, in slots. A tag may be believed only after it is known that the
frame exists: what lies outside looks like a free block.
"""

from pageimpl.bounds import frame_exists
from pageimpl.frames import buddy_of, parent_of
from pageimpl.jitcache import kernel
from pageimpl.memory import (
    BUDDY,
    PLACE_HEAD,
    PLACE_LIKELY_2_6_39,
    Memory,
    free_pages_of,
    next_of,
    placement_of,
    set_free_pages,
    set_tag,
    tag_of,
    top_of,
)
from pageimpl.zone import list_add, list_del


@kernel
def page_is_buddy(mem: Memory, p: int, order: int) -> bool:
    """Whether the frame heads a free block of exactly that order."""
    return tag_of(mem, p) == BUDDY | order


@kernel
def add_to_free_list(mem: Memory, p: int, order: int, to_tail: bool) -> None:
    """List the block and write its order into its first frame's record."""
    list_add(mem, p, order, to_tail)
    set_tag(mem, p, BUDDY | order)


@kernel
def del_from_free_list(mem: Memory, p: int, order: int) -> None:
    """Unlist the block and clear its tag."""
    list_del(mem, p, order)
    set_tag(mem, p, 0)


@kernel
def expand(mem: Memory, p: int, low: int, high: int) -> None:
    """Give back the upper half of the block, of what is left, and so on down to order low."""
    while high > low:
        high -= 1
        add_to_free_list(mem, p + (1 << high), high, False)


@kernel
def rmqueue(mem: Memory, order: int) -> int:
    """Take a block of that order: its slot, or 0 if no free block is large enough."""
    for current in range(order, top_of(mem) + 1):
        p = next_of(mem, current)
        if p != current:
            del_from_free_list(mem, p, current)
            set_free_pages(mem, free_pages_of(mem) - (1 << order))
            expand(mem, p, order, current)
            return p
    return 0


@kernel
def buddy_merge_likely(mem: Memory, p: int, order: int) -> bool:
    """Whether the block would merge twice as soon as its buddy is freed."""
    if order >= top_of(mem) - 1:
        return False
    parent = parent_of(p, order)
    if placement_of(mem) == PLACE_LIKELY_2_6_39 and p != parent:
        return False
    parents_buddy = buddy_of(parent, order + 1)
    return frame_exists(mem, parents_buddy) and page_is_buddy(mem, parents_buddy, order + 1)


@kernel
def free_one_block(mem: Memory, p: int, order: int, to_tail: bool) -> None:
    """Free the block and merge it upward as long as its buddy is free too."""
    top = top_of(mem)
    set_free_pages(mem, free_pages_of(mem) + (1 << order))
    while order < top:
        buddy = buddy_of(p, order)
        if not frame_exists(mem, buddy) or not page_is_buddy(mem, buddy, order):
            break
        del_from_free_list(mem, buddy, order)
        p = parent_of(p, order)
        order += 1
    if not to_tail and placement_of(mem) != PLACE_HEAD:
        to_tail = buddy_merge_likely(mem, p, order)
    add_to_free_list(mem, p, order, to_tail)
