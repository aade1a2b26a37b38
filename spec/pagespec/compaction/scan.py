"""A walk over the frames of one pageblock, which takes what is free there.

With the zone's lock held, interrupts are off. Before 2011 it was held from the first pageblock to
the last; then for one pageblock at a time, which was looked at before and had to be looked at
again; later it is taken at the first free block, and released every 32 frames.

Source: mm/compaction.c (isolate_freepages_block), 2.6.37 to 6.12; the February 2011 thread.
"""

from pagespec.bounds import frame_exists
from pagespec.compaction.design import CLUSTER
from pagespec.compaction.events import Event, Kind
from pagespec.compaction.state import Compaction, Run
from pagespec.compaction.targets import is_suitable_target, isolate_free_block, sort_targets
from pagespec.frames import SIZES, head_of
from pagespec.pageblock import pageblock_order
from pagespec.steps import Step, Steps
from pagespec.types import Order, Pfn
from pagespec.zone import Zone


def is_whole(zone: Zone, first: Pfn, end: Pfn) -> bool:
    """Whether a pageblock, up to the zone's end, has a first and a last frame."""
    return frame_exists(zone.machine, first) and frame_exists(zone.machine, end - 1)


def skipped_order(compaction: Compaction, pfn: Pfn) -> Order | None:
    """The order of the held block that the frame seems to head, if it has several frames.

    Read without a lock, so it may be any number: a word that is used for something else by now.
    """
    stray = compaction.strays.get(pfn)
    if stray is not None:
        return stray
    held = compaction.zone.held.get(pfn)
    return held.order if held is not None and held.compound and held.order > 0 else None


def is_order(compaction: Compaction, pfn: Pfn, number: int) -> bool:
    """Whether the number can be an order at all; only then is it used to go on."""
    valid = 0 <= number <= compaction.zone.machine.top
    if not valid:
        compaction.log.append(Event(Kind.STRAY, pfn))
    return valid


def scan_frames(
    compaction: Compaction, run: Run, pfn: Pfn, end: Pfn, stride: int, *, strict: bool = False
) -> Steps[Pfn]:
    """Isolate the free blocks that begin in the frames [pfn, end) of a pageblock; where it ended.

    strict: whether it ends at the first frame that is not free, or may not be taken; it has then
    reached the end only if all are isolated, and may have gone beyond with the last block.
    Under the lock of whoever calls; or, where the scanner is lazy, under its own. In that case
    interrupts are off for 64 frames and list nodes at most, and one more for each pageblock that
    changes its type: it looks again at the frame for which it takes the lock, then at 31 frames
    until it releases it, each of which may head a block of one frame that is unlisted. Wider steps
    may miss each frame at which it would be released, behind a block of several frames; then it
    is held to the end.
    """
    zone, design = compaction.zone, compaction.machine.design
    lazy = strict or design.scan == "lazy"
    locked = False
    while pfn < end:
        if lazy and pfn % CLUSTER == 0:
            if locked:
                locked = False
                yield Step.UNLOCK
            if run.killed:
                run.contended = True
                compaction.log.append(Event(Kind.KILLED, pfn))
                break
        zone.visited += 1
        step = stride
        number = skipped_order(compaction, pfn) if design.remembers else None
        if number is not None and is_order(compaction, pfn, number):
            step += SIZES[number] - 1
        free = number is None and pfn in zone.tag
        if free and lazy and not locked:
            yield Step.LOCK
            locked = True
            zone.visited += 1
            free = pfn in zone.tag
            if not free:
                compaction.log.append(Event(Kind.CHANGED, pfn))
        isolated = isolate_free_block(compaction, run, pfn) if free else 0
        if isolated and design.stops_within and not strict and run.has_enough:
            compaction.log.append(Event(Kind.ENOUGH, pfn, isolated))
            pfn += isolated
            break
        if isolated:
            step += isolated - 1
        elif strict or (free and design.refused):
            break
        pfn += step
    if locked:
        yield Step.UNLOCK
    return pfn if strict else min(pfn, end)


def scan_pageblock(
    compaction: Compaction, run: Run, pfn: Pfn, end: Pfn, stride: int = 1
) -> Steps[Pfn]:
    """Isolate the free blocks of the rest [pfn, end) of a pageblock; where it ended.

    Where the pageblock is looked at again, interrupts are off for its size and 1 frames, two more
    list nodes for each free block there, and one more for each pageblock that changes its type;
    a free block that is larger than the pageblock counts with its own size instead.
    """
    scan = compaction.machine.design.scan
    if scan == "rechecks":
        yield Step.LOCK
        head = head_of(pfn, pageblock_order(compaction.zone))
        if not is_suitable_target(compaction, run, head):
            compaction.log.append(Event(Kind.CHANGED, head, end - head))
            yield Step.UNLOCK
            return end
    pfn = yield from scan_frames(compaction, run, pfn, end, stride)
    sort_targets(compaction, run)
    if scan == "rechecks":
        yield Step.UNLOCK
    return pfn
