"""The question that every zone is asked before it serves: would it keep above its mark?

The twin of the spec's `watermark.ok`.
"""

from pageimpl.era import (
    CHECK_COUNTS,
    CHECK_LISTS_OR_RIGHTS,
    CHECK_NO_ORDER,
    NO_SHORTCUT,
    WRAPS_CMA_ONLY,
)
from pageimpl.jitcache import inlined, kernel
from pageimpl.memory import (
    Memory,
    drift_mark_of,
    free_highatomic_of,
    free_pages_of,
    listed_of,
    looks_closely_of,
    nr_free_of,
    nr_reserved_of,
    order_check_of,
    reclaiming_of,
    retypes_on_merge_of,
    shortcut_of,
    top_of,
)
from pageimpl.migratetype import CMA, HIGHATOMIC, MOST_REQUESTED, MOVABLE
from pageimpl.verbs import ATOMIC, WANTED_SHIFT
from pageimpl.vmstat.kept import told_cma, told_free
from pageimpl.watermark.check import (
    RIGHT_HARDER,
    has_order_by_counts,
    lowered,
    passes_fast,
)
from pageimpl.zone import first_of_list


@kernel
def unusable(mem: Memory, want: int, rights: int) -> int:
    """The free frames that the request may not have: the reserve's without rights, and CMA's.

    Until 6.1 the reserve counts with its whole size, also what is in use of it.
    """
    pages = 0
    if rights & RIGHT_HARDER == 0:
        pages = free_highatomic_of(mem) if retypes_on_merge_of(mem) else nr_reserved_of(mem)
    if want >> WANTED_SHIFT != MOVABLE:
        pages += told_cma(mem)
    return pages


@inlined
def free_as_seen(mem: Memory) -> int:
    """The free frames that a request knows of: what CPUs keep back it does not see.

    One era looks more closely while kswapd is awake and the count is low.
    """
    told = told_free(mem)
    if looks_closely_of(mem) and reclaiming_of(mem) and told < drift_mark_of(mem):
        return free_pages_of(mem)
    return told


@kernel
def watermark_ok(mem: Memory, order: int, want: int, mark: int, reserve: int, rights: int) -> bool:
    """Whether the zone would keep above the mark and what it reserves, and has such a block."""
    free = free_as_seen(mem) - ((1 << order) - 1) - unusable(mem, want, rights)
    least = lowered(mem, mark, rights)
    if free <= least + reserve:
        return False
    if order == 0 or order_check_of(mem) == CHECK_NO_ORDER:
        return True
    if order_check_of(mem) == CHECK_COUNTS:
        return has_order_by_counts(mem, free, least, order)
    return has_block(mem, order, want, rights)


@kernel
def has_block(mem: Memory, order: int, want: int, rights: int) -> bool:
    """Since 4.4: whether any list that may serve the request holds a block that is large enough.

    In 4.10 requests with rights take any list for granted, even one that cannot serve them.
    """
    any_list = order_check_of(mem) == CHECK_LISTS_OR_RIGHTS and rights & RIGHT_HARDER != 0
    types = (2 << MOST_REQUESTED) - 1
    if want >> WANTED_SHIFT == MOVABLE:
        types |= 1 << CMA
    urgent = want & ATOMIC if retypes_on_merge_of(mem) else rights & RIGHT_HARDER
    if urgent:
        types |= 1 << HIGHATOMIC
    types &= listed_of(mem)
    for current in range(order, top_of(mem) + 1):
        if nr_free_of(mem, current) == 0:
            continue
        if any_list:
            return True
        for mt in range(CMA + 1):
            if types >> mt & 1 and first_of_list(mem, current, mt) != 0:
                return True
    return False


@inlined
def watermark_fast(
    mem: Memory, order: int, want: int, mark: int, reserve: int, rights: int
) -> bool:
    """The same with the shortcut for single frames, where the era has one (4.7)."""
    shortcut = shortcut_of(mem)
    if order == 0 and shortcut != NO_SHORTCUT:
        if shortcut == WRAPS_CMA_ONLY:
            pages = 0 if want >> WANTED_SHIFT == MOVABLE else told_cma(mem)
        else:
            pages = unusable(mem, want, rights)
        if passes_fast(mem, free_as_seen(mem), pages, mark, reserve):
            return True
    return watermark_ok(mem, order, want, mark, reserve, rights)
