"""The reserve for atomic requests: pageblocks that serve nobody else.

The twin of the spec's `highatomic`, in slots.
"""

from pageimpl.checks import BAD_TYPE, UNSUPPORTED
from pageimpl.era import NO_RESERVE, RESERVE_AT_LEAST_ONE
from pageimpl.frames import rounded_up
from pageimpl.jitcache import kernel
from pageimpl.locks import lock_zone, unlock_zone
from pageimpl.memory import (
    Memory,
    managed_of,
    nr_reserved_of,
    pageblock_order_of,
    reserve_of,
    retypes_on_merge_of,
    set_nr_reserved,
    top_of,
)
from pageimpl.migratetype import HIGHATOMIC, MOST_REQUESTED
from pageimpl.pageblock import (
    change_pageblock_range,
    has_pageblocks,
    move_pageblock,
    move_to_free_list,
    pageblock_to_move,
    pageblock_type,
    set_pageblock_type,
)
from pageimpl.zone import account_at_once, first_of_list
from pagespec.types import NO_MEMORY


@kernel
def reserve_limit(mem: Memory) -> int:
    """The size at which the reserve stops to grow: about one percent of the zone, in frames."""
    size = 1 << pageblock_order_of(mem)
    percent = managed_of(mem) // 100
    if reserve_of(mem) == RESERVE_AT_LEAST_ONE:
        return percent + size
    return rounded_up(percent, pageblock_order_of(mem)) if percent >= size else 0


@kernel
def reserve_pageblock(mem: Memory, p: int, order: int) -> None:
    """Reserve the pageblock of a block that an atomic request has just been given.

    Of the types that an era with a reserve has, only those that requests have may be reserved.
    """
    pageblock = pageblock_order_of(mem)
    mt = pageblock_type(mem, p)
    if nr_reserved_of(mem) >= reserve_limit(mem) or mt > MOST_REQUESTED:
        return
    pages = 1 << pageblock
    if retypes_on_merge_of(mem) and order >= pageblock:
        change_pageblock_range(mem, p, order, HIGHATOMIC)
        pages = 1 << order
    else:
        first, end = pageblock_to_move(mem, p)
        if retypes_on_merge_of(mem) and first == end:
            return
        move_pageblock(mem, p, HIGHATOMIC)
        set_pageblock_type(mem, p, HIGHATOMIC)
    set_nr_reserved(mem, nr_reserved_of(mem) + pages)


@kernel
def unreserve(mem: Memory, mt: int, force: bool, cpu: int) -> int:
    """Give one pageblock of the reserve to mt: 0, NO_MEMORY, or a refusal's code.

    force: whether the last pageblock may go as well. cpu: the one at work.
    """
    if not has_pageblocks(mem) or reserve_of(mem) == NO_RESERVE:
        return UNSUPPORTED
    if mt > MOST_REQUESTED:
        return BAD_TYPE
    lock_zone(mem, cpu)
    found = unreserve_pageblock(mem, mt, force)
    unlock_zone(mem)
    return 0 if found else NO_MEMORY


@kernel
def unreserve_pageblock(mem: Memory, mt: int, force: bool) -> bool:
    """Give the first pageblock of the reserve that still has a free block to mt; whether any.

    One that reaches over the zone's end loses its type and keeps its blocks where they are, and the
    search goes on.
    """
    if not force and nr_reserved_of(mem) <= 1 << pageblock_order_of(mem):
        return False
    found = False
    for order in range(top_of(mem) + 1):
        p = first_of_list(mem, order, HIGHATOMIC)
        if p != 0:
            found = True
            if give_to(mem, p, order, mt):
                break
    return found


@kernel
def give_to(mem: Memory, p: int, order: int, mt: int) -> bool:
    """Give the pageblock of a free block to mt; whether any free block came along."""
    pageblock = pageblock_order_of(mem)
    later = retypes_on_merge_of(mem)
    if pageblock_type(mem, p) == HIGHATOMIC:
        pages = 1 << (max(pageblock, order) if later else pageblock)
        set_nr_reserved(mem, max(nr_reserved_of(mem) - pages, 0))
    if later and order >= pageblock:
        account_at_once(mem, -(1 << order), HIGHATOMIC)
        account_at_once(mem, 1 << order, mt)
        move_to_free_list(mem, p, order, mt)
        change_pageblock_range(mem, p, order, mt)
        return True
    moved = move_pageblock(mem, p, mt)
    set_pageblock_type(mem, p, mt)
    return moved > 0
