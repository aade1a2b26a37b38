"""A walk over the frames of one pageblock, which takes what is free there.

The twin of the spec's `compaction.scan`. Requests are served one after the other, so what is read
again under the lock has not changed.
"""

from pageimpl.bounds import frame_exists
from pageimpl.compaction.choices import LAZY, RECHECKS
from pageimpl.compaction.lists import has_enough, sort_targets
from pageimpl.compaction.recorder import FREE_SCAN, irqs_off, irqs_on, visit
from pageimpl.compaction.state import (
    CLUSTER,
    CompactionMemory,
    killed_of,
    refused_of,
    remembers_of,
    scan_of,
    set_contended,
    stops_within_of,
    stray_of,
    zone_of,
)
from pageimpl.compaction.targets import head_of_pageblock, is_suitable_target, isolate_free_block
from pageimpl.jitcache import kernel
from pageimpl.memory import COMPOUND, HELD, ORDER_BITS, Memory, owner_of, shift_of, top_of
from pageimpl.pageblock import free_order_at


@kernel
def is_whole(zone: Memory, first: int, end: int) -> bool:
    """Whether a pageblock, up to the zone's end, has a first and a last frame."""
    shift = shift_of(zone)
    return frame_exists(zone, first + shift) and frame_exists(zone, end - 1 + shift)


@kernel
def skipped_order(mem: CompactionMemory, p: int) -> int:
    """The order of the held block that the slot seems to head, if it has several frames, or -1."""
    stray = stray_of(mem, p)
    if stray != 0:
        return stray - 1
    owner = owner_of(zone_of(mem), p)
    if owner >= HELD and owner & COMPOUND and owner & ORDER_BITS > 0:
        return owner & ORDER_BITS
    return -1


@kernel
def scan_frames(
    mem: CompactionMemory, pfn: int, end: int, stride: int, strict: bool, kind: int
) -> int:
    """Isolate the free blocks that begin in the frames [pfn, end) of a pageblock; where it ended.

    strict: whether it ends at the first frame that is not free, or may not be taken. kind: of the
    stretches with interrupts off, where the walk takes the lock itself.
    """
    zone = zone_of(mem)
    shift = shift_of(zone)
    lazy = strict or scan_of(mem) == LAZY
    locked = False
    while pfn < end:
        if lazy and pfn % CLUSTER == 0:
            if locked:
                locked = False
                irqs_on(mem)
            if killed_of(mem):
                set_contended(mem, 1)
                break
        visit(mem, 1)
        step = stride
        number = skipped_order(mem, pfn + shift) if remembers_of(mem) else -1
        if 0 <= number <= top_of(zone):
            step += (1 << number) - 1
        free = number < 0 and free_order_at(zone, pfn + shift) >= 0
        if free and lazy and not locked:
            irqs_off(mem, kind)
            locked = True
            visit(mem, 1)
        isolated = isolate_free_block(mem, pfn) if free else 0
        if isolated and stops_within_of(mem) and not strict and has_enough(mem):
            pfn += isolated
            break
        if isolated:
            step += isolated - 1
        elif strict or (free and refused_of(mem)):
            break
        pfn += step
    if locked:
        irqs_on(mem)
    return pfn if strict else min(pfn, end)


@kernel
def scan_pageblock(mem: CompactionMemory, pfn: int, end: int, stride: int) -> int:
    """Isolate the free blocks of the rest [pfn, end) of a pageblock; where it ended."""
    rechecks = scan_of(mem) == RECHECKS
    if rechecks:
        irqs_off(mem, FREE_SCAN)
        if not is_suitable_target(mem, head_of_pageblock(mem, pfn)):
            irqs_on(mem)
            return end
    pfn = scan_frames(mem, pfn, end, stride, False, FREE_SCAN)
    sort_targets(mem)
    if rechecks:
        irqs_on(mem)
    return pfn
