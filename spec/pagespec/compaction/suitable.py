"""Whether compaction is of any use, and whether it is done.

For a while moving takes twice the frames, so the zone must have some to spare. And if what is
missing is memory, not contiguity, moving blocks about does not help.

Source: mm/compaction.c (compaction_suitable, compact_finished, compact_gap) and mm/vmstat.c
(__fragmentation_index), 2.6.37 to 6.12.
"""

from pagespec.compaction.events import Event, Kind
from pagespec.compaction.state import Compaction, Run, last_pageblock
from pagespec.compaction.verbs import WHOLE, Result
from pagespec.fallback import can_steal
from pagespec.frames import SIZES, is_aligned
from pagespec.migratetype import CMA, FALLBACKS, MOVABLE
from pagespec.pageblock import pageblock_order
from pagespec.rmqueue import Want
from pagespec.types import Order
from pagespec.watermark.check import NO_RIGHTS
from pagespec.watermark.ok import watermark_ok
from pagespec.zone import Zone

COSTLY: Order = 3
"""The largest order for which callers would rather wait for ever than go without."""

THRESHOLD = 500
"""A fragmentation index up to which a failure is put down to a lack of memory, by default."""

HAS_BLOCK = -1000
"""The fragmentation index of a zone that has a block of the order."""


def fragmentation_index(order: Order, free_pages: int, free_blocks: int, suitable: int) -> int:
    """Whether a request would fail for want of memory (towards 0) or contiguity (towards 1000).

    free_blocks: all that are free. suitable: how many are of the order or larger.

    >>> fragmentation_index(3, 32, 32, 0), fragmentation_index(3, 8, 8, 0)
    (844, 750)
    >>> fragmentation_index(1, 1, 1, 0), fragmentation_index(3, 32, 4, 4)
    (-500, -1000)

    pre: 0 <= order <= 15
    pre: free_blocks >= 0 and free_pages >= free_blocks and 0 <= suitable <= free_blocks
    post: __return__ <= 1000
    """
    if free_blocks == 0:
        return 0
    if suitable:
        return HAS_BLOCK
    return 1000 - (1000 + free_pages * 1000 // SIZES[order]) // free_blocks


def compact_gap(order: Order) -> int:
    """The frames that must be free beyond the mark: twice those of the wanted block."""
    return 2 * SIZES[order]


def index_of(zone: Zone, order: Order) -> int:
    """The fragmentation index of a zone as its lists stand."""
    pages = sum(blocks * SIZES[size] for size, blocks in enumerate(zone.nr_free))
    return fragmentation_index(order, pages, sum(zone.nr_free), sum(zone.nr_free[order:]))


def keeps(zone: Zone, want: Want, mark: str, pages: int) -> bool:
    """Whether the zone keeps so many frames above a mark, with its boost; always without marks."""
    levels = zone.levels
    if levels is None:
        return True
    above = getattr(levels.marks, mark) + levels.boost + pages
    return watermark_ok(zone, want, above, 0, NO_RIGHTS)


def use_of(compaction: Compaction, run: Run) -> Result | None:
    """Whether there is no use in a run, because there is a block or too little; None if there is.

    A run for the whole zone is always of use.
    """
    zone, order = compaction.zone, run.order
    if order == WHOLE:
        return None
    early = compaction.machine.design.meeting == "frames"
    asks = zone.levels is None
    if not early and (has_block(zone, run) if asks else keeps(zone, Want(order, run.mt), "min", 0)):
        return Result.SUCCESS
    mark = "low" if early or order > COSTLY else "min"
    index = index_of(zone, order)
    if not keeps(zone, Want(0, MOVABLE), mark, compact_gap(order)):
        return Result.SKIPPED
    if (early or order > COSTLY) and 0 <= index <= THRESHOLD:
        return Result.SKIPPED
    if early and index == HAS_BLOCK and keeps(zone, Want(order), "low", compact_gap(order)):
        return Result.SUCCESS
    return None


def has_block(zone: Zone, run: Run) -> bool:
    """Whether an allocation of the wanted order and type would find a free block by now.

    Of its own type, of CMA's where that will do, or, since 4.10, of another type that it may take.
    """
    for order in range(run.order, zone.machine.top + 1):
        lists = zone.free_area[order]
        if lists[run.mt] or (run.mt is MOVABLE and lists.get(CMA)):
            return True
        if zone.machine.era.fallback == "take-largest":
            if order >= pageblock_order(zone) and zone.nr_free[order]:
                return True
        elif can_steal(zone, order, run.mt) and any(lists[mt] for mt in FALLBACKS[run.mt]):
            return True
    return False


def have_met(compaction: Compaction, run: Run) -> bool:
    """Whether the free scanner stands no higher than the other one."""
    if compaction.machine.design.meeting == "frames":
        return run.free <= run.migrate
    size = SIZES[pageblock_order(compaction.zone)]
    return run.free // size <= run.migrate // size


def finished(compaction: Compaction, run: Run) -> Result | None:
    """How the run has ended, or None while there is more to do.

    Until 4.10 a caller that is to die is asked about first. Since 5.1 a pageblock is always
    finished, and a run for the whole zone goes on until a scanner finds out.
    """
    zone, design = compaction.zone, compaction.machine.design
    if not design.seeks and (run.killed or run.contended):
        compaction.log.append(Event(Kind.KILLED, run.migrate))
        return Result.CONTENDED
    if have_met(compaction, run):
        _begin_anew(compaction, run)
        return Result.COMPLETE if run.whole else Result.PARTIAL
    if run.order == WHOLE:
        return None
    if design.seeks and not is_aligned(run.migrate, pageblock_order(zone)):
        return None
    early = design.meeting == "frames"
    enough = not early or keeps(zone, Want(run.order), "low", SIZES[run.order])
    if enough and has_block(zone, run):
        return Result.SUCCESS
    return Result.CONTENDED if run.killed or run.contended else None


def _begin_anew(compaction: Compaction, run: Run) -> None:
    """The scanners have met: the next run begins at the zone's ends."""
    compaction.log.append(Event(Kind.MET, run.migrate))
    if compaction.machine.design.remembers:
        forget_positions(compaction)
        # Whoever asks for an allocation needs what was passed over; the background can wait.
        compaction.flush = compaction.flush or run.direct


def forget_positions(compaction: Compaction) -> None:
    """Let the next run begin at the zone's ends."""
    start = compaction.zone.machine.start
    compaction.cached_free = last_pageblock(compaction.zone)
    compaction.cached_migrate = [start, start]
