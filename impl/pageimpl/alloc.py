"""The operations on blocks: allocate, free, take and drop a reference, split into pages.

The twin of the spec's `alloc`. Every operation returns what the spec's would: a first frame, 0,
NO_MEMORY, or the code of a Refusal, upon which nothing has changed.
"""

from pageimpl import bitmap, buddy
from pageimpl.checks import BAD_ORDER, BAD_TYPE, IS_COMPOUND, WRONG_ORDER, held_block
from pageimpl.era import BITMAP_DESIGN, NO_RESERVE
from pageimpl.highatomic import reserve_pageblock
from pageimpl.jitcache import inlined, kernel
from pageimpl.memory import (
    COMPOUND,
    GIVEN,
    HELD,
    ORDER_BITS,
    TYPE_BITS,
    TYPE_SHIFT,
    Memory,
    design_of,
    owner_of,
    refs_of,
    reserve_of,
    set_owner,
    set_refs,
    shift_of,
    top_of,
)
from pageimpl.migratetype import MOST_REQUESTED, UNMOVABLE
from pageimpl.pageblock import has_pageblocks
from pageimpl.rmqueue import rmqueue
from pageimpl.verbs import ATOMIC, COMPOUND_WANTED, WANTED_SHIFT
from pagespec.types import NO_MEMORY


@kernel
def alloc_pages(mem: Memory, order: int, want: int) -> int:
    """Allocate a block of that order: its first frame, NO_MEMORY, or a refusal's code."""
    if order < 0 or order > top_of(mem):
        return BAD_ORDER
    mt = want >> WANTED_SHIFT
    if mt > MOST_REQUESTED:
        return BAD_TYPE
    if design_of(mem) == BITMAP_DESIGN:
        p = bitmap.rmqueue(mem, order)
    else:
        p = rmqueue(mem, order, want)
    if p == 0:
        return NO_MEMORY
    if not has_pageblocks(mem):
        mt = UNMOVABLE
    elif want & ATOMIC and order > 0 and reserve_of(mem) != NO_RESERVE:
        reserve_pageblock(mem, p, order)
    compound = COMPOUND if want & COMPOUND_WANTED else 0
    set_owner(mem, p, HELD | order | mt << TYPE_SHIFT | compound)
    set_refs(mem, p, 1)
    return p - shift_of(mem)


@inlined
def give_back(mem: Memory, p: int, order: int, to_tail: bool) -> None:
    """Return a block that nobody holds any more to the buddy."""
    if design_of(mem) == BITMAP_DESIGN:
        bitmap.free_one_block(mem, p, order, to_tail)
    else:
        buddy.free_by_type(mem, p, order, to_tail)


@kernel
def drop_reference(mem: Memory, p: int) -> bool:
    """Drop one reference; whether it was the last, which ends the holding."""
    refs = refs_of(mem, p) - 1
    set_refs(mem, p, refs)
    if refs != 0:
        return False
    set_owner(mem, p, GIVEN)
    return True


@kernel
def free_pages(mem: Memory, pfn: int, order: int) -> int:
    """Drop the owner's reference to the block: 0, or a refusal's code.

    Whether the block is compound is read while the reference is still held. If others hold the
    first frame of a block that is not, the rest is freed at once, from the upper half down.
    """
    if order < 0 or order > top_of(mem):
        return BAD_ORDER
    p = held_block(mem, pfn, order)
    if p < 0:
        return p
    owner = owner_of(mem, p)
    if owner & ORDER_BITS != order:
        return WRONG_ORDER
    if drop_reference(mem, p):
        give_back(mem, p, order, False)
    elif owner & COMPOUND == 0 and order > 0:
        set_owner(mem, p, owner & ~ORDER_BITS)
        piece = order - 1
        while piece >= 0:
            tail = p + (1 << piece)
            set_owner(mem, tail, GIVEN)
            give_back(mem, tail, piece, False)
            piece -= 1
    return 0


@kernel
def get_page(mem: Memory, pfn: int) -> int:
    """Take one more reference to the block that the frame heads: 0, or a refusal's code."""
    p = held_block(mem, pfn, 0)
    if p < 0:
        return p
    set_refs(mem, p, refs_of(mem, p) + 1)
    return 0


@kernel
def put_page(mem: Memory, pfn: int) -> int:
    """Drop a reference without knowing the block's order: 0, or a refusal's code.

    Only a compound block knows its own order; the last reference of any other block above order 0
    is its owner's.
    """
    p = held_block(mem, pfn, 0)
    if p < 0:
        return p
    owner = owner_of(mem, p)
    order = owner & ORDER_BITS if owner & COMPOUND else 0
    if refs_of(mem, p) == 1 and order != owner & ORDER_BITS:
        return WRONG_ORDER
    if drop_reference(mem, p):
        give_back(mem, p, order, False)
    return 0


@kernel
def hold_page(mem: Memory, p: int, mt: int) -> None:
    """Make the frame a block of its own, with one reference."""
    set_owner(mem, p, HELD | mt << TYPE_SHIFT)
    set_refs(mem, p, 1)


@kernel
def split_page(mem: Memory, pfn: int, order: int) -> int:
    """Make each frame of a held block a block of its own: 0, or a refusal's code.

    The first frame keeps the references that the block had.
    """
    if order < 0 or order > top_of(mem):
        return BAD_ORDER
    p = held_block(mem, pfn, order)
    if p < 0:
        return p
    owner = owner_of(mem, p)
    if owner & ORDER_BITS != order:
        return WRONG_ORDER
    if owner & COMPOUND:
        return IS_COMPOUND
    set_owner(mem, p, owner & ~ORDER_BITS)
    for page in range(p + 1, p + (1 << order)):
        hold_page(mem, page, (owner & TYPE_BITS) >> TYPE_SHIFT)
    return 0
