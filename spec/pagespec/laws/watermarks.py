"""Laws about a zone's watermarks: what they are, whom they let through, and who hears of it."""

from pagespec.frames import SIZES
from pagespec.laws.drains import freed_by_lists
from pagespec.laws.law import Complaint, LawBook, Transition
from pagespec.laws.masks import managed_frames
from pagespec.laws.owners import FREEING, served_or_failed
from pagespec.laws.replay import after_frees
from pagespec.laws.serving import served
from pagespec.laws.sized import due_marks
from pagespec.laws.swept import Swept
from pagespec.laws.tries import (
    due_try,
    keeps_above,
    kept_back,
    passes_at,
    rights_of,
    serves_by_list,
)
from pagespec.laws.visits import found_below
from pagespec.laws.ways import goes_by_lists, number_of, set_of, type_of
from pagespec.laws.wording import wording
from pagespec.migratetype import MOVABLE
from pagespec.types import NO_MEMORY, Pfn
from pagespec.verbs import Op, Verb
from pagespec.watermark.check import NO_RIGHTS
from pagespec.watermark.levels import Levels
from pagespec.watermark.marks import (
    BOOST_FACTOR,
    ten_thousandths,
)
from pagespec.zone import Zone

MARK_LAWS: LawBook[Swept] = LawBook()
WATERMARK_LAWS: LawBook[Transition] = LawBook()


@MARK_LAWS.law(
    "WM-formula", source="mm/page_alloc.c, __setup_per_zone_wmarks and boost_watermark, to 6.12"
)
def by_formula(swept: Swept) -> Complaint:
    """The marks follow from min_free_kbytes and the zone's size, and a boost stays in its bounds.

    Marks that are too low let the zone run dry before kswapd wakes; too high ones waste memory. A
    boost is at most one and a half of the high mark, or a pageblock.
    """
    zone = swept.zone
    machine, levels = zone.machine, zone.levels
    if machine.min_free is None or levels is None:
        return None
    pages = managed_frames(machine).bit_count()
    due = due_marks(machine.era, machine.min_free, pages)
    if levels.marks != due:
        return f"the marks are {levels.marks}, expected {due}"
    most = 0
    if machine.era.boosts and machine.pageblock is not None:
        most = max(SIZES[machine.pageblock], ten_thousandths(due.high, BOOST_FACTOR))
    if not 0 <= levels.boost <= most:
        return f"the marks are boosted by {levels.boost} frames, at most {most} are due"
    if levels.below_high and not machine.era.tries_high_first:
        return "the zone is said to be below its high mark, which the era does not ask"
    return None


@WATERMARK_LAWS.law(
    "WM-sound", source="mm/page_alloc.c, __zone_watermark_ok and zone_watermark_fast, to 6.12"
)
def sound(step: Transition) -> Complaint:
    """A request that is no emergency is served only if more is free than it must leave to others.

    The frames below are for those that cannot wait, and for whoever frees memory, for whom no CPU
    gives back what it keeps. At the last try that counts as well. Until 5.15 single frames passed
    when more was reserved than free.
    """
    zone, op, after = step.before.zone, step.op, step.after.zone
    if not served(step, Verb.ALLOC) or zone.levels is None:
        return None
    number = due_try(zone, op).number
    if number == "none":
        return f"{wording(op)} was served although {zone.free_pages} free frames are too few"
    if number != "last":
        return None
    if not step.before.kept_pages and not zone.nr_reserved:
        return f"{wording(op)} was served although nothing comes back before the last try"
    least = zone.levels.marks.min + zone.levels.boost + kept_back(zone)
    aside = after.free_highatomic if zone.machine.era.retypes_on_merge else after.nr_reserved
    if type_of(zone, op) is not MOVABLE:
        aside += after.free_cma
    left = after.free_pages + step.after.kept_pages + 1 - aside
    if zone.machine.guard:
        # Which guards merge with what comes back is not known: all may.
        left += (step.before.guards | step.after.guards).bit_count()
    left += most_kept(zone) + most_kept(after)
    wraps = op.order == 0 and zone.machine.era.shortcut in ("wraps", "wraps-cma-only")
    if left > least or wraps:
        return None
    return f"{wording(op)} was served at last, from {left} frames, {least} must be left"


def most_kept(zone: Zone) -> int:
    """By how much what a request knows of, free and CMA frames, may be off when it asks."""
    if zone.cells is None:
        return 0
    threshold = zone.cells.threshold
    counts = (*zone.cells.free.kept, *zone.cells.cma.kept)
    return sum(max(threshold, abs(kept)) for kept in counts)


