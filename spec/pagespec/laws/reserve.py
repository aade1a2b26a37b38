"""Laws about memory that is kept for some: reserved, CMA, or isolated."""

from pagespec.era import Era
from pagespec.frames import SIZES
from pagespec.laws.fallback import run_to_move
from pagespec.laws.frame import newly_filled
from pagespec.laws.holdings import due_refusal
from pagespec.laws.law import Complaint, LawBook, Transition
from pagespec.laws.masks import managed_frames
from pagespec.laws.serving import by_buddy, served, source_of
from pagespec.laws.sources import may_unreserve, uses_reserve_first
from pagespec.laws.swept import changes
from pagespec.laws.tries import due_try
from pagespec.laws.types import end_of, has_pageblocks, types_of
from pagespec.laws.ways import leaks_isolated, mixes_huge
from pagespec.laws.wording import wording
from pagespec.migratetype import CMA, HIGHATOMIC, ISOLATE, MOVABLE
from pagespec.types import Block
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone

KEPT_LAWS: LawBook[Transition] = LawBook()
RESERVE_LAWS: LawBook[Transition] = LawBook()


def has_reserve(era: Era) -> bool:
    """Whether the era keeps pageblocks for atomic requests."""
    return era.reserve != "none"


def has_cma(era: Era) -> bool:
    """Whether the era has memory that a device may claim whole."""
    return era.cma != "none"


@KEPT_LAWS.law(
    "ISO-held",
    eras=has_pageblocks,
    source="mm/page_isolation.c, set_migratetype_isolate, 2.6.37 to 6.12",
)
def isolated_stays(step: Transition) -> Complaint:
    """No allocation returns a frame of an isolated pageblock.

    Isolated memory is being emptied; what is handed out there makes the work endless. Until 2.6.39
    a block could leave by way of a CPU's list.
    """
    zone = step.before.zone
    if zone.machine.pageblock is None or leaks_isolated(zone.machine):
        return None
    for got in given(step):
        if ISOLATE in types_of(zone, got):
            return f"{wording(step.op)} got {got}, which lies in isolated memory"
    return None


def given(step: Transition) -> list[Block]:
    """The blocks that a request for any block, or for many, was given."""
    if not served(step, Verb.ALLOC, Verb.BULK):
        return []
    if step.op.verb is Verb.ALLOC:
        return [Block(step.outcome, step.op.order)]
    return [Block(pfn, 0) for pfn in newly_filled(step)]


@KEPT_LAWS.law(
    "CMA-only-movable",
    eras=has_cma,
    source="mm/page_alloc.c, __rmqueue and __rmqueue_cma_fallback, 4.10 to 6.12",
)
def only_movable_uses_cma(step: Transition) -> Complaint:
    """No frame of a CMA pageblock is allocated but for a movable request.

    A device will claim that memory whole; what cannot be moved away makes the claim fail. A range
    that is allocated as such may lie there: that is the claim. In 6.1 CPUs keep huge blocks of all
    types on one list, which gives CMA memory to anybody.
    """
    zone, op = step.before.zone, step.op
    if zone.machine.pageblock is None or op.mt is MOVABLE:
        return None
    if mixes_huge(zone.machine) and op.order == zone.machine.pageblock:
        return None
    for got in given(step):
        if CMA in types_of(zone, got):
            return f"{wording(op)} got {got} of CMA memory"
    return None


def reserve_limit(zone: Zone) -> int:
    """The size at which the reserve stops to grow: about one percent of the zone, in frames.

    At least one pageblock until 6.1; whole pageblocks in 6.12, none if a percent is less than one.
    What is offline does not count.
    """
    size = SIZES[zone.machine.pageblock or 0]
    managed = managed_frames(zone.machine).bit_count() - len(zone.offline) * size
    percent = managed // 100
    if zone.machine.era.reserve == "at-least-one":
        return percent + size
    return (percent + size - 1) // size * size if percent >= size else 0


def reserved_by(zone: Zone, got: Block) -> range:
    """The pageblocks, by number, that an atomic request for the block may add to the reserve.

    The block's first; in 6.12 all those that it covers.
    """
    number = zone.machine.pageblock_number(got.pfn)
    last = zone.machine.pageblock_number(end_of(got) - 1)
    return range(number, (last if zone.machine.era.retypes_on_merge else number) + 1)


