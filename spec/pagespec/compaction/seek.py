"""Free blocks sought on their lists, so that few pageblocks must be walked (since 5.1).

The lists of movable blocks that are smaller than what is wanted are searched from their tails, for
a block in the uppermost quarter of what lies between the scanners, or at least in the upper half.

Not modelled: that the migrate scanner seeks pageblocks to begin with in the same way.
Source: mm/compaction.c (fast_isolate_freepages, fast_isolate_around), 5.8 to 6.12.
"""

from typing import NamedTuple

from pagespec.compaction.design import CLUSTER
from pagespec.compaction.events import Event, Kind
from pagespec.compaction.scan import is_whole, scan_frames
from pagespec.compaction.state import Compaction, Run, last_pageblock
from pagespec.compaction.targets import isolate_free_block, sort_targets
from pagespec.frames import SIZES, head_of
from pagespec.migratetype import MOVABLE
from pagespec.pageblock import pageblock_order
from pagespec.steps import Step, Steps
from pagespec.types import Order, Pfn
from pagespec.zone import FreeList


class Looked(NamedTuple):
    """What a look through one list found.

    pfn: the block to take, if any. entries: how many were looked at. highest: the first frame of
    the highest pageblock seen so far. limit: how many are to be looked at of the next list.
    preferred: whether the block lies where one was wanted.
    """

    pfn: Pfn | None
    entries: int
    highest: Pfn
    limit: int
    preferred: bool


def look_through(
    compaction: Compaction, blocks: FreeList, low: Pfn, least: Pfn, highest: Pfn, limit: int
) -> Looked:
    """Look through a list from its tail, and turn it round so that the next look begins elsewhere.

    low, least: where a block should lie, and where it must.
    """
    zone = compaction.zone
    entries = 0
    best: Pfn | None = None
    for pfn in reversed(blocks):
        entries += 1
        zone.visited += 1
        if pfn >= highest:
            highest = max(head_of(pfn, pageblock_order(zone)), zone.machine.start)
        if pfn >= low:
            _begin_with(blocks, pfn)
            return Looked(pfn, entries, highest, limit, preferred=True)
        if pfn >= least and (best is None or pfn > best):
            best = pfn
            limit //= 2
        if entries >= limit:
            _begin_with(blocks, pfn if best is None else best)
            break
    else:
        if best is not None:
            _begin_with(blocks, best)
    return Looked(best, entries, highest, limit, preferred=False)


def _begin_with(blocks: FreeList, pfn: Pfn) -> None:
    before = []
    for other in blocks:
        if other == pfn:
            break
        before.append(other)
    for other in before:
        blocks.move_to_end(other)


def next_order(run: Run, order: Order) -> Order | None:
    """The order to search after this one, downward and round, or None if all have been."""
    order = order - 1 if order > 0 else run.order - 1
    if order != run.sought:
        return order
    run.sought = run.sought - 1 if run.sought > 0 else run.order - 1
    return None


def seek(compaction: Compaction, run: Run) -> Steps[None]:
    """Isolate a block that is found on its list, and what else is free in its pageblock.

    Interrupts are off for one list at a time: for as many entries as are looked at, the limit at
    most, with one list node and one pageblock for what is taken.
    """
    zone = compaction.zone
    if run.order <= 0:
        return
    size = SIZES[pageblock_order(zone)]
    begins = run.free >= last_pageblock(zone)
    limit = size // 2 if begins else max(1, ((CLUSTER >> run.sought_vainly) + 1) // 2)
    low = head_of(run.free - (run.free - run.migrate) // 4, pageblock_order(zone))
    least = head_of(run.free - (run.free - run.migrate) // 2, pageblock_order(zone))
    run.sought = min(run.order - 1, run.sought)
    highest = 0
    found: Pfn | None = None
    order: Order | None = run.sought
    while found is None and order is not None:
        if not zone.nr_free[order]:
            order = next_order(run, order)
            continue
        yield Step.LOCK
        blocks = zone.free_area[order][MOVABLE]
        looked = look_through(compaction, blocks, low, least, highest, limit)
        highest, limit, found = looked.highest, looked.limit, looked.pfn
        if looked.preferred:
            run.sought, run.sought_vainly = order, 0
        refused = found is not None and not isolate_free_block(compaction, run, found)
        if found is not None and not refused:
            compaction.log.append(Event(Kind.SOUGHT, found, SIZES[order]))
        yield Step.UNLOCK
        if refused:
            # Another block would be refused as well.
            found = None
            order = next_order(run, run.sought + 1)
        elif run.has_enough:
            break
        else:
            if looked.entries >= limit:
                limit = max(1, limit // 2)
            order = next_order(run, order)
    sort_targets(compaction, run)
    if found is None:
        found = _begin_elsewhere(compaction, run, highest, least, begins=begins)
    if highest and highest >= compaction.cached_free:
        compaction.cached_free = highest - size
    if found is not None:
        yield from scan_around(compaction, run, found)


def _begin_elsewhere(
    compaction: Compaction, run: Run, highest: Pfn, least: Pfn, *, begins: bool
) -> Pfn | None:
    """Where to begin if nothing was found at the start of a run: the highest pageblock seen."""
    zone = compaction.zone
    run.sought_vainly += 1
    if not begins:
        return None
    if highest >= least:
        run.free = highest
        return highest
    if not run.direct:
        return None
    run.free = least
    end = min(least + SIZES[pageblock_order(zone)], zone.machine.end)
    return least if is_whole(zone, least, end) else None


def scan_around(compaction: Compaction, run: Run, pfn: Pfn) -> Steps[None]:
    """Isolate what else is free in the frame's pageblock, within the zone, if more is needed.

    Under one hold of the lock where a scanner holds it for a pageblock or longer.
    """
    zone = compaction.zone
    holds = compaction.machine.design.scan != "lazy"
    if run.has_enough or (run.direct and run.mode == "async"):
        return
    first = max(head_of(pfn, pageblock_order(zone)), zone.machine.start)
    end = min(head_of(pfn, pageblock_order(zone)) + SIZES[pageblock_order(zone)], zone.machine.end)
    if not is_whole(zone, first, end):
        return
    compaction.log.append(Event(Kind.AROUND, first, end - first))
    if holds:
        yield Step.LOCK
    reached = yield from scan_frames(compaction, run, first, end, 1)
    sort_targets(compaction, run)
    if holds:
        yield Step.UNLOCK
    if reached == end:
        compaction.skips.add(zone.machine.pageblock_number(first))
