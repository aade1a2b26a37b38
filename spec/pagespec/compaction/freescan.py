"""The free scanner: it walks down a zone by pageblocks until there is enough.

Source: mm/compaction.c (isolate_freepages, isolate_freepages_range), 2.6.37 to 6.12; the February
2011 thread.
"""

from pagespec.bounds import frame_exists
from pagespec.compaction.design import CLUSTER
from pagespec.compaction.events import Event, Kind
from pagespec.compaction.scan import is_whole, scan_frames, scan_pageblock
from pagespec.compaction.seek import seek
from pagespec.compaction.state import Compaction, Run
from pagespec.compaction.targets import is_suitable_target
from pagespec.frames import SIZES, head_of
from pagespec.pageblock import pageblock_order
from pagespec.steps import Step, Steps
from pagespec.types import Pfn


def walk_by_frames(compaction: Compaction, run: Run) -> Steps[None]:
    """Until 2.6.39: pageblocks whose first frame is there, above the one beside the other scanner.

    A pageblock is always finished. The next walk begins at the highest one that yielded anything,
    since what was moved may have left something there.
    """
    zone, design = compaction.zone, compaction.machine.design
    size = SIZES[pageblock_order(zone)]
    pfn = run.free
    low = run.migrate + size
    high = low if design.free_bound == "low" else min(low, pfn)
    while pfn > low and not run.has_enough:
        if frame_exists(zone.machine, pfn) and is_suitable_target(compaction, run, pfn):
            before = run.target_pages
            end = min(pfn + size, zone.machine.end)
            yield from scan_pageblock(compaction, run, pfn, end)
            if run.target_pages > before:
                high = max(high, pfn)
        pfn -= size
    run.free = high


def is_passed_over(compaction: Compaction, run: Run, pfn: Pfn) -> bool:
    """Whether a run that heeds them finds the pageblock among those without anything of late."""
    number = compaction.zone.machine.pageblock_number(pfn)
    passed = run.heeds and number in compaction.skips
    if passed:
        compaction.log.append(Event(Kind.PASSED_OVER, pfn))
    return passed


def pass_over(compaction: Compaction, run: Run, pfn: Pfn, *, found: bool) -> None:
    """Remember a pageblock that was walked to its end, so that later runs begin below it."""
    design = compaction.machine.design
    if not design.skips_used and (found or not run.heeds):
        return
    compaction.skips.add(compaction.zone.machine.pageblock_number(pfn))
    cached = pfn - SIZES[pageblock_order(compaction.zone)] if design.caches_next else pfn
    compaction.cached_free = min(compaction.cached_free, cached)


def walk_by_pageblocks(compaction: Compaction, run: Run) -> Steps[None]:
    """Since then: pageblocks from the one where the last walk ended, down to the other scanner's.

    It ends as soon as there is enough, or where a block may not be taken; the next walk goes on
    there. If there was nothing left, it ends below the other scanner, so that they have met.
    """
    zone, design = compaction.zone, compaction.machine.design
    size = SIZES[pageblock_order(zone)]
    pfn = run.free
    first = head_of(pfn, pageblock_order(zone))
    end = min(first + size, zone.machine.end)
    low = head_of(run.migrate, pageblock_order(zone)) + size
    widest = CLUSTER if design.seeks else 1
    stride = widest if run.mode == "async" else 1
    while first >= low:
        if (
            is_whole(zone, first, end)
            and is_suitable_target(compaction, run, first)
            and not is_passed_over(compaction, run, first)
        ):
            before = run.target_pages
            pfn = yield from scan_pageblock(compaction, run, pfn, end, stride)
            found = run.target_pages > before
            if pfn == end:
                pass_over(compaction, run, first, found=found)
            if run.has_enough:
                if pfn >= end:
                    pfn = first - size
                break
            if pfn < end:
                break
            stride = 1 if found else min(widest, 2 * stride)
        end = first
        first -= size
        pfn = first
    run.free = pfn


def isolate_freepages(compaction: Compaction, run: Run) -> Steps[None]:
    """Isolate a frame for each that is to be moved, as far as there are any above.

    Where the lock is held throughout, interrupts are off for all the pageblocks that are walked,
    each of which counts as `scan_pageblock` has it.
    """
    design = compaction.machine.design
    if design.seeks:
        yield from seek(compaction, run)
        if run.target_pages:
            return
    if design.scan == "locked":
        yield Step.LOCK
    if design.free_bound == "block":
        yield from walk_by_pageblocks(compaction, run)
    else:
        yield from walk_by_frames(compaction, run)
    if design.scan == "locked":
        yield Step.UNLOCK


def isolate_range(compaction: Compaction, run: Run, pfn: Pfn, end: Pfn) -> Steps[bool]:
    """Isolate every frame of the range for a run, pageblock by pageblock; whether all were free.

    What a free block has beyond the range is isolated along with it.
    """
    zone = compaction.zone
    while pfn < end:
        edge = min(head_of(pfn, pageblock_order(zone)) + SIZES[pageblock_order(zone)], end)
        pfn = yield from scan_frames(compaction, run, pfn, edge, 1, strict=True)
        if pfn < edge:
            return False
    return True