@RESERVE_LAWS.law(
    "HA-reserve",
    eras=has_reserve,
    source="mm/page_alloc.c, rmqueue and reserve_highatomic_pageblock, 4.10 to 6.12",
)
def reserved(step: Transition) -> Complaint:
    """The reserve serves atomic requests only, and each of these adds its pageblock, up to a limit.

    Requests for more than one frame; in 6.12 single ones too, when all else failed. A larger block
    adds all that it covers in 6.12, its first pageblock before. CMA and isolated memory never joins
    it, in 6.12 nor does what the zone's ends cut. It shrinks only when it is told to, or for
    the last try of a request that can wait. Without it a request that cannot fails wherever memory
    is in small pieces.
    """
    before, after, op = step.before.zone, step.after.zone, step.op
    if before.machine.pageblock is None:
        return None
    growth = after.nr_reserved - before.nr_reserved
    if op.verb in (Verb.ALLOC, Verb.BULK) and before.levels is not None:
        if due_refusal(before, op) is not None:
            return None
        tried = due_try(before, op._replace(order=op.order if op.verb is Verb.ALLOC else 0))
        op = tried.op
        if tried.number == "last" and growth <= 0:
            return None
    if growth < 0 and op.verb is not Verb.UNRESERVE:
        return f"{wording(op)} took {-growth} frames from the reserve"
    if not served(step, Verb.ALLOC):
        return f"{wording(op)} added {growth} frames to the reserve" if growth > 0 else None
    plain = by_buddy(step)
    taken = None if plain is None else source_of(plain)
    last = before.machine.era.reserve == "one-percent"
    alone = not uses_reserve_first(before, op) and not last
    # In 5.15 and 6.1 what is on the reserve's lists may lie in another type's pageblock, whose
    # claim takes it along.
    kept = taken is not None and HIGHATOMIC in types_of(before, taken.block)
    if taken is not None and taken.mt is HIGHATOMIC and kept and (alone or not op.atomic):
        return f"{wording(op)} took {taken.block} of the reserve"
    due = due_growth(before, op, Block(step.outcome, op.order))
    if growth == due:
        return None
    return (
        f"{wording(op)} added {growth} frames to the reserve, which had {before.nr_reserved}; "
        f"expected {due}, as its limit is {reserve_limit(before)}"
    )


def due_growth(zone: Zone, op: Op, got: Block) -> int:
    """How many frames a request that was given that block must add to the reserve."""
    may = op.atomic and op.order > 0 and zone.nr_reserved < reserve_limit(zone)
    if not may or not {CMA, ISOLATE, HIGHATOMIC}.isdisjoint(types_of(zone, got)[:1]):
        return 0
    pageblock = zone.machine.pageblock or 0
    cut = zone.machine.era.retypes_on_merge and run_to_move(zone, got.pfn) is None
    if cut and got.order < pageblock:
        return 0
    return len(reserved_by(zone, got)) * SIZES[pageblock]


@RESERVE_LAWS.law(
    "HA-return",
    eras=has_reserve,
    source="mm/page_alloc.c, unreserve_highatomic_pageblock, 4.10 to 6.12",
)
def returned(step: Transition) -> Complaint:
    """Giving up reserve gives one pageblock with a free block there to the type that asks.

    The last one stays unless it is forced out. One that the zone's end cuts gives its type and none
    of its blocks, and the next is given too. A reserve that is never given up starves the others;
    one that is given up at once is none.
    """
    zone, op = step.before.zone, step.op
    if zone.machine.pageblock is None or not served(step, Verb.UNRESERVE):
        return None
    if not may_unreserve(zone, op):
        return f"{wording(op)} was served although the reserve has {zone.nr_reserved} frames"
    after, number_of = step.after.zone.pageblocks, zone.machine.pageblock_number
    had = {number_of(block.pfn) for block, mt in step.before.listed if mt is HIGHATOMIC}
    had |= {number_of(end_of(block) - 1) for block, mt in step.before.listed if mt is HIGHATOMIC}
    for number, (was, now) in enumerate(zip(zone.pageblocks, after, strict=True)):
        if was is not now and (now is not op.mt or number not in had):
            return f"{wording(op)} made pageblock {number} {now.name}"
    gone, come = changes(step.before, step.after)
    if {block for block, _ in gone} != {block for block, _ in come}:
        return f"{wording(op)} changed which blocks are free"
    if any(mt is not op.mt for _, mt in come):
        return f"{wording(op)} moved blocks to the lists of another type"
    if len({number_of(block.pfn) for block, _ in come}) > 1:
        return f"{wording(op)} moved blocks of more than one pageblock"
    return None
