"""The migrate scanner: it walks up a zone and isolates held blocks that may be moved.

The twin of the spec's `compaction.sources`.
"""

from pageimpl.bounds import frame_exists
from pageimpl.compaction.choices import (
    AFTER_PAGEBLOCK,
    FIRST_OF_32,
    FROM_ANY,
    FROM_MOVABLE,
    FROM_MOVABLE_OR_CMA,
)
from pageimpl.compaction.holders import is_on_lru, too_many_isolated
from pageimpl.compaction.migrate import isolate_source, put_back
from pageimpl.compaction.recorder import MIGRATE_SCAN, irqs_off, irqs_on, visit
from pageimpl.compaction.scan import is_whole, skipped_order
from pageimpl.compaction.skips import begin_behind, is_passed_over, set_passed_over, start_of
from pageimpl.compaction.state import (
    CLUSTER,
    ISOLATED,
    CompactionMemory,
    async_of,
    direct_of,
    free_of,
    heeds_of,
    killed_of,
    marks_of,
    migrate_of,
    moves_large_of,
    moves_others_of,
    nr_sources_of,
    order_of,
    released_of,
    set_contended,
    set_migrate,
    skips_pinned_of,
    skips_used_of,
    sources_of,
    stray_of,
    type_of,
    wanted_of,
    zone_of,
)
from pageimpl.compaction.targets import head_of_pageblock, pageblock_size
from pageimpl.compaction.verbs import WHOLE
from pageimpl.frames import head_of, rounded_up
from pageimpl.jitcache import kernel
from pageimpl.memory import (
    COMPOUND,
    HELD,
    ORDER_BITS,
    TYPE_BITS,
    TYPE_SHIFT,
    owner_of,
    pageblock_order_of,
    refs_of,
    shift_of,
    top_of,
)
from pageimpl.migratetype import CMA, MOVABLE
from pageimpl.pageblock import free_order_at, pageblock_type


@kernel
def is_source(mem: CompactionMemory, p: int) -> bool:
    """Whether the slot heads a held block that the run may take: nobody else has, or pins it."""
    zone = zone_of(mem)
    owner, order = owner_of(zone, p), owner_of(zone, p) & ORDER_BITS
    if owner < HELD or owner & TYPE_BITS != MOVABLE << TYPE_SHIFT or stray_of(mem, p) != 0:
        return False
    if order > 0 and not (owner & COMPOUND and moves_order(mem, order)):
        return False
    if marks_of(mem, p) & ISOLATED or not (is_on_lru(mem, p) or moves_others_of(mem)):
        return False
    return refs_of(zone, p) == 1 or not skips_pinned_of(mem)


@kernel
def moves_order(mem: CompactionMemory, order: int) -> bool:
    """Whether blocks of several frames are moved, and ones of that order."""
    wanted = order_of(mem) == WHOLE or order < order_of(mem)
    return moves_large_of(mem) != 0 and wanted and order < pageblock_order_of(zone_of(mem))


@kernel
def is_suitable_source(mem: CompactionMemory, pfn: int) -> bool:
    """Whether blocks are moved out of the pageblock: any, unless the caller will not wait."""
    zone, rule = zone_of(mem), sources_of(mem)
    mt = pageblock_type(zone, pfn + shift_of(zone))
    if rule == FROM_ANY or not async_of(mem):
        return True
    if rule == FROM_MOVABLE:
        return mt == MOVABLE
    if rule == FROM_MOVABLE_OR_CMA:
        return mt in (MOVABLE, CMA)
    if not direct_of(mem) or mt == type_of(mem):
        return True
    return type_of(mem) == MOVABLE and mt == CMA


