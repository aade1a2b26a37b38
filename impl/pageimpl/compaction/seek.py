"""Free blocks sought on their lists, so that few pageblocks must be walked (since 5.1).

The twin of the spec's `compaction.seek`.
"""

from pageimpl.compaction.choices import LAZY
from pageimpl.compaction.lists import has_enough, sort_targets
from pageimpl.compaction.recorder import AROUND, SEEK, irqs_off, irqs_on, visit
from pageimpl.compaction.scan import is_whole, scan_frames
from pageimpl.compaction.skips import last_pageblock, set_passed_over, start_of
from pageimpl.compaction.state import (
    CLUSTER,
    NO_FRAME,
    CompactionMemory,
    async_of,
    cached_free_of,
    direct_of,
    free_of,
    migrate_of,
    order_of,
    scan_of,
    set_cached_free,
    set_free,
    set_sought,
    set_sought_vainly,
    sought_of,
    sought_vainly_of,
    zone_of,
)
from pageimpl.compaction.targets import head_of_pageblock, isolate_free_block, pageblock_size
from pageimpl.jitcache import kernel
from pageimpl.memory import (
    Memory,
    end_of,
    next_of,
    nr_free_of,
    prev_of,
    set_next,
    set_prev,
    shift_of,
)
from pageimpl.migratetype import MOVABLE
from pageimpl.zone import head_of_list

NO_ORDER = -1


@kernel
def begin_with(zone: Memory, head: int, p: int) -> None:
    """Turn a list round, so that it begins with the block."""
    first, last, before = next_of(zone, head), prev_of(zone, head), prev_of(zone, p)
    if first == p:
        return
    set_next(zone, last, first)
    set_prev(zone, first, last)
    set_next(zone, before, head)
    set_prev(zone, head, before)
    set_next(zone, head, p)
    set_prev(zone, p, head)


@kernel
def look_through(
    mem: CompactionMemory, order: int, low: int, least: int, highest: int, limit: int
) -> tuple[int, int, int, int, bool]:
    """Look through an order's list from its tail, and turn it round.

    Returns the block to take, or NO_FRAME; how many entries were looked at; the highest pageblock
    seen so far; how many are to be looked at of the next list; and whether it is where one is
    wanted: `low` or above, not only at `least`.
    """
    zone = zone_of(mem)
    head, shift = head_of_list(order, MOVABLE), shift_of(zone)
    entries, best = 0, NO_FRAME
    p = prev_of(zone, head)
    while p != head:
        pfn = p - shift
        entries += 1
        visit(mem, 1)
        if pfn >= highest:
            highest = max(head_of_pageblock(mem, pfn), start_of(mem))
        if pfn >= low:
            begin_with(zone, head, p)
            return pfn, entries, highest, limit, True
        if pfn >= least and pfn > best:
            best = pfn
            limit >>= 1
        if entries >= limit:
            begin_with(zone, head, p if best == NO_FRAME else best + shift)
            return best, entries, highest, limit, False
        p = prev_of(zone, p)
    if best != NO_FRAME:
        begin_with(zone, head, best + shift)
    return best, entries, highest, limit, False


@kernel
def next_order(mem: CompactionMemory, order: int) -> int:
    """The order to search after this one, downward and round, or NO_ORDER if all have been."""
    order = order - 1 if order > 0 else order_of(mem) - 1
    if order != sought_of(mem):
        return order
    set_sought(mem, sought_of(mem) - 1 if sought_of(mem) > 0 else order_of(mem) - 1)
    return NO_ORDER


@kernel
def seek(mem: CompactionMemory) -> None:
    """Isolate a block that is found on its list, and what else is free in its pageblock."""
    if order_of(mem) <= 0:
        return
    zone = zone_of(mem)
    size, distance = pageblock_size(mem), free_of(mem) - migrate_of(mem)
    begins = free_of(mem) >= last_pageblock(mem)
    limit = size >> 1 if begins else max(1, ((CLUSTER >> min(sought_vainly_of(mem), 32)) + 1) >> 1)
    low = head_of_pageblock(mem, free_of(mem) - (distance >> 2))
    least = head_of_pageblock(mem, free_of(mem) - (distance >> 1))
    set_sought(mem, min(order_of(mem) - 1, sought_of(mem)))
    highest, found, order = 0, NO_FRAME, sought_of(mem)
    while found == NO_FRAME and order != NO_ORDER:
        if nr_free_of(zone, order) == 0:
            order = next_order(mem, order)
            continue
        irqs_off(mem, SEEK)
        found, entries, highest, limit, preferred = look_through(
            mem, order, low, least, highest, limit
        )
        if preferred:
            set_sought(mem, order)
            set_sought_vainly(mem, 0)
        refused = found != NO_FRAME and isolate_free_block(mem, found) == 0
        irqs_on(mem)
        if refused:
            # Another block would be refused as well.
            found = NO_FRAME
            order = next_order(mem, sought_of(mem) + 1)
        elif has_enough(mem):
            break
        else:
            if entries >= limit:
                limit = max(1, limit >> 1)
            order = next_order(mem, order)
    sort_targets(mem)
    if found == NO_FRAME:
        found = begin_elsewhere(mem, highest, least, begins)
    if highest and highest >= cached_free_of(mem):
        set_cached_free(mem, highest - size)
    if found != NO_FRAME:
        scan_around(mem, found)


@kernel
def begin_elsewhere(mem: CompactionMemory, highest: int, least: int, begins: bool) -> int:
    """Where to begin if nothing was found at the start of a run: the highest pageblock seen."""
    set_sought_vainly(mem, sought_vainly_of(mem) + 1)
    if not begins:
        return NO_FRAME
    if highest >= least:
        set_free(mem, highest)
        return highest
    if not direct_of(mem):
        return NO_FRAME
    set_free(mem, least)
    zone = zone_of(mem)
    end = min(least + pageblock_size(mem), end_of(zone) - shift_of(zone))
    return least if is_whole(zone, least, end) else NO_FRAME


@kernel
def scan_around(mem: CompactionMemory, pfn: int) -> None:
    """Isolate what else is free in the frame's pageblock, within the zone, if more is needed."""
    zone = zone_of(mem)
    if has_enough(mem) or (direct_of(mem) and async_of(mem)):
        return
    head = head_of_pageblock(mem, pfn)
    first = max(head, start_of(mem))
    end = min(head + pageblock_size(mem), end_of(zone) - shift_of(zone))
    if not is_whole(zone, first, end):
        return
    holds = scan_of(mem) != LAZY
    if holds:
        irqs_off(mem, AROUND)
    reached = scan_frames(mem, first, end, 1, False, AROUND)
    sort_targets(mem)
    if holds:
        irqs_on(mem)
    if reached == end:
        set_passed_over(mem, first)
