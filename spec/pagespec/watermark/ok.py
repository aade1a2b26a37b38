"""The question that every zone is asked before it serves: would it keep above its mark?

Source: mm/page_alloc.c (__zone_watermark_ok, zone_watermark_fast), 2.6.11 to 6.12.
"""

from pagespec.migratetype import CMA, HIGHATOMIC, MOVABLE, REQUESTED
from pagespec.rmqueue import Want
from pagespec.watermark.check import (
    Rights,
    free_for,
    has_order_by_counts,
    lowered,
    passes_fast,
)
from pagespec.zone import Zone, told_cma, told_free


def unusable(zone: Zone, want: Want, rights: Rights) -> int:
    """The free frames that the request may not have: the reserve's without rights, and CMA's.

    Until 6.1 the reserve counts with its whole size, also what is in use of it.
    """
    pages = 0
    if not (rights.harder or rights.oom):
        later = zone.machine.era.retypes_on_merge
        pages += zone.free_highatomic if later else zone.nr_reserved
    if want.mt is not MOVABLE:
        pages += told_cma(zone)
    return pages


def free_as_seen(zone: Zone) -> int:
    """The free frames that a request knows of: what CPUs keep back it does not see.

    One era looks more closely while kswapd is awake and the count is low.
    """
    told, cells, levels = told_free(zone), zone.cells, zone.levels
    if cells is None or levels is None or told >= cells.drift_mark:
        return told
    close = zone.machine.era.close_reads == "while-reclaiming" and levels.reclaiming
    return zone.free_pages if close else told


def watermark_ok(zone: Zone, want: Want, mark: int, reserve: int, rights: Rights) -> bool:
    """Whether the zone would keep above the mark and what it reserves, and has such a block.

    mark: one of the zone's, with its boost. reserve: what the zone keeps from requests of this
    kind.
    """
    era = zone.machine.era
    free = free_for(free_as_seen(zone), want.order, unusable(zone, want, rights))
    least = lowered(mark, rights, era.rights)
    if free <= least + reserve:
        return False
    if want.order == 0 or era.order_check == "none":
        return True
    if era.order_check == "counts":
        return has_order_by_counts(free, least, want.order, zone.nr_free)
    return has_block(zone, want, rights)


def has_block(zone: Zone, want: Want, rights: Rights) -> bool:
    """Since 4.4: whether any list that may serve the request holds a block that is large enough.

    In 4.10 requests with rights take any list for granted, even one that cannot serve them.
    """
    era = zone.machine.era
    if era.order_check == "lists-or-rights" and rights.harder:
        return any(zone.nr_free[want.order :])
    types = REQUESTED
    if want.mt is MOVABLE:
        types += (CMA,)
    if rights.oom or (want.atomic if era.retypes_on_merge else rights.harder):
        types += (HIGHATOMIC,)
    return any(lists.get(mt) for lists in zone.free_area[want.order :] for mt in types)


def watermark_fast(zone: Zone, want: Want, mark: int, reserve: int, rights: Rights) -> bool:
    """The same with the shortcut for single frames, where the era has one (4.7)."""
    era = zone.machine.era
    if want.order == 0 and era.shortcut != "none":
        pages = unusable(zone, want, rights)
        if era.shortcut == "wraps-cma-only":
            pages = 0 if want.mt is MOVABLE else told_cma(zone)
        wraps = era.shortcut != "stops"
        if passes_fast(free_as_seen(zone), pages, mark, reserve, wraps=wraps):
            return True
    return watermark_ok(zone, want, mark, reserve, rights)
