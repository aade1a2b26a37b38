"""Many single frames in one request: the slots of an array that are empty are filled.

The twin of the spec's `bulk`. Each zone knows which of the slots hold frames of its own; a frame
that is held links nothing, so its next link is the number of its slot. There is one array: threads
that fill it at once may take each other's slots, but no frame is lost.
"""

from pageimpl.alloc import alloc_pages, count_alloc, hold_page
from pageimpl.checks import BAD_CPU, BAD_RANGE, BAD_TYPE, UNSUPPORTED, is_no_cpu
from pageimpl.era import FIRST_OF_CALL, NO_BULK
from pageimpl.jitcache import kernel
from pageimpl.locks import try_lists, unlock_lists
from pageimpl.memory import (
    Memory,
    Zones,
    alone,
    boost_of,
    bulk_rule_of,
    cpus_of,
    frame_in_array_of,
    mark_of,
    marked_of,
    set_frame_in_array,
    set_next,
    shift_of,
    zone_at,
)
from pageimpl.migratetype import MOST_REQUESTED, UNMOVABLE
from pageimpl.pageblock import has_pageblocks
from pageimpl.pcp.index import area_for, cpu_of, may_use_lists
from pageimpl.pcp.lists import take_from_list
from pageimpl.verbs import ATOMIC, COMPOUND_WANTED, EMERGENCY, WANTED_SHIFT
from pageimpl.watermark.check import NO_RIGHTS
from pageimpl.watermark.levels import MARK_LOW
from pageimpl.watermark.ok import watermark_fast
from pageimpl.zonelist import reserve_against
from pagespec.machine import MAX_SLOTS


@kernel
def alloc_pages_bulk(mem: Memory, pages: int, want: int) -> int:
    """Fill the empty ones of the first slots: how many from the first on are known filled.

    Or a refusal's code.
    """
    code = check_bulk(mem, pages, want)
    if code < 0:
        return code
    want &= ~(COMPOUND_WANTED | EMERGENCY)
    populated, _, _, settled = fill_from_lists(alone(mem), 1, alone(mem), 1, pages, want, 0)
    if settled:
        return populated
    pfn = alloc_pages(mem, 0, want)
    if pfn < 0:
        return populated
    put_in_array(mem, pfn + shift_of(mem), populated)
    return populated + 1


@kernel
def check_bulk(mem: Memory, pages: int, want: int) -> int:
    """Refuse what no bulk request may be: without lists, for too many slots, of another type."""
    if cpus_of(mem) == 0 or bulk_rule_of(mem) == NO_BULK:
        return UNSUPPORTED
    if not 1 <= pages <= MAX_SLOTS:
        return BAD_RANGE
    if want >> WANTED_SHIFT > MOST_REQUESTED:
        return BAD_TYPE
    return BAD_CPU if is_no_cpu(mem, cpu_of(want)) else 0


@kernel
def put_in_array(mem: Memory, p: int, slot: int) -> None:
    """Note in which slot of the array the held frame is."""
    set_frame_in_array(mem, slot, p)
    set_next(mem, p, slot)


@kernel
def is_filled(zones: Zones, count: int, slot: int) -> bool:
    """Whether a slot of the array holds a frame of any of the zones."""
    p = 0
    for number in range(count):
        p |= frame_in_array_of(zone_at(zones, number), slot)
    return p != 0


@kernel
def fill_from_lists(
    zones: Zones, count: int, local: Zones, nearby: int, pages: int, want: int, of_class: int
) -> tuple[int, int, int, bool]:
    """Fill what can be filled from the lists of the first local zone that has the room.

    zones: all whose frames the array may hold. Returns how many slots from the first on are known
    filled, the number of the local zone, how many frames it gave, and whether that is the answer;
    otherwise one frame more is to be had in the ordinary way.
    """
    slot = 0
    while slot < pages and is_filled(zones, count, slot):
        slot += 1
    if slot == pages:
        return slot, 0, 0, True
    number = 0
    while number < nearby and not has_room(zone_at(local, number), pages, want, of_class):
        number += 1
    if pages - slot == 1 or number == nearby:
        return slot, 0, 0, False
    mem = zone_at(local, number)
    q = area_for(mem, want)
    if not may_use_lists(mem, 0, want) or not try_lists(mem, q):
        return slot, 0, 0, False
    mt = want >> WANTED_SHIFT if has_pageblocks(mem) else UNMOVABLE
    got = 0
    while slot < pages:
        if not is_filled(zones, count, slot):
            p = take_from_list(mem, q, 0, want)
            if p == 0:
                break
            hold_page(mem, p, mt)
            put_in_array(mem, p, slot)
            got += 1
        slot += 1
    count_alloc(mem, got)
    unlock_lists(mem, q)
    first_failed = got == 0 and (slot == 0 or bulk_rule_of(mem) == FIRST_OF_CALL)
    return slot, number, got, not first_failed


@kernel
def has_room(mem: Memory, pages: int, want: int, of_class: int) -> bool:
    """Whether the zone keeps above its low mark with so many frames gone."""
    if not marked_of(mem):
        return True
    mark = mark_of(mem, MARK_LOW) + boost_of(mem) + pages
    reserve = reserve_against(mem, of_class)
    return watermark_fast(mem, 0, want & ~ATOMIC, mark, reserve, NO_RIGHTS)