@WATERMARK_LAWS.law("WM-serve", source="mm/page_alloc.c, get_page_from_freelist, 2.6.11 to 6.12")
def serves(step: Transition) -> Complaint:
    """A request fails only if no try passes its mark and finds a block; kswapd wakes at the second.

    The first try leaves the low mark, without rights; the second the lowest, with them; in an
    emergency one more leaves none. The last, not for who cannot wait, comes when CPUs have given
    back what they kept. Kswapd that is not woken, also for a boost, lets all who follow fail.
    """
    zone, op, after = step.before.zone, step.op, step.after.zone
    if zone.levels is None or after.levels is None or not served_or_failed(step):
        return None
    if op.verb is not Verb.ALLOC:
        return _kswapd(step)
    number = due_try(zone, op).number
    failed = step.outcome == NO_MEMORY
    if failed and number in ("low", "min", "emergency"):
        return f"{wording(op)} failed although the zone may serve it at its {number} try"
    may = passes_at(after, op, "min", rights_of(op)) and serves_by_list(after, op) is not None
    if failed and number == "last" and may:
        return f"{wording(op)} failed although what CPUs kept may serve it"
    if not failed and number == "last" and (kept := kept_elsewhere(after, op)):
        return f"{wording(op)} was served before CPUs gave back {kept}, the last try is due"
    due = zone.levels.reclaiming or number != "low" or boosts(zone.levels, after.levels)
    # A boost that has met its limit shows in no number, and wakes kswapd all the same; in 5.8 so
    # does one that there was no room for.
    era = zone.machine.era
    hidden = era.boosts and (after.levels.boost > 0 or era.wakes_unboosted)
    if after.levels.reclaiming is due or (after.levels.reclaiming and hidden):
        return None
    woken = "was" if after.levels.reclaiming else "was not"
    return f"{wording(op)} is due at try {number}, and kswapd {woken} woken"


def kept_elsewhere(zone: Zone, op: Op) -> list[Pfn]:
    """What CPUs keep on other lists than the one that may have been refilled for the request."""
    refilled = None
    if goes_by_lists(zone, op, op.order):
        refilled = set_of(zone, op).lists[number_of(zone.machine, op.order, type_of(zone, op))]
    lists = [blocks for pcps in zone.pcps for pcp in pcps for blocks in pcp.lists]
    return [pfn for blocks in lists if blocks is not refilled for pfn in blocks]


def boosts(before: Levels, after: Levels) -> bool:
    """Whether kswapd is to be woken for a boost: of this request, or of a bulk one before."""
    return before.boosted or after.boost > before.boost


def _kswapd(step: Transition) -> Complaint:
    """Other requests let kswapd be, but for one that says that it rests; a bulk one may wake it."""
    was, now = step.before.zone.levels, step.after.zone.levels
    if was is None or now is None or step.op.verb is Verb.BULK:
        return None
    rests = step.op.verb is Verb.REST
    if rests and (now.reclaiming or now.boost):
        return f"kswapd rests, and reclaims or leaves a boost of {now.boost} frames"
    if not rests and now.reclaiming is not was.reclaiming:
        return f"{wording(step.op)} changed whether kswapd works"
    return None


@WATERMARK_LAWS.law(
    "WM-high",
    eras=lambda era: era.tries_high_first,
    source="mm/page_alloc.c, ZONE_BELOW_HIGH in get_page_from_freelist and free_unref_page_commit",
)
def below_high(step: Transition) -> Complaint:
    """A zone is below its high mark from the first try that finds it so, until a drain mends it.

    Lists shrink for as long. A zone that is forgotten there keeps its CPUs from caching.
    """
    zone, op, after = step.before.zone, step.op, step.after.zone
    if zone.levels is None or after.levels is None or not served_or_failed(step):
        return None
    was, now = zone.levels.below_high, after.levels.below_high
    due = was
    if op.verb is Verb.ALLOC:
        number = due_try(zone, op).number
        if number == "last":
            return f"{wording(op)} found the zone above its high mark" if was and not now else None
        due = due or found_below(zone, op._replace(atomic=False), NO_RIGHTS)
        due = due or (number != "low" and found_below(zone, op, rights_of(op)))
    elif op.verb is Verb.BULK:
        return None
    elif op.verb in FREEING and was and freed_by_lists(zone, op):
        freed = after_frees(step)
        if freed is None:
            # Which of several pieces was followed by a drain is not known.
            return None
        if freed.drained:
            high = after.levels.marks.high + after.levels.boost
            due = not keeps_above(after, Op(Verb.ALLOC), high, NO_RIGHTS)
    if now is due:
        return None
    return f"{wording(op)} left the zone {'below' if now else 'above'} its high mark"
