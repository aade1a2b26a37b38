"""Frames to move blocks to: from the free lists to a run, to a moved block, or back.

What a run has isolated is allocated to it: not free, and nobody's whom an allocation would find.

Source: mm/page_alloc.c (split_free_page, __isolate_free_page) and mm/compaction.c
(suitable_migration_target, compaction_alloc, compaction_free), 2.6.37 to 6.12.
"""

from pagespec.buddy import del_from_free_list
from pagespec.compaction.design import CompactionDesign
from pagespec.compaction.events import Event, Kind
from pagespec.compaction.state import Compaction, Run
from pagespec.frames import SIZES
from pagespec.migratetype import CMA, HIGHATOMIC, ISOLATE, MOVABLE, RESERVE, MigrateType
from pagespec.pageblock import (
    move_pageblock,
    pageblock_order,
    pageblock_to_move,
    pageblock_type,
    set_pageblock_type,
)
from pagespec.rmqueue import Want
from pagespec.types import Block, Order, Pfn
from pagespec.watermark.check import NO_RIGHTS
from pagespec.watermark.ok import watermark_ok
from pagespec.zone import Zone, account


def is_suitable_target(compaction: Compaction, run: Run, pfn: Pfn) -> bool:
    """Whether frames may be taken from the pageblock whose first frame this is.

    Asked without the lock it is a hint: what it reads may have changed since.
    """
    zone, rule = compaction.zone, compaction.machine.design.targets
    zone.visited += 1
    mt, order = pageblock_type(zone, pfn), zone.tag.get(pfn, -1)
    largest = pageblock_order(zone)
    if rule == "large-or-movable":
        suitable = mt not in (ISOLATE, RESERVE) and (order >= largest or mt is MOVABLE)
    elif rule == "any-if-told" and run.told:
        suitable = True
    else:
        if rule == "below-request" and run.order > 0:
            largest = run.order
        suitable = order < largest and (run.told or mt in (MOVABLE, CMA))
    if not suitable:
        compaction.log.append(Event(Kind.UNSUITABLE, pfn, SIZES[pageblock_order(zone)]))
    return suitable


def may_isolate(zone: Zone, design: CompactionDesign, order: Order, mt: MigrateType) -> bool:
    """Whether the zone keeps above the mark without a free block of that order.

    The mark is raised by the block, and asked for a single frame: that there is such a block is
    known. Since 5.0 without a boost. What waits to be emptied counts as free no more, so that it
    costs nothing.
    """
    levels = zone.levels
    if levels is None or (mt is ISOLATE and design.target_mark == "min"):
        return True
    mark = levels.marks.low if design.target_mark == "low" else levels.marks.min
    return watermark_ok(zone, Want(0, MOVABLE), mark + SIZES[order], 0, NO_RIGHTS)


def isolate_free_block(compaction: Compaction, run: Run, pfn: Pfn) -> int:
    """Give a run the free block that the frame heads; how many frames, 0 if it may not be.

    Under the zone's lock. A block that is at least half a pageblock makes it movable, as a fallback
    would. Looks at one list node and at each pageblock that so becomes movable; and where lists and
    types agree (6.12), at the pageblock's frames and two list nodes for each free block there.
    """
    zone, design = compaction.zone, compaction.machine.design
    order, mt = zone.tag[pfn], pageblock_type(zone, pfn)
    if not may_isolate(zone, design, order, mt):
        compaction.log.append(Event(Kind.REFUSED, pfn, SIZES[order]))
        return 0
    del_from_free_list(zone, pfn, order)
    account(zone, -SIZES[order], mt)
    if order >= pageblock_order(zone) - 1:
        _make_movable(zone, pfn, order)
    run.fresh.append(Block(pfn, order))
    compaction.log.append(Event(Kind.TARGET, pfn, SIZES[order]))
    return SIZES[order]


KEEP_THEIR_TYPE = (ISOLATE, CMA, HIGHATOMIC)
"""The types of pageblocks that no other type may take over."""


def _make_movable(zone: Zone, pfn: Pfn, order: Order) -> None:
    size = SIZES[pageblock_order(zone)]
    for head in range(pfn, pfn + SIZES[order], size):
        if pageblock_type(zone, head) in KEEP_THEIR_TYPE:
            continue
        if zone.machine.era.retypes_on_merge:
            # Lists and types agree: what else is free there goes along, or nothing changes.
            if pageblock_to_move(zone, head) is None:
                continue
            move_pageblock(zone, head, MOVABLE)
        zone.visited += 1
        set_pageblock_type(zone, head, MOVABLE)


def sort_targets(compaction: Compaction, run: Run) -> None:
    """Make the blocks that were isolated ready to be used.

    As single frames the last is used first, as the kernel's lists have it; as blocks the first.
    Looks at every frame or block that is listed.
    """
    zone, blocks, run.fresh = compaction.zone, run.fresh, []
    if compaction.machine.design.keeps_orders:
        for block in blocks:
            run.targets[block.order].append(block)
        zone.visited += len(blocks)
        return
    frames = [Block(pfn, 0) for head, order in blocks for pfn in range(head, head + SIZES[order])]
    zone.visited += len(frames)
    run.targets[0][:0] = reversed(frames)


def take_target(compaction: Compaction, run: Run, order: Order) -> Pfn | None:
    """The next isolated block of that order, cut off a larger one if need be, or None."""
    for larger in range(order, len(run.targets)):
        if run.targets[larger]:
            pfn = run.targets[larger].pop(0).pfn
            while larger > order:
                larger -= 1
                run.targets[larger].insert(0, Block(pfn + SIZES[larger], larger))
                compaction.log.append(Event(Kind.CUT, pfn, SIZES[larger + 1]))
            return pfn
    return None


def put_target_back(run: Run, pfn: Pfn, order: Order) -> None:
    """Let a run have the block again that was not used: it is the next one."""
    run.targets[order].insert(0, Block(pfn, order))


def no_targets(compaction: Compaction) -> list[list[Block]]:
    """The empty lists of a run."""
    orders = compaction.zone.machine.top + 1 if compaction.machine.design.keeps_orders else 1
    return [[] for _ in range(orders)]
