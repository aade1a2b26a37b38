"""The operations on blocks: allocate, free, take and drop a reference, split into pages.

The twin of the spec's `alloc`. Every operation returns what the spec's would: a first frame, 0,
NO_MEMORY, or the code of a Refusal, upon which nothing has changed.
"""

from pageimpl import bitmap, buddy
from pageimpl.checks import (
    BAD_CPU,
    BAD_ORDER,
    BAD_TYPE,
    IS_COMPOUND,
    WRONG_ORDER,
    held_block,
    is_no_cpu,
)
from pageimpl.era import BITMAP_DESIGN
from pageimpl.jitcache import inlined, kernel
from pageimpl.locks import lock_zone, try_lists, unlock_lists, unlock_zone
from pageimpl.memory import (
    COMPOUND,
    GIVEN,
    HELD,
    ORDER_BITS,
    TYPE_BITS,
    TYPE_SHIFT,
    Memory,
    add_pgalloc,
    add_pgfree,
    add_refs,
    alone,
    boosted_of,
    compare_frame_in_array,
    counts_operations_of,
    design_of,
    extended_of,
    frame_in_array_of,
    marked_of,
    next_of,
    owner_of,
    pgalloc_of,
    pgfree_of,
    refs_of,
    set_owner,
    set_pgalloc,
    set_pgfree,
    set_refs,
    shared_of,
    shift_of,
    top_of,
)
from pageimpl.migratetype import ISOLATE, MOST_REQUESTED, UNMOVABLE
from pageimpl.pageblock import has_pageblocks, pageblock_type
from pageimpl.pcp.index import area_for, cpu_of, may_use_lists
from pageimpl.pcp.lists import free_to_list, warm_block
from pageimpl.verbs import ATOMIC, COMPOUND_WANTED, CPU_MASK, WANTED_SHIFT
from pageimpl.watermark.check import NO_RIGHTS
from pageimpl.watermark.levels import MARK_LOW
from pageimpl.zonelist import leave_to_reserve, may_serve, rmqueue_by_design, serve
from pagespec.machine import MAX_SLOTS
from pagespec.types import NO_MEMORY


@kernel
def alloc_pages(mem: Memory, order: int, want: int) -> int:
    """Allocate a block of that order: its first frame, NO_MEMORY, or a refusal's code."""
    if order < 0 or order > top_of(mem):
        return BAD_ORDER
    if want >> WANTED_SHIFT > MOST_REQUESTED:
        return BAD_TYPE
    if extended_of(mem):
        return alloc_extended(mem, order, want)
    if want & CPU_MASK:
        return BAD_CPU
    p = rmqueue_by_design(mem, order, want)
    if p == 0:
        return NO_MEMORY
    leave_to_reserve(mem, p, order, want)
    hold(mem, p, order, want)
    set_pgalloc(mem, pgalloc_of(mem) + (1 << order))
    return p - shift_of(mem)


@kernel
def alloc_extended(mem: Memory, order: int, want: int) -> int:
    """The same where there are lists or marks, or threads that share the zone.

    If the zone is above its low mark and the CPU's list has a block, that is all there is to it.
    """
    if is_no_cpu(mem, cpu_of(want)):
        return BAD_CPU
    p = 0
    if shared_of(mem) == 0 and (marked_of(mem) == 0 or keeps_low_mark(mem, order, want)):
        p = warm_block(mem, order, want)
    if p == 0:
        return alloc_slowly(mem, order, want)
    hold(mem, p, order, want)
    set_pgalloc(mem, pgalloc_of(mem) + counted(mem, order, True))
    return p - shift_of(mem)


@kernel
def keeps_low_mark(mem: Memory, order: int, want: int) -> bool:
    """Whether the zone serves the request without any rights, and kswapd need not be woken."""
    first = want & ~ATOMIC
    return boosted_of(mem) == 0 and may_serve(mem, order, first, 0, MARK_LOW, NO_RIGHTS)


@kernel
def alloc_slowly(mem: Memory, order: int, want: int) -> int:
    """The same with all that may have to be done before there is a block, or none."""
    _, p, listed = serve(alone(mem), 1, order, want, 0)
    if p == 0:
        return NO_MEMORY
    hold(mem, p, order, want)
    count_alloc(mem, counted(mem, order, listed))
    return p - shift_of(mem)


@inlined
def counted(mem: Memory, order: int, listed: bool) -> int:
    """As how many frames a block counts: some eras take a list's block for one."""
    return 1 if listed and counts_operations_of(mem) else 1 << order


@inlined
def hold(mem: Memory, p: int, order: int, want: int) -> None:
    """Enter a block that was taken as held by its caller."""
    mt = want >> WANTED_SHIFT if has_pageblocks(mem) else UNMOVABLE
    compound = COMPOUND if want & COMPOUND_WANTED else 0
    set_owner(mem, p, HELD | order | mt << TYPE_SHIFT | compound)
    set_refs(mem, p, 1)


