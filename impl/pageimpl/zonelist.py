"""Which zone serves: the first on the request's list that would keep above the mark.

The twin of the spec's `zonelist`. The zones come as the address of their addresses and a count, so
that one kernel serves a zone that is alone and the zones of a host. `of_class` is the index of the
highest zone of a node that the request may use.
"""

from pageimpl import bitmap
from pageimpl.checks import UNSUPPORTED
from pageimpl.era import BITMAP_DESIGN, NO_RESERVE, SPARES_URGENT
from pageimpl.highatomic import reserve_pageblock, unreserve_pageblock
from pageimpl.jitcache import inlined, kernel
from pageimpl.locks import lock_zone, try_lists, unlock_lists, unlock_zone
from pageimpl.memory import (
    Memory,
    Zones,
    below_high_of,
    boost_of,
    boosted_of,
    boosts_of,
    buddy_after_lists_of,
    classes_of,
    design_of,
    drains_on_failure_of,
    lowmem_reserve_of,
    mark_of,
    marked_of,
    reclaiming_of,
    reserve_of,
    set_below_high,
    set_boost,
    set_boosted,
    set_reclaiming,
    tries_high_first_of,
    zone_at,
)
from pageimpl.pageblock import has_pageblocks
from pageimpl.pcp.cpus import drain_all
from pageimpl.pcp.index import area_for, cpu_of, may_use_lists
from pageimpl.pcp.lists import alloc_from_list
from pageimpl.rmqueue import rmqueue
from pageimpl.verbs import ATOMIC, EMERGENCY, WANTED_SHIFT
from pageimpl.vmstat.zone import lower_threshold, raise_threshold
from pageimpl.watermark.check import NO_RIGHTS, RIGHT_HARDER, RIGHT_HIGH
from pageimpl.watermark.levels import MARK_HIGH, MARK_LOW, MARK_MIN, NO_MARK
from pageimpl.watermark.ok import watermark_fast


@inlined
def rmqueue_by_design(mem: Memory, order: int, want: int) -> int:
    """Take a block off the free lists: its slot, or 0."""
    if design_of(mem) == BITMAP_DESIGN:
        return bitmap.rmqueue(mem, order)
    return rmqueue(mem, order, want)


@inlined
def leave_to_reserve(mem: Memory, p: int, order: int, want: int) -> None:
    """An atomic request of more than one frame leaves its pageblock to the reserve."""
    if want & ATOMIC and order > 0 and has_pageblocks(mem) and reserve_of(mem) != NO_RESERVE:
        lock_zone(mem, cpu_of(want))
        reserve_pageblock(mem, p, order)
        unlock_zone(mem)


@kernel
def take_block(mem: Memory, order: int, want: int) -> tuple[int, bool]:
    """Take a block off a zone with more than the buddy: its slot, or 0, and whether a list gave it.

    Who loses the lists' lock goes to the buddy.
    """
    q = area_for(mem, want)
    listed = may_use_lists(mem, order, want) and try_lists(mem, q)
    p = 0
    if listed:
        p = alloc_from_list(mem, order, want)
        unlock_lists(mem, q)
    if p == 0 and (not listed or buddy_after_lists_of(mem)):
        listed = False
        lock_zone(mem, cpu_of(want))
        p = rmqueue_by_design(mem, order, want)
        unlock_zone(mem)
    if boosted_of(mem):
        set_boosted(mem, 0)
        wake(mem)
    if p != 0:
        leave_to_reserve(mem, p, order, want)
    return p, listed


@kernel
def reserve_against(mem: Memory, of_class: int) -> int:
    """What the zone keeps from requests of that class; a zone alone keeps nothing."""
    return lowmem_reserve_of(mem, of_class) if of_class < classes_of(mem) else 0


