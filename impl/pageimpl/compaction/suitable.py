"""Whether compaction is of any use, and whether it is done: the twin of the spec's `suitable`."""

from pageimpl.compaction.choices import MEET_AS_FRAMES
from pageimpl.compaction.skips import forget_positions
from pageimpl.compaction.state import (
    CompactionMemory,
    contended_of,
    direct_of,
    free_of,
    killed_of,
    meeting_of,
    migrate_of,
    order_of,
    remembers_of,
    seeks_of,
    set_flush,
    type_of,
    whole_of,
    zone_of,
)
from pageimpl.compaction.verbs import (
    COMPLETE,
    CONTENDED,
    GOES_ON,
    PARTIAL,
    SKIPPED,
    SUCCESS,
    WHOLE,
)
from pageimpl.era import TAKE_LARGEST
from pageimpl.fallback import can_steal
from pageimpl.frames import is_aligned
from pageimpl.jitcache import kernel
from pageimpl.memory import (
    Memory,
    boost_of,
    fallback_of,
    mark_of,
    marked_of,
    nr_free_of,
    pageblock_order_of,
    top_of,
)
from pageimpl.migratetype import CMA, FIRST_FALLBACK, LAST_FALLBACK, MOVABLE, UNMOVABLE
from pageimpl.verbs import WANTED_SHIFT
from pageimpl.watermark.check import NO_RIGHTS
from pageimpl.watermark.levels import MARK_LOW, MARK_MIN
from pageimpl.watermark.ok import watermark_ok
from pageimpl.zone import first_of_list

COSTLY = 3
"""The largest order for which callers would rather wait for ever than go without."""

THRESHOLD = 500
"""A fragmentation index up to which a failure is put down to a lack of memory."""

HAS_BLOCK = -1000
"""The fragmentation index of a zone that has a block of the order."""


@kernel
def index_of(zone: Memory, order: int) -> int:
    """The fragmentation index of a zone: towards 0 memory is lacking, towards 1000 contiguity."""
    pages = blocks = suitable = 0
    for current in range(top_of(zone) + 1):
        count = nr_free_of(zone, current)
        blocks += count
        pages += count << current
        if current >= order:
            suitable += count
    if blocks == 0:
        return 0
    if suitable:
        return HAS_BLOCK
    return 1000 - (1000 + (pages * 1000 >> order)) // blocks


@kernel
def keeps(zone: Memory, order: int, mt: int, level: int, pages: int) -> bool:
    """Whether the zone keeps so many frames above a mark, with its boost; always without marks."""
    if not marked_of(zone):
        return True
    mark = mark_of(zone, level) + boost_of(zone) + pages
    return watermark_ok(zone, order, mt << WANTED_SHIFT, mark, 0, NO_RIGHTS)


@kernel
def use_of(mem: CompactionMemory) -> int:
    """Whether there is no use in a run, because there is a block or too little; else GOES_ON."""
    zone, order, mt = zone_of(mem), order_of(mem), type_of(mem)
    if order == WHOLE:
        return GOES_ON
    early, costly, gap = meeting_of(mem) == MEET_AS_FRAMES, order > COSTLY, 2 << order
    if not early:
        if not marked_of(zone):
            if has_block(mem):
                return SUCCESS
        elif keeps(zone, order, mt, MARK_MIN, 0):
            return SUCCESS
    index = index_of(zone, order)
    if not keeps(zone, 0, MOVABLE, MARK_LOW if early or costly else MARK_MIN, gap):
        return SKIPPED
    if (early or costly) and 0 <= index <= THRESHOLD:
        return SKIPPED
    if early and index == HAS_BLOCK and keeps(zone, order, UNMOVABLE, MARK_LOW, gap):
        return SUCCESS
    return GOES_ON


@kernel
def has_block(mem: CompactionMemory) -> bool:
    """Whether an allocation of the wanted order and type would find a free block by now."""
    zone, mt = zone_of(mem), type_of(mem)
    for order in range(order_of(mem), top_of(zone) + 1):
        if first_of_list(zone, order, mt) != 0:
            return True
        if mt == MOVABLE and first_of_list(zone, order, CMA) != 0:
            return True
        if fallback_of(zone) == TAKE_LARGEST:
            if order >= pageblock_order_of(zone) and nr_free_of(zone, order) > 0:
                return True
        elif can_steal(zone, order, mt):
            for other in (FIRST_FALLBACK[mt], LAST_FALLBACK[mt]):
                if first_of_list(zone, order, other) != 0:
                    return True
    return False


@kernel
def have_met(mem: CompactionMemory) -> bool:
    """Whether the free scanner stands no higher than the other one."""
    if meeting_of(mem) == MEET_AS_FRAMES:
        return free_of(mem) <= migrate_of(mem)
    order = pageblock_order_of(zone_of(mem))
    return free_of(mem) >> order <= migrate_of(mem) >> order


@kernel
def finished(mem: CompactionMemory) -> int:
    """How the run has ended, or GOES_ON while there is more to do."""
    zone, order = zone_of(mem), order_of(mem)
    given_up = killed_of(mem) != 0 or contended_of(mem) != 0
    if not seeks_of(mem) and given_up:
        return CONTENDED
    if have_met(mem):
        begin_anew(mem)
        return COMPLETE if whole_of(mem) else PARTIAL
    if order == WHOLE:
        return GOES_ON
    if seeks_of(mem) and not is_aligned(migrate_of(mem), pageblock_order_of(zone)):
        return GOES_ON
    early = meeting_of(mem) == MEET_AS_FRAMES
    enough = not early or keeps(zone, order, UNMOVABLE, MARK_LOW, 1 << order)
    if enough and has_block(mem):
        return SUCCESS
    return CONTENDED if given_up else GOES_ON


@kernel
def begin_anew(mem: CompactionMemory) -> None:
    """The scanners have met: the next run begins at the zone's ends."""
    if remembers_of(mem):
        forget_positions(mem)
        if direct_of(mem):
            set_flush(mem, 1)