@inlined
def count_alloc(mem: Memory, pages: int) -> None:
    """Count so many frames as given out."""
    if shared_of(mem):
        add_pgalloc(mem, pages)
    else:
        set_pgalloc(mem, pgalloc_of(mem) + pages)


@inlined
def count_free(mem: Memory, pages: int) -> None:
    """Count so many frames as given back."""
    if shared_of(mem):
        add_pgfree(mem, pages)
    else:
        set_pgfree(mem, pgfree_of(mem) + pages)


@kernel
def give_back(mem: Memory, p: int, order: int, want: int) -> None:
    """Return a block that nobody holds any more to the CPU's lists or to the buddy."""
    if extended_of(mem):
        leave_array(mem, p)
        mt = pageblock_type(mem, p)
        if mt != ISOLATE and may_use_lists(mem, order, want):
            if shared_of(mem) == 0:
                set_pgfree(mem, pgfree_of(mem) + counted(mem, order, True))
                free_to_list(mem, p, order, mt, want)
                return
            if free_to_shared_list(mem, p, order, mt, want):
                return
    give_to_buddy(mem, p, order, want)


@kernel
def free_to_shared_list(mem: Memory, p: int, order: int, mt: int, want: int) -> bool:
    """Put a freed block on the CPU's list in a zone that is shared; whether the lock was had."""
    q = area_for(mem, want)
    if not try_lists(mem, q):
        return False
    add_pgfree(mem, counted(mem, order, True))
    free_to_list(mem, p, order, mt, want)
    unlock_lists(mem, q)
    return True


@inlined
def leave_array(mem: Memory, p: int) -> None:
    """Empty the slot of the array of bulk requests that the frame fills, if it does.

    Another thread may fill it anew at any moment.
    """
    slot = next_of(mem, p)
    if slot < MAX_SLOTS and frame_in_array_of(mem, slot) == p:
        compare_frame_in_array(mem, slot, p, 0)


@inlined
def give_to_buddy(mem: Memory, p: int, order: int, want: int) -> None:
    """Return a block that nobody holds any more to the buddy."""
    count_free(mem, 1 << order)
    lock_zone(mem, cpu_of(want))
    free_one_block(mem, p, order, False)
    unlock_zone(mem)


@inlined
def free_one_block(mem: Memory, p: int, order: int, to_tail: bool) -> None:
    """Free a block as the design does."""
    if design_of(mem) == BITMAP_DESIGN:
        bitmap.free_one_block(mem, p, order, to_tail)
    else:
        buddy.free_by_type(mem, p, order, to_tail)


@kernel
def drop_reference(mem: Memory, p: int) -> bool:
    """Drop one reference; whether it was the last, which ends the holding."""
    if shared_of(mem):
        refs = add_refs(mem, p, -1) - 1
    else:
        refs = refs_of(mem, p) - 1
        set_refs(mem, p, refs)
    if refs != 0:
        return False
    set_owner(mem, p, GIVEN)
    return True


@kernel
def free_pages(mem: Memory, pfn: int, order: int, want: int) -> int:
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
    if extended_of(mem):
        return free_extended(mem, p, order, want)
    if want & CPU_MASK:
        return BAD_CPU
    if drop_reference(mem, p):
        set_pgfree(mem, pgfree_of(mem) + (1 << order))
        free_one_block(mem, p, order, False)
    elif owner & COMPOUND == 0 and order > 0:
        free_tails(mem, p, order, want)
    return 0


@kernel
def free_extended(mem: Memory, p: int, order: int, want: int) -> int:
    """The same where there is more than the buddy, for a block that is known to be held."""
    if is_no_cpu(mem, cpu_of(want)):
        return BAD_CPU
    compound = owner_of(mem, p) & COMPOUND
    if drop_reference(mem, p):
        give_back(mem, p, order, want)
    elif compound == 0 and order > 0:
        free_tails(mem, p, order, want)
    return 0


@kernel
def free_tails(mem: Memory, p: int, order: int, want: int) -> None:
    """Free all frames of a block but the first, which others hold: from the upper half down."""
    set_owner(mem, p, owner_of(mem, p) & ~ORDER_BITS)
    piece = order - 1
    while piece >= 0:
        tail = p + (1 << piece)
        set_owner(mem, tail, GIVEN)
        give_back(mem, tail, piece, want)
        piece -= 1


@kernel
def get_page(mem: Memory, pfn: int) -> int:
    """Take one more reference to the block that the frame heads: 0, or a refusal's code."""
    p = held_block(mem, pfn, 0)
    if p < 0:
        return p
    if shared_of(mem):
        add_refs(mem, p, 1)
    else:
        set_refs(mem, p, refs_of(mem, p) + 1)
    return 0


@kernel
def put_page(mem: Memory, pfn: int, want: int) -> int:
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
    if is_no_cpu(mem, cpu_of(want)):
        return BAD_CPU
    if drop_reference(mem, p):
        give_back(mem, p, order, want)
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
