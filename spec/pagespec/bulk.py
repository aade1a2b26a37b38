"""Many single frames in one request: the slots of an array that are empty are filled.

The guard of the CPU's lists is taken once for all of them. A bulk request promises little: where it
finds any obstacle it settles for one frame, taken in the ordinary way, and says how far it came.
Source: mm/page_alloc.c (__alloc_pages_bulk, alloc_pages_bulk_noprof), 5.15 to 6.12.
"""

from collections.abc import Sequence
from typing import NamedTuple

from pagespec.alloc import alloc_pages, give_out
from pagespec.checks import check_cpu, check_slots, check_supported, check_type
from pagespec.events import Event, Kind
from pagespec.migratetype import REQUESTED, UNMOVABLE
from pagespec.pcp.index import list_index
from pagespec.pcp.lists import (
    Where,
    lists_for,
    log_lost,
    may_use_lists,
    must_refill,
    refill_list,
    take_from_list,
)
from pagespec.rmqueue import Want
from pagespec.steps import Step, Steps
from pagespec.tally import count_allocated
from pagespec.types import Pfn
from pagespec.watermark.check import NO_RIGHTS
from pagespec.watermark.ok import watermark_fast
from pagespec.zone import Held, Zone
from pagespec.zonelist import Ask, reserve_against


class Filled(NamedTuple):
    """How far a CPU's lists brought a bulk request.

    populated: how many slots from the first on are known filled. got: the frames that were taken,
    from the local zone of that number. settled: whether that is the answer; otherwise one frame
    more is to be had in the ordinary way.
    """

    populated: int
    number: int
    got: int
    settled: bool


def alloc_pages_bulk(zone: Zone, pages: int, want: Want, where: Where) -> Steps[int]:
    """Fill the empty ones of the first slots; how many slots from the first on are known filled."""
    check_bulk(zone, pages, want, where)
    filled = yield from fill_from_lists([zone], [zone], pages, Ask(want, where))
    if filled.settled:
        return filled.populated
    pfn = yield from alloc_pages(zone, want, where)
    if pfn is None:
        return filled.populated
    zone.slots[pfn] = filled.populated
    return filled.populated + 1


def check_bulk(zone: Zone, pages: int, want: Want, where: Where) -> None:
    """Refuse what no bulk request may be: without lists, for too many slots, of another type."""
    check_supported(zone, zone.machine.cpus > 0 and zone.machine.era.bulk != "none")
    check_slots(zone, pages)
    check_type(zone, want.mt, REQUESTED)
    check_cpu(zone, where.cpu)


def fill_from_lists(
    zones: Sequence[Zone], local: Sequence[Zone], pages: int, ask: Ask
) -> Steps[Filled]:
    """Fill what can be filled from the lists of the first local zone that has the room.

    zones: all whose frames the array may hold. No list is asked when one frame is all that seems to
    be missing, when no zone would keep above its low mark with all slots filled, or when the lists'
    lock is lost. What lies behind the first empty slot is not looked at to find that out.
    """
    filled = {slot for zone in zones for slot in zone.slots.values()}
    populated = next((slot for slot in range(pages) if slot not in filled), pages)
    if populated == pages:
        return Filled(populated, 0, 0, settled=True)
    number = next((n for n, zone in enumerate(local) if _has_room(zone, pages, ask)), -1)
    if pages - populated == 1 or number < 0 or not may_use_lists(local[number], 0, ask.where):
        return Filled(populated, 0, 0, settled=False)
    zone = local[number]
    mt = UNMOVABLE if zone.machine.pageblock is None else ask.want.mt
    want = Want(0, mt, nofragment=ask.want.nofragment)
    index = list_index(zone.machine.era.lists, 0, mt)
    slot = populated
    pfn: Pfn | None = None
    got = 0
    lost = yield Step.GUARD
    if lost:
        log_lost(zone, 0)
        return Filled(populated, 0, 0, settled=False)
    pcp = lists_for(zone, ask.where)
    while slot < pages:
        if slot not in filled:
            if must_refill(pcp, index):
                yield from refill_list(zone, pcp, index, want, ask.where)
            pfn = yield from take_from_list(zone, pcp, index, want, ask.where)
            if pfn is None:
                break
            give_out(zone, pfn, Held(0, 1, compound=False, mt=mt), Kind.BULK)
            zone.slots[pfn] = slot
            got += 1
        slot += 1
    zone.log.append(Event(Kind.FILLED, got, 0, mt))
    yield Step.UNGUARD
    if got:
        yield from count_allocated(zone, got)
    first_failed = got == 0 and (slot == 0 or zone.machine.era.bulk == "first-of-call")
    return Filled(slot, number, got, settled=not first_failed)


def _has_room(zone: Zone, pages: int, ask: Ask) -> bool:
    """Whether the zone keeps above its low mark with so many frames gone."""
    levels = zone.levels
    if levels is None:
        return True
    mark = levels.marks.low + levels.boost + pages
    want = ask.want._replace(atomic=False)
    return watermark_fast(zone, want, mark, reserve_against(levels, ask), NO_RIGHTS)
