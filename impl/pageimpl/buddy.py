"""The order-tag buddy: the order of a free block is written in its first frame's record.

The twin of the spec's `buddy`, in slots. A tag may be believed only after it is known that the
frame exists: what lies outside looks like a free block.
"""

from pageimpl.bounds import frame_exists
from pageimpl.era import (
    ISOLATE_BARRIER,
    PLACE_HEAD,
    PLACE_LIKELY_2_6_39,
    UNMERGEABLE_BARRIER,
)
from pageimpl.frames import buddy_of, parent_of
from pageimpl.jitcache import inlined, kernel
from pageimpl.memory import (
    BUDDY,
    GUARD,
    Memory,
    barrier_of,
    guard_of,
    pageblock_order_of,
    placement_of,
    retypes_on_merge_of,
    set_tag,
    tag_of,
    top_of,
)
from pageimpl.migratetype import ISOLATE, MOST_REQUESTED
from pageimpl.pageblock import pageblock_type, set_pageblock_type
from pageimpl.zone import account, account_at_once, first_of_list, list_add, list_del


@kernel
def page_is_buddy(mem: Memory, p: int, order: int) -> bool:
    """Whether the frame heads a free block, or a guard, of exactly that order."""
    return tag_of(mem, p) & ~GUARD == BUDDY | order


@kernel
def add_to_free_list(mem: Memory, p: int, order: int, mt: int, to_tail: bool) -> None:
    """List the block and write its order into its first frame's record."""
    list_add(mem, p, order, mt, to_tail)
    set_tag(mem, p, BUDDY | order)


@kernel
def del_from_free_list(mem: Memory, p: int, order: int) -> None:
    """Unlist the block and clear its tag."""
    list_del(mem, p, order)
    set_tag(mem, p, 0)


@kernel
def add_half(mem: Memory, p: int, order: int, mt: int) -> None:
    """Put back a half that a split leaves: as a guard if it is small enough, else at the head."""
    if order < guard_of(mem):
        set_tag(mem, p, GUARD | BUDDY | order)
        account_at_once(mem, -(1 << order), mt)
    else:
        add_to_free_list(mem, p, order, mt, False)


@inlined
def expand(mem: Memory, p: int, low: int, high: int, mt: int) -> None:
    """Give back the upper half of the block, of what is left, and so on down to order low.

    What is large enough to be no guard comes first, in a loop that calls nothing.
    """
    least = max(low, guard_of(mem))
    while high > least:
        high -= 1
        add_to_free_list(mem, p + (1 << high), high, mt, False)
    while high > low:
        high -= 1
        add_half(mem, p + (1 << high), high, mt)


@inlined
def take(mem: Memory, p: int, order: int, from_order: int, mt: int) -> None:
    """Take the block off its list, keep its lowest part, and put the rest on the lists of mt."""
    del_from_free_list(mem, p, from_order)
    expand(mem, p, order, from_order, mt)
    account(mem, -(1 << order), mt, False)


@inlined
def rmqueue_smallest(mem: Memory, order: int, mt: int) -> int:
    """Take a block of that order from the lists of one type: its slot, or 0 if none is enough."""
    for current in range(order, top_of(mem) + 1):
        p = first_of_list(mem, current, mt)
        if p != 0:
            take(mem, p, order, current, mt)
            return p
    return 0


@kernel
def types_part(mem: Memory, mt: int, other: int) -> bool:
    """Whether the era keeps free buddies of these two pageblock types apart."""
    if mt == other:
        return False
    if barrier_of(mem) == ISOLATE_BARRIER:
        return mt == ISOLATE or other == ISOLATE
    return barrier_of(mem) == UNMERGEABLE_BARRIER and (
        mt > MOST_REQUESTED or other > MOST_REQUESTED
    )


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


@inlined
def free_one_block(mem: Memory, p: int, order: int, mt: int, to_tail: bool) -> None:
    """Free the block to the lists of mt and merge it upward as long as its buddy is free too."""
    top = top_of(mem)
    account(mem, 1 << order, mt, False)
    while order < top:
        buddy = buddy_of(p, order)
        if not frame_exists(mem, buddy) or not page_is_buddy(mem, buddy, order):
            break
        if order >= pageblock_order_of(mem):
            other = pageblock_type(mem, buddy)
            if types_part(mem, mt, other):
                break
            if retypes_on_merge_of(mem):
                set_pageblock_type(mem, buddy, mt)
        if tag_of(mem, buddy) & GUARD:
            set_tag(mem, buddy, 0)
            account_at_once(mem, 1 << order, mt)
        else:
            del_from_free_list(mem, buddy, order)
        p = parent_of(p, order)
        order += 1
    if not to_tail and placement_of(mem) != PLACE_HEAD:
        to_tail = buddy_merge_likely(mem, p, order)
    add_to_free_list(mem, p, order, mt, to_tail)


@inlined
def free_by_type(mem: Memory, p: int, order: int, to_tail: bool) -> None:
    """Free the block to the lists of its pageblock's type.

    Where lists and types agree (6.12), a block that is larger than a pageblock is freed pageblock
    by pageblock, each to its own type.
    """
    if order > pageblock_order_of(mem) and retypes_on_merge_of(mem):
        free_by_pageblock(mem, p, order, to_tail)
    else:
        free_one_block(mem, p, order, pageblock_type(mem, p), to_tail)


@kernel
def free_by_pageblock(mem: Memory, p: int, order: int, to_tail: bool) -> None:
    """Free a block that is larger than a pageblock, each pageblock to the lists of its own type."""
    piece = pageblock_order_of(mem)
    for head in range(p, p + (1 << order), 1 << piece):
        free_one_block(mem, head, piece, pageblock_type(mem, head), to_tail)