@kernel
def may_serve(mem: Memory, order: int, want: int, of_class: int, level: int, rights: int) -> bool:
    """Whether the zone keeps above its mark with the request served; always, without marks."""
    if not marked_of(mem) or level == NO_MARK:
        return True
    reserve, boost = reserve_against(mem, of_class), boost_of(mem)
    if tries_high_first_of(mem) and not below_high_of(mem):
        if watermark_fast(mem, order, want, mark_of(mem, MARK_HIGH) + boost, reserve, rights):
            return True
        set_below_high(mem, 1)
    if watermark_fast(mem, order, want, mark_of(mem, level) + boost, reserve, rights):
        return True
    # Since 5.9 atomic requests for single frames are not held up by a boost.
    spares = boost > 0 and boosts_of(mem) & SPARES_URGENT
    if not spares or order > 0 or rights & RIGHT_HIGH == 0 or level != MARK_MIN:
        return False
    return watermark_fast(mem, order, want, mark_of(mem, MARK_MIN), reserve, rights)


@kernel
def get_page_from_freelist(
    zones: Zones, count: int, order: int, want: int, of_class: int, level: int, rights: int
) -> tuple[int, int, bool]:
    """Try the zones in order: the number of the one that served, and what it gave.

    The block is 0 if none did.
    """
    for number in range(count):
        mem = zone_at(zones, number)
        if may_serve(mem, order, want, of_class, level, rights):
            p, listed = take_block(mem, order, want)
            if p != 0:
                return number, p, listed
    return 0, 0, False


@kernel
def serve(zones: Zones, count: int, order: int, want: int, of_class: int) -> tuple[int, int, bool]:
    """Serve a request from the zones of its list; see `get_page_from_freelist`.

    Where zones have no marks, which none or all of a list have, there is one try, with all the
    rights of the request.
    """
    rights = RIGHT_HIGH | RIGHT_HARDER if want & ATOMIC else NO_RIGHTS
    if count == 0 or not marked_of(zone_at(zones, 0)):
        return get_page_from_freelist(zones, count, order, want, of_class, MARK_MIN, rights)
    first = want & ~ATOMIC
    number, p, listed = get_page_from_freelist(
        zones, count, order, first, of_class, MARK_LOW, NO_RIGHTS
    )
    if p != 0:
        return number, p, listed
    wake_kswapd(zones, count)
    number, p, listed = get_page_from_freelist(
        zones, count, order, want, of_class, MARK_MIN, rights
    )
    if p == 0 and want & EMERGENCY:
        return get_page_from_freelist(zones, count, order, first, of_class, NO_MARK, NO_RIGHTS)
    if p != 0 or want & ATOMIC or not drains_on_failure_of(zone_at(zones, 0)):
        return number, p, listed
    gather(zones, count, want)
    return get_page_from_freelist(zones, count, order, want, of_class, MARK_MIN, rights)


@kernel
def wake_kswapd(zones: Zones, count: int) -> None:
    """Let kswapd know: that it runs shrinks the lists."""
    for number in range(count):
        mem = zone_at(zones, number)
        if marked_of(mem):
            wake(mem)


@kernel
def wake(mem: Memory) -> None:
    """Let kswapd work on a zone; if it slept, CPUs keep less back from now on."""
    if not reclaiming_of(mem):
        lower_threshold(mem)
    set_reclaiming(mem, 1)


@kernel
def gather(zones: Zones, count: int, want: int) -> None:
    """Before the last try: give up one pageblock of the reserve, and drain all lists."""
    for number in range(count):
        mem = zone_at(zones, number)
        if has_pageblocks(mem) and reserve_of(mem) != NO_RESERVE:
            lock_zone(mem, cpu_of(want))
            given = unreserve_pageblock(mem, want >> WANTED_SHIFT, False)
            unlock_zone(mem)
            if given:
                break
    for number in range(count):
        drain_all(zone_at(zones, number), cpu_of(want))


@kernel
def rest(mem: Memory, cpu: int) -> int:
    """Kswapd has done its work: 0, or a refusal's code. It sleeps, and no boost is left."""
    if not marked_of(mem):
        return UNSUPPORTED
    lock_zone(mem, cpu)
    set_reclaiming(mem, 0)
    raise_threshold(mem)
    set_boost(mem, 0)
    unlock_zone(mem)
    return 0