@kernel
def scan_sources(mem: CompactionMemory, pfn: int, end: int) -> bool:
    """Isolate movable blocks of the frames [pfn, end); whether the run is to be given up."""
    zone = zone_of(mem)
    shift, wanted = shift_of(zone), max(order_of(mem), 0)
    lazy = released_of(mem) == FIRST_OF_32
    alone = lazy and direct_of(mem) != 0 and async_of(mem) != 0 and order_of(mem) > 0
    edge = head_of(pfn, wanted) + (1 << wanted)
    begun = nr_sources_of(mem)
    off = given_up = False
    if not lazy:
        irqs_off(mem, MIGRATE_SCAN)
        off = True
    while pfn < end:
        if alone and pfn >= edge:
            if nr_sources_of(mem) > begun:
                break
            edge = head_of(pfn, wanted) + (1 << wanted)
        release = (pfn if lazy else pfn + 1) % CLUSTER == 0
        if release and off and released_of(mem) != AFTER_PAGEBLOCK:
            irqs_on(mem)
            off = False
            if not lazy:
                irqs_off(mem, MIGRATE_SCAN)
                off = True
        if lazy and pfn % CLUSTER == 0 and killed_of(mem):
            set_contended(mem, 1)
            given_up = True
            break
        visit(mem, 1)
        p, step = pfn + shift, 1
        order = free_order_at(zone, p)
        number = skipped_order(mem, p) if order < 0 else -1
        taken = order < 0 and is_source(mem, p)
        if order >= 0 and lazy:
            step = 1 << order
        elif lazy and 0 <= number <= top_of(zone):
            step = 1 << number
        if taken and lazy and not off and is_on_lru(mem, p):
            irqs_off(mem, MIGRATE_SCAN)
            off = True
            visit(mem, 1)
        if taken:
            step = isolate_source(mem, p)
            if wanted_of(mem) >= CLUSTER:
                pfn += step
                break
        elif order < 0 and alone:
            if nr_sources_of(mem) > begun:
                if off:
                    irqs_on(mem)
                    off = False
                put_back(mem)
            step = max(step, edge - pfn)
        pfn += step
    if off:
        irqs_on(mem)
    set_migrate(mem, min(pfn, end))
    if lazy and not given_up and pfn >= end and nr_sources_of(mem) == begun:
        remember(mem, end)
    return given_up


@kernel
def remember(mem: CompactionMemory, end: int) -> None:
    """Remember a pageblock with nothing to move, so that later runs begin behind it."""
    if not heeds_of(mem) and not skips_used_of(mem):
        return
    set_passed_over(mem, end - 1)
    size = pageblock_size(mem)
    begin_behind(mem, end + size if skips_used_of(mem) else end - size, not async_of(mem))


@kernel
def isolate_by_frames(mem: CompactionMemory) -> None:
    """Until 2.6.39: isolate blocks of what is left of a pageblock, and of the next one with it."""
    zone, size = zone_of(mem), pageblock_size(mem)
    pfn = max(migrate_of(mem), start_of(mem))
    end = rounded_up(pfn + size, pageblock_order_of(zone))
    if end > free_of(mem) or not frame_exists(zone, pfn + shift_of(zone)):
        set_migrate(mem, end)
        return
    while pfn < end and wanted_of(mem) < CLUSTER:
        edge = end if sources_of(mem) == FROM_ANY else head_of_pageblock(mem, pfn) + size
        if is_suitable_source(mem, pfn):
            scan_sources(mem, pfn, edge)
        else:
            set_migrate(mem, edge)
        pfn = migrate_of(mem)


@kernel
def isolate_by_pageblocks(mem: CompactionMemory) -> bool:
    """Since then: isolate blocks of the first pageblock that may have any; whether to give up."""
    zone, size = zone_of(mem), pageblock_size(mem)
    pfn = migrate_of(mem)
    first = max(head_of_pageblock(mem, pfn), start_of(mem))
    end = head_of_pageblock(mem, pfn) + size
    while end <= free_of(mem):
        passed = pfn == first and is_passed_over(mem, first)
        if is_whole(zone, first, end) and not passed:
            if is_suitable_source(mem, first):
                return scan_sources(mem, pfn, end)
            if skips_used_of(mem):
                begin_behind(mem, end + size, not async_of(mem))
        pfn = first = end
        set_migrate(mem, end)
        end += size
    return False


@kernel
def isolate_migratepages(mem: CompactionMemory) -> bool:
    """Isolate blocks to be moved next; whether the run is to be given up."""
    if too_many_isolated(mem) and async_of(mem):
        return True
    if released_of(mem) == FIRST_OF_32:
        return isolate_by_pageblocks(mem)
    isolate_by_frames(mem)
    return False
