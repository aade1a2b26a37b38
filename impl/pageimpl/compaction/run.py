"""A run of compaction, from one end of the zone and the other until the scanners meet.

The twin of the spec's `compaction.run`.
"""

from pageimpl.alloc import hold
from pageimpl.compaction.capture import drain_own, give_back_captured
from pageimpl.compaction.lists import forget_targets, nr_lists, pop_front
from pageimpl.compaction.migrate import migrate, put_back
from pageimpl.compaction.recorder import ALLOC, irqs_off, irqs_on
from pageimpl.compaction.skips import last_pageblock, start_of
from pageimpl.compaction.sources import isolate_migratepages
from pageimpl.compaction.state import (
    NO_FRAME,
    NONE,
    CompactionMemory,
    alloc_block,
    async_of,
    cached_async_of,
    cached_free_of,
    cached_sync_of,
    captured_of,
    captures_of,
    cpu_of,
    drain_zone,
    drains_after_failure_of,
    drains_as_it_goes_of,
    first_target_of,
    free_of,
    migrate_of,
    nr_sources_of,
    order_of,
    remembers_of,
    set_cached_async,
    set_cached_free,
    set_cached_sync,
    set_captured,
    set_contended,
    set_free,
    set_migrate,
    set_nr_sources,
    set_sought,
    set_sought_vainly,
    set_waits,
    set_wanted,
    set_whole,
    type_of,
    whole_of,
    zone_of,
)
from pageimpl.compaction.suitable import finished, have_met, use_of
from pageimpl.compaction.targets import head_of_pageblock
from pageimpl.compaction.verbs import COMPLETE, CONTENDED, GOES_ON, PARTIAL, SKIPPED, SUCCESS
from pageimpl.frames import head_of
from pageimpl.jitcache import kernel
from pageimpl.memory import GIVEN, end_of, set_owner, shift_of
from pageimpl.verbs import COMPOUND_WANTED, CPU_SHIFT, WANTED_SHIFT
from pagespec.types import NO_MEMORY


@kernel
def want_for(order: int, mt: int, cpu: int) -> int:
    """The want of a request for a block, which stays one until it is freed."""
    return mt << WANTED_SHIFT | cpu << CPU_SHIFT | (COMPOUND_WANTED if order > 0 else 0)


@kernel
def set_positions(mem: CompactionMemory) -> None:
    """Let the scanners begin: where the last run left off, or at the zone's ends."""
    zone, start, last = zone_of(mem), start_of(mem), last_pageblock(mem)
    end = end_of(zone) - shift_of(zone)
    if not remembers_of(mem):
        set_migrate(mem, start)
        set_free(mem, head_of_pageblock(mem, end))
        set_whole(mem, 1)
        return
    if whole_of(mem):
        set_migrate(mem, start)
        set_free(mem, last)
        return
    set_migrate(mem, cached_async_of(mem) if async_of(mem) else cached_sync_of(mem))
    set_free(mem, cached_free_of(mem))
    if not start <= free_of(mem) < end:
        set_free(mem, last)
        set_cached_free(mem, last)
    if not start <= migrate_of(mem) < end:
        set_migrate(mem, start)
        set_cached_async(mem, start)
        set_cached_sync(mem, start)
    set_whole(mem, migrate_of(mem) <= start)


@kernel
def begin(mem: CompactionMemory) -> None:
    """Let a run begin with nothing isolated."""
    forget_targets(mem)
    set_nr_sources(mem, 0)
    set_wanted(mem, 0)
    set_contended(mem, 0)
    set_sought(mem, order_of(mem))
    set_sought_vainly(mem, 0)


@kernel
def compact_zone(mem: CompactionMemory) -> int:
    """Move blocks until the scanners meet, or there is a block of the wanted order: the result."""
    result = use_of(mem)
    if result != GOES_ON:
        return result
    begin(mem)
    set_positions(mem)
    order = max(order_of(mem), 0)
    moved_from = NO_FRAME
    result = finished(mem)
    while result == GOES_ON:
        if isolate_migratepages(mem):
            put_back(mem)
            result = CONTENDED
            break
        if nr_sources_of(mem) > 0:
            moved_from = max(start_of(mem), head_of(migrate_of(mem) - 1, order))
            if not migrate(mem) and remembers_of(mem) and not have_met(mem):
                result = CONTENDED
                break
        if captured_of(mem) != NO_FRAME:
            result = SUCCESS
            break
        left = moved_from != NO_FRAME and moved_from < head_of(migrate_of(mem), order)
        if left and drains_as_it_goes_of(mem) and order > 0:
            moved_from = NO_FRAME
            drain_own(mem, cpu_of(mem))
        result = finished(mem)
    release_targets(mem)
    return result


@kernel
def release_targets(mem: CompactionMemory) -> None:
    """Give the targets that were not used back; later runs begin no lower than the highest."""
    zone = zone_of(mem)
    shift, want = shift_of(zone), cpu_of(mem) << CPU_SHIFT
    highest = NO_FRAME
    for order in range(nr_lists(mem)):
        while first_target_of(mem, order) != NONE:
            p = pop_front(mem, order)
            highest = max(highest, p - shift)
            set_owner(zone, p, GIVEN)
            give_back_captured(mem, p, order, want)
    if remembers_of(mem) and highest != NO_FRAME:
        first = head_of_pageblock(mem, highest)
        set_cached_free(mem, max(cached_free_of(mem), first))


@kernel
def allocate(mem: CompactionMemory, order: int, mt: int, cpu: int) -> int:
    """Allocate a block: its first frame, NO_MEMORY, or a refusal's code."""
    irqs_off(mem, ALLOC)
    got = alloc_block(mem, order, want_for(order, mt, cpu))
    irqs_on(mem)
    return got


@kernel
def compact_for(mem: CompactionMemory) -> int:
    """Compact for a request that could not be served: the block's first frame, or NO_MEMORY."""
    order, mt, cpu = order_of(mem), type_of(mem), cpu_of(mem)
    set_waits(mem, captures_of(mem))
    result = compact_zone(mem)
    set_waits(mem, 0)
    captured = captured_of(mem)
    if captured != NO_FRAME:
        zone = zone_of(mem)
        set_captured(mem, NO_FRAME)
        hold(zone, captured + shift_of(zone), order, want_for(order, mt, cpu))
        return captured
    if result == SKIPPED:
        return NO_MEMORY
    if not drains_as_it_goes_of(mem):
        drain_own(mem, cpu)
    return allocate(mem, order, mt, cpu)


@kernel
def work_in_background(mem: CompactionMemory) -> int:
    """What the worker does for an order; if it fails, what CPUs keep goes back to the buddy."""
    result = compact_zone(mem)
    if (result in (COMPLETE, PARTIAL)) and drains_after_failure_of(mem):
        drain_zone(mem, cpu_of(mem))
    return result
