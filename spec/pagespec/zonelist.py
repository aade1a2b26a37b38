"""Which zone serves: the first on the request's list that would keep above the mark.

A request is tried first against the low marks, so that kswapd is woken before memory is short; and
if it goes without, against the lowest ones and with the rights it has. In an emergency, by which
memory will be freed in the end, the third and last try asks no mark. Of other requests it comes
only, since 2.6.37, for who can wait: when a pageblock of the reserve has been given up, and what
CPUs keep has gone back to the buddy.
Source: mm/page_alloc.c (get_page_from_freelist, rmqueue, __alloc_pages_slowpath), 2.6.11 to 6.12.
"""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from pagespec import bitmap
from pagespec.checks import check_supported
from pagespec.choices import Design
from pagespec.events import Event, Kind
from pagespec.frames import SIZES
from pagespec.highatomic import reserve_pageblock, unreserve_pageblock
from pagespec.pcp.cpus import drain_all
from pagespec.pcp.lists import Where, alloc_from_list, may_use_lists
from pagespec.rmqueue import Want, rmqueue
from pagespec.steps import Step, Steps
from pagespec.tally import count_allocated
from pagespec.types import Pfn
from pagespec.vmstat.zone import lower_threshold, raise_threshold
from pagespec.watermark.check import NO_RIGHTS, Rights
from pagespec.watermark.levels import Levels
from pagespec.watermark.ok import watermark_fast
from pagespec.zone import Zone

Level: TypeAlias = Literal["none", "min", "low"]
"""Above which mark a zone must keep."""


RMQUEUE: dict[Design, Callable[[Zone, Want], Pfn | None]] = {
    "tag": rmqueue,
    "bitmap": lambda zone, want: bitmap.rmqueue(zone, want.order),
}

URGENT = Rights(high=True, harder=True)
"""The rights of atomic requests."""


class Ask(NamedTuple):
    """A request with all that decides which zone serves it.

    zone_class: the index of the highest zone of a node that it may use, by which the reserves of
    lower zones are measured. emergency: whether it may go below every mark.
    """

    want: Want
    where: Where
    zone_class: int = 0
    emergency: bool = False


class Served(NamedTuple):
    """A block that left the free memory: of the zone of that number on the list."""

    number: int
    pfn: Pfn


def take_block(zones: Sequence[Zone], number: int, ask: Ask) -> Steps[Served | None]:
    """Take a block off the zone of that number, or None if it has none for the request.

    An atomic request of more than one frame leaves its pageblock to the reserve. If a fallback has
    boosted the marks, here or in a bulk request before, kswapd is woken.
    """
    zone, want = zones[number], ask.want
    era = zone.machine.era
    pfn: Pfn | None = None
    listed = may_use_lists(zone, want.order, ask.where)
    if listed:
        pfn = yield from alloc_from_list(zone, want, ask.where)
    if pfn is None and (not listed or era.buddy_after_lists):
        listed = False
        yield Step.LOCK
        pfn = RMQUEUE[era.design](zone, want)
        if pfn is not None and not era.counts_unguarded:
            yield from count_allocated(zone, SIZES[want.order])
        yield Step.UNLOCK
    if zone.levels is not None and zone.levels.boosted:
        zone.levels.boosted = False
        _wake_kswapd([zone])
    if pfn is None:
        return None
    if era.counts_unguarded:
        # As `tally` has it: the CPU is the one it began on, wherever the task is by then.
        cpu = zone.on_cpu
        counted = zone.pgallocs[cpu]
        yield Step.ADD
        as_one = listed and era.counts_operations
        zone.pgallocs[cpu] = counted + (1 if as_one else SIZES[want.order])
    reserves = era.reserve != "none" and zone.machine.pageblock is not None
    if want.atomic and want.order > 0 and reserves:
        yield Step.LOCK
        reserve_pageblock(zone, pfn, want.order)
        yield Step.UNLOCK
    return Served(number, pfn)


