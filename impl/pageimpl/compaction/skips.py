"""Which pageblocks are passed over: a mark at the slot where each begins."""

from pageimpl.compaction.state import (
    PASSED_OVER,
    CompactionMemory,
    cached_async_of,
    cached_sync_of,
    heeds_of,
    marks_of,
    set_cached_async,
    set_cached_free,
    set_cached_sync,
    set_marks,
    zone_of,
)
from pageimpl.compaction.targets import head_of_pageblock, pageblock_size
from pageimpl.jitcache import kernel
from pageimpl.memory import end_of, first_of, shift_of


@kernel
def is_passed_over(mem: CompactionMemory, pfn: int) -> bool:
    """Whether a run that heeds them finds the pageblock among those without anything of late."""
    p = head_of_pageblock(mem, pfn) + shift_of(zone_of(mem))
    return heeds_of(mem) != 0 and marks_of(mem, p) & PASSED_OVER != 0


@kernel
def set_passed_over(mem: CompactionMemory, pfn: int) -> None:
    """Pass the frame's pageblock over from now on."""
    p = head_of_pageblock(mem, pfn) + shift_of(zone_of(mem))
    set_marks(mem, p, marks_of(mem, p) | PASSED_OVER)


@kernel
def forget_skips(mem: CompactionMemory) -> None:
    """Look at every pageblock again."""
    zone = zone_of(mem)
    shift = shift_of(zone)
    first = head_of_pageblock(mem, first_of(zone) - shift) + shift
    for p in range(first, end_of(zone), pageblock_size(mem)):
        set_marks(mem, p, marks_of(mem, p) & ~PASSED_OVER)


@kernel
def start_of(mem: CompactionMemory) -> int:
    """The zone's first frame."""
    zone = zone_of(mem)
    return first_of(zone) - shift_of(zone)


@kernel
def last_pageblock(mem: CompactionMemory) -> int:
    """The first frame of the pageblock of the zone's last frame, where free scanners begin."""
    zone = zone_of(mem)
    return head_of_pageblock(mem, end_of(zone) - 1 - shift_of(zone))


@kernel
def forget_positions(mem: CompactionMemory) -> None:
    """Let the next run begin at the zone's ends."""
    set_cached_free(mem, last_pageblock(mem))
    set_cached_async(mem, start_of(mem))
    set_cached_sync(mem, start_of(mem))


@kernel
def begin_behind(mem: CompactionMemory, pfn: int, waits: bool) -> None:
    """Let later runs begin there, if they would begin below: those that wait, too, if this does."""
    set_cached_async(mem, max(cached_async_of(mem), pfn))
    if waits:
        set_cached_sync(mem, max(cached_sync_of(mem), pfn))
