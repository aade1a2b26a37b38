"""The operations that a caller has: allocate, free, take and drop a reference.

The twin of the spec's `alloc`. Every operation returns what the spec's would: a first frame, 0,
NO_MEMORY, or the code of a Refusal, upon which nothing has changed. One owner byte a frame is
enough to tell legal frees from all others, so the check is always on.
"""

from pageimpl import bitmap, buddy
from pageimpl.frames import head_of, is_aligned
from pageimpl.jitcache import kernel
from pageimpl.memory import (
    BITMAP_DESIGN,
    COMPOUND,
    GIVEN,
    HELD,
    HOLE,
    ORDER_BITS,
    Memory,
    design_of,
    end_of,
    first_of,
    owner_of,
    refs_of,
    set_owner,
    set_refs,
    shift_of,
    top_of,
)
from pagespec.types import NO_MEMORY, Refusal

BAD_ORDER = Refusal.BAD_ORDER.value
OUTSIDE = Refusal.OUTSIDE.value
MISALIGNED = Refusal.MISALIGNED.value
IN_HOLE = Refusal.HOLE.value
WRONG_ORDER = Refusal.WRONG_ORDER.value
INTERIOR = Refusal.INTERIOR.value
DOUBLE = Refusal.DOUBLE.value
NEVER_GIVEN = Refusal.NEVER_GIVEN.value


@kernel
def inside_held_block(mem: Memory, p: int) -> bool:
    """Whether a held block that starts below the frame covers it."""
    for order in range(1, top_of(mem) + 1):
        head = head_of(p, order)
        if head < first_of(mem):
            return False
        owner = owner_of(mem, head)
        if owner >= HELD and owner & ORDER_BITS >= order:
            return True
    return False


@kernel
def held_block(mem: Memory, pfn: int, order: int) -> int:
    """The slot of the held block that the frame heads, or the code of why there is none.

    The most outward reason is named first: bounds, alignment, holes, then ownership.
    """
    p = pfn + shift_of(mem)
    if p < first_of(mem) or p + (1 << order) > end_of(mem):
        return OUTSIDE
    if not is_aligned(p, order):
        return MISALIGNED
    owner = owner_of(mem, p)
    if owner >= HELD:
        return p
    if owner == HOLE:
        return IN_HOLE
    if inside_held_block(mem, p):
        return INTERIOR
    return DOUBLE if owner == GIVEN else NEVER_GIVEN


@kernel
def alloc_pages(mem: Memory, order: int, compound: int) -> int:
    """Allocate a block of that order: its first frame, NO_MEMORY, or a refusal's code."""
    if order < 0 or order > top_of(mem):
        return BAD_ORDER
    if design_of(mem) == BITMAP_DESIGN:
        p = bitmap.rmqueue(mem, order)
    else:
        p = buddy.rmqueue(mem, order)
    if p == 0:
        return NO_MEMORY
    set_owner(mem, p, HELD | order | (COMPOUND if compound else 0))
    set_refs(mem, p, 1)
    return p - shift_of(mem)


@kernel
def give_back(mem: Memory, p: int, order: int, to_tail: bool) -> None:
    """Return a block that nobody holds any more to the buddy."""
    if design_of(mem) == BITMAP_DESIGN:
        bitmap.free_one_block(mem, p, order, to_tail)
    else:
        buddy.free_one_block(mem, p, order, to_tail)


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
        set_owner(mem, p, HELD)
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