def reserve_against(levels: Levels, ask: Ask) -> int:
    """What the zone keeps from requests of that class; a zone alone keeps nothing."""
    return levels.reserve[ask.zone_class] if ask.zone_class < len(levels.reserve) else 0


def may_serve(zone: Zone, ask: Ask, level: Level, rights: Rights) -> bool:
    """Whether the zone keeps above its mark with the request served; always, without marks.

    In the era that tries the high mark first, a zone above it serves without a further question;
    one that is not is remembered, and its CPUs' lists shrink.
    """
    levels = zone.levels
    if levels is None or level == "none":
        return True
    reserve = reserve_against(levels, ask)
    if zone.machine.era.tries_high_first and not levels.below_high:
        if watermark_fast(zone, ask.want, levels.marks.high + levels.boost, reserve, rights):
            return True
        levels.below_high = True
    mark = getattr(levels.marks, level) + levels.boost
    if watermark_fast(zone, ask.want, mark, reserve, rights):
        return True
    zone.log.append(Event(Kind.BELOW_MARK, 0, ask.want.order, ask.want.mt))
    # Since 5.9 atomic requests for single frames are not held up by a boost.
    spares = zone.machine.era.spares_urgent and levels.boost > 0
    spared = spares and ask.want.order == 0 and rights.high and level == "min"
    return spared and watermark_fast(zone, ask.want, levels.marks.min, reserve, rights)


def get_page_from_freelist(
    zones: Sequence[Zone], ask: Ask, level: Level, rights: Rights
) -> Steps[Served | None]:
    """Try the zones in order, each with its lists and its buddy."""
    number = 0
    while number < len(zones):
        if may_serve(zones[number], ask, level, rights):
            served = yield from take_block(zones, number, ask)
            if served is not None:
                return served
        number += 1
    return None


def serve(zones: Sequence[Zone], ask: Ask) -> Steps[Served | None]:
    """Serve a request from the zones of its list, or None if it must go without.

    Where zones have no marks, which none or all of a list have, there is one try, with all the
    rights of the request.
    """
    rights = URGENT if ask.want.atomic else NO_RIGHTS
    if not zones or zones[0].levels is None:
        served = yield from get_page_from_freelist(zones, ask, "min", rights)
        return served
    first = ask._replace(want=ask.want._replace(atomic=False)) if ask.want.atomic else ask
    served = yield from get_page_from_freelist(zones, first, "low", NO_RIGHTS)
    if served is not None:
        return served
    _wake_kswapd(zones)
    served = yield from get_page_from_freelist(zones, ask, "min", rights)
    if served is None and ask.emergency:
        served = yield from get_page_from_freelist(zones, first, "none", NO_RIGHTS)
        return served
    if served is not None or ask.want.atomic or not zones[0].machine.era.drains_on_failure:
        return served
    yield Step.LOCK
    for zone in zones:
        if _unreserve(zone, ask.want):
            break
    yield Step.UNLOCK
    number = 0
    while number < len(zones):
        yield from drain_all(zones[number])
        number += 1
    served = yield from get_page_from_freelist(zones, ask, "min", rights)
    return served


def _unreserve(zone: Zone, want: Want) -> bool:
    has_reserve = zone.machine.pageblock is not None and zone.machine.era.reserve != "none"
    return has_reserve and unreserve_pageblock(zone, want.mt, force=False)


def _wake_kswapd(zones: Sequence[Zone]) -> None:
    """Let kswapd know. What it would free is not modelled; that it runs shrinks the lists."""
    for zone in zones:
        if zone.levels is not None:
            if not zone.levels.reclaiming:
                lower_threshold(zone)
            zone.levels.reclaiming = True
            zone.log.append(Event(Kind.KSWAPD, 0, 0))


def rest(zone: Zone) -> Steps[None]:
    """Kswapd has done its work: it sleeps, and what the boost asked for is there."""
    check_supported(zone, zone.levels is not None)
    yield Step.LOCK
    if zone.levels is not None:
        zone.levels.reclaiming = False
        raise_threshold(zone)
        zone.levels.boost = 0
    yield Step.UNLOCK
