"""Whether a zone may serve: what would be left of it, against its marks."""

from pagespec.frames import SIZES
from pagespec.migratetype import CMA, HIGHATOMIC, MOVABLE, REQUESTED, UNMOVABLE, MigrateType
from pagespec.stamps.blocks import free_pages, pages_of
from pagespec.stamps.state import Stamps, managed, pageblock_order
from pagespec.verbs import Op, Verb
from pagespec.watermark.check import (
    Rights,
    free_for,
    has_order_by_counts,
    lowered,
    passes_fast,
)
from pagespec.watermark.marks import BOOST_FACTOR, Marks, boosted, ten_thousandths


def boost(stamps: Stamps) -> None:
    """Raise the marks: a pageblock is being broken up, and kswapd shall work ahead."""
    marks, size = stamps.marks, SIZES[pageblock_order(stamps)]
    if marks is None or not stamps.machine.era.boosts:
        return
    pages = managed(stamps)
    if pages >= 4 * size and ten_thousandths(marks.high, BOOST_FACTOR):
        stamps.boost = boosted(stamps.boost, marks.high, pages, size)
        stamps.boosted = True
    elif stamps.machine.era.wakes_unboosted:
        stamps.boosted = True


def may_serve(stamps: Stamps, op: Op, *, low: bool) -> bool:
    """Whether the zone keeps above a mark, the low one or the least, with the request served.

    Where the high mark is tried first, a zone above it needs no other; one below it is remembered.
    """
    marks = stamps.marks
    if marks is None:
        return True
    if stamps.machine.era.tries_high_first and not stamps.below_high:
        if _keeps_above(stamps, op, marks, marks.high, least=not low):
            return True
        stamps.below_high = True
    if op.emergency:
        return True
    return _keeps_above(stamps, op, marks, marks.low if low else marks.min, least=not low)


def has_room(stamps: Stamps, op: Op) -> bool:
    """Whether the zone keeps above its low mark with every slot of a bulk request filled."""
    marks, single = stamps.marks, op._replace(order=0, atomic=False)
    return marks is None or _keeps_above(stamps, single, marks, marks.low + op.pages, least=False)


def forget_low(stamps: Stamps) -> None:
    """Find out whether a zone that fell below its high mark is above it again, CMA left out."""
    if stamps.marks is not None and stamps.below_high:
        anyone = Op(Verb.ALLOC, mt=UNMOVABLE)
        stamps.below_high = not _leaves(stamps, anyone, stamps.marks.high + stamps.boost)


def _keeps_above(stamps: Stamps, op: Op, marks: Marks, mark: int, *, least: bool) -> bool:
    """The question with its shortcut for single frames, and without the boost for urgent ones.

    least: whether the try that asks is one for the least mark.
    """
    rule, raised = stamps.machine.era.shortcut, mark + stamps.boost
    if rule != "none" and op.order == 0:
        hidden = _hidden(stamps, op, reserve=rule != "wraps-cma-only")
        wraps = rule != "stops"
        if passes_fast(_seen_free(stamps), hidden, raised, 0, wraps=wraps):
            return True
    if _leaves(stamps, op, raised):
        return True
    spares = stamps.machine.era.spares_urgent and stamps.boost > 0
    urgent = spares and least and op.order == 0 and op.atomic
    return urgent and _leaves(stamps, op, marks.min)


def _leaves(stamps: Stamps, op: Op, mark: int) -> bool:
    """Whether more than the mark is left for others, and such a block is there at all."""
    era = stamps.machine.era
    left = free_for(_seen_free(stamps), op.order, _hidden(stamps, op, reserve=True))
    mark = lowered(mark, Rights(high=op.atomic, harder=op.atomic), era.rights)
    if left <= mark:
        return False
    if op.order == 0 or era.order_check == "none":
        return True
    if era.order_check == "counts":
        counts = [sum(block.order == order for block in stamps.stamp) for order in range(op.order)]
        return has_order_by_counts(left, mark, op.order, counts)
    return _has_block(stamps, op)


def told_free(stamps: Stamps) -> int:
    """The free frames that the zone has been told of; below 0 they read as none."""
    cells = stamps.cells
    return free_pages(stamps) if cells is None else max(0, cells.free.told)


def told_cma(stamps: Stamps) -> int:
    """The same of CMA's."""
    cells = stamps.cells
    return pages_of(stamps, CMA) if cells is None else max(0, cells.cma.told)


def _seen_free(stamps: Stamps) -> int:
    """The free frames that the marks are asked about.

    Only in 2.6.37 what CPUs keep is added, while kswapd is awake and too little has been told.
    """
    told, cells = told_free(stamps), stamps.cells
    adds_up = stamps.machine.era.close_reads == "while-reclaiming" and stamps.reclaiming
    if cells is not None and adds_up and told < cells.drift_mark:
        return max(0, cells.free.told + sum(cells.free.kept))
    return told


def _hidden(stamps: Stamps, op: Op, *, reserve: bool) -> int:
    """The free frames that are not for the request. reserve: whether the reserve's are among them.

    Where lists do not follow the types, the whole of the reserve is set apart.
    """
    era = stamps.machine.era
    pages = 0 if op.mt is MOVABLE else told_cma(stamps)
    if reserve and not op.atomic:
        counted = era.retypes_on_merge
        pages += pages_of(stamps, HIGHATOMIC) if counted else stamps.reserved
    return pages


def _has_block(stamps: Stamps, op: Op) -> bool:
    """Whether a list that may serve has a block as large; in 4.10 any list, for who has rights."""
    sufficient = {mt for block, mt in stamps.listed.items() if block.order >= op.order}
    if op.atomic and stamps.machine.era.order_check == "lists-or-rights":
        return bool(sufficient)
    usable: set[MigrateType] = set(REQUESTED)
    if op.mt is MOVABLE:
        usable.add(CMA)
    if op.atomic:
        usable.add(HIGHATOMIC)
    return not usable.isdisjoint(sufficient)
