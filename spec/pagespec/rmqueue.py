"""Which list serves a request: its own type's, CMA memory, the reserve, or another type's.

Source: mm/page_alloc.c (rmqueue, __rmqueue), 2.6.37 to 6.12.
"""

from typing import NamedTuple

from pagespec.buddy import rmqueue_smallest
from pagespec.choices import ATTEMPTS
from pagespec.events import Event, Kind
from pagespec.fallback import FALL_BACK
from pagespec.migratetype import CMA, HIGHATOMIC, MOVABLE, RESERVE, UNMOVABLE, MigrateType
from pagespec.types import Order, Pfn
from pagespec.zone import Zone, told_cma, told_free


class Want(NamedTuple):
    """What a request asks for, and how urgently.

    mt: UNMOVABLE, MOVABLE or RECLAIMABLE. atomic: whether the caller cannot wait, so that it may
    use the reserve above order 0. nofragment: whether it would rather fail than break up another
    type's pageblock; eras that cannot be asked pay no heed.
    """

    order: Order
    mt: MigrateType = UNMOVABLE
    atomic: bool = False
    nofragment: bool = False


def rmqueue(zone: Zone, want: Want) -> Pfn | None:
    """Take a block for the request off the free lists, or None if none may serve it."""
    grouped = zone.machine.pageblock is not None
    pfn = _from_reserve(zone, want) if grouped else None
    if pfn is not None:
        log_zone_locked(zone, pfn, want.order, want.mt)
        return pfn
    pfn = rmqueue_one(zone, want)
    if pfn is None and grouped and want.atomic and zone.machine.era.reserve == "one-percent":
        pfn = rmqueue_smallest(zone, want.order, HIGHATOMIC)
        _logged(zone, Kind.RESERVE_LAST, pfn, want)
    return pfn


def rmqueue_one(zone: Zone, want: Want) -> Pfn | None:
    """The same without the reserve for atomic requests: what refills a CPU's list, too."""
    order, mt = want.order, want.mt
    if zone.machine.pageblock is None:
        mt = UNMOVABLE
        pfn = rmqueue_smallest(zone, order, mt)
    else:
        pfn = _from_cma_first(zone, want)
        if pfn is not None and zone.machine.era.zone_locked == "attempt-but-cma-first":
            return pfn
        if pfn is None:
            pfn = _from_lists(zone, want)
        if pfn is None and zone.machine.era.fallback == "take-largest":
            # The retry's tracepoint names the reserve, whatever was asked for.
            mt = RESERVE
            pfn = _logged(zone, Kind.RESERVE_LAST, rmqueue_smallest(zone, order, mt), want)
    log_zone_locked(zone, pfn, order, mt)
    return pfn


def log_zone_locked(zone: Zone, pfn: Pfn | None, order: Order, mt: MigrateType) -> None:
    """Log the tracepoint where the era prints it with the request, not with the list."""
    when = zone.machine.era.zone_locked
    if when in ATTEMPTS or (when == "request" and pfn is not None):
        zone.log.append(Event(Kind.ZONE_LOCKED, pfn or 0, order, mt))


def _from_reserve(zone: Zone, want: Want) -> Pfn | None:
    """From the reserve for atomic requests, which holds what single frames would break up.

    Only one era let those break it up too, by mistake: it sent them here from interrupts.
    """
    machine = zone.machine
    frame = want.order == 0 and not (machine.era.reserve_for_frames and machine.cpus)
    if not want.atomic or frame or machine.era.reserve == "none":
        return None
    pfn = rmqueue_smallest(zone, want.order, HIGHATOMIC)
    return _logged(zone, Kind.RESERVE_USED, pfn, want)


def _from_cma_first(zone: Zone, want: Want) -> Pfn | None:
    """From CMA memory, where most of what is free is CMA's and the era looks."""
    balanced = want.mt is MOVABLE and zone.machine.era.cma == "balanced"
    if not balanced or told_cma(zone) <= told_free(zone) // 2:
        return None
    return _logged(zone, Kind.CMA_FIRST, rmqueue_smallest(zone, want.order, CMA), want)


def _from_lists(zone: Zone, want: Want) -> Pfn | None:
    """From the request's own type, then CMA memory where it may be used, or another type."""
    order, mt, era = want.order, want.mt, zone.machine.era
    pfn = rmqueue_smallest(zone, order, mt)
    if pfn is None and mt is MOVABLE and era.cma != "none":
        pfn = _logged(zone, Kind.CMA_LAST, rmqueue_smallest(zone, order, CMA), want)
    if pfn is None:
        pfn = FALL_BACK[era.fallback](zone, order, mt, want.nofragment and era.nofragment)
    return pfn


def _logged(zone: Zone, kind: Kind, pfn: Pfn | None, want: Want) -> Pfn | None:
    if pfn is not None:
        zone.log.append(Event(kind, pfn, want.order, want.mt))
    return pfn
