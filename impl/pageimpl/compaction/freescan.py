"""The free scanner: it walks down a zone by pageblocks until there is enough.

The twin of the spec's `compaction.freescan`.
"""

from pageimpl.bounds import frame_exists
from pageimpl.compaction.choices import BOUND_BLOCK, BOUND_LOW, LOCKED
from pageimpl.compaction.lists import has_enough
from pageimpl.compaction.recorder import CLAIM, FREE_SCAN, irqs_off, irqs_on
from pageimpl.compaction.scan import is_whole, scan_frames, scan_pageblock
from pageimpl.compaction.seek import seek
from pageimpl.compaction.skips import is_passed_over, set_passed_over
from pageimpl.compaction.state import (
    CLUSTER,
    CompactionMemory,
    async_of,
    cached_free_of,
    caches_next_of,
    free_bound_of,
    free_of,
    heeds_of,
    migrate_of,
    scan_of,
    seeks_of,
    set_cached_free,
    set_free,
    skips_used_of,
    target_pages_of,
    zone_of,
)
from pageimpl.compaction.targets import head_of_pageblock, is_suitable_target, pageblock_size
from pageimpl.jitcache import kernel
from pageimpl.memory import end_of, shift_of


@kernel
def walk_by_frames(mem: CompactionMemory) -> None:
    """Until 2.6.39: pageblocks with a first frame, above the one beside the other scanner."""
    zone = zone_of(mem)
    shift, size = shift_of(zone), pageblock_size(mem)
    pfn = free_of(mem)
    low = migrate_of(mem) + size
    high = low if free_bound_of(mem) == BOUND_LOW else min(low, pfn)
    while pfn > low and not has_enough(mem):
        if frame_exists(zone, pfn + shift) and is_suitable_target(mem, pfn):
            before = target_pages_of(mem)
            scan_pageblock(mem, pfn, min(pfn + size, end_of(zone) - shift), 1)
            if target_pages_of(mem) > before:
                high = max(high, pfn)
        pfn -= size
    set_free(mem, high)


@kernel
def pass_over(mem: CompactionMemory, pfn: int, found: bool) -> None:
    """Remember a pageblock that was walked to its end, so that later runs begin below it."""
    if not skips_used_of(mem) and (found or not heeds_of(mem)):
        return
    set_passed_over(mem, pfn)
    cached = pfn - pageblock_size(mem) if caches_next_of(mem) else pfn
    set_cached_free(mem, min(cached_free_of(mem), cached))


@kernel
def walk_by_pageblocks(mem: CompactionMemory) -> None:
    """Since then: pageblocks from the one where the last walk ended, down to the other's."""
    zone = zone_of(mem)
    size = pageblock_size(mem)
    pfn = free_of(mem)
    first = head_of_pageblock(mem, pfn)
    end = min(first + size, end_of(zone) - shift_of(zone))
    low = head_of_pageblock(mem, migrate_of(mem)) + size
    widest = CLUSTER if seeks_of(mem) else 1
    stride = widest if async_of(mem) else 1
    while first >= low:
        if (
            is_whole(zone, first, end)
            and is_suitable_target(mem, first)
            and not is_passed_over(mem, first)
        ):
            before = target_pages_of(mem)
            pfn = scan_pageblock(mem, pfn, end, stride)
            found = target_pages_of(mem) > before
            if pfn == end:
                pass_over(mem, first, found)
            if has_enough(mem):
                if pfn >= end:
                    pfn = first - size
                break
            if pfn < end:
                break
            stride = 1 if found else min(widest, 2 * stride)
        end = first
        first -= size
        pfn = first
    set_free(mem, pfn)


@kernel
def isolate_freepages(mem: CompactionMemory) -> None:
    """Isolate a frame for each that is to be moved, as far as there are any above."""
    if seeks_of(mem):
        seek(mem)
        if target_pages_of(mem) > 0:
            return
    if scan_of(mem) == LOCKED:
        irqs_off(mem, FREE_SCAN)
    if free_bound_of(mem) == BOUND_BLOCK:
        walk_by_pageblocks(mem)
    else:
        walk_by_frames(mem)
    if scan_of(mem) == LOCKED:
        irqs_on(mem)


@kernel
def isolate_range(mem: CompactionMemory, pfn: int, end: int) -> bool:
    """Isolate every frame of the range, pageblock by pageblock; whether all were free."""
    while pfn < end:
        edge = min(head_of_pageblock(mem, pfn) + pageblock_size(mem), end)
        pfn = scan_frames(mem, pfn, edge, 1, True, CLAIM)
        if pfn < edge:
            return False
    return True
