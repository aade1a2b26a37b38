"""The reserve for atomic requests: pageblocks that serve nobody else.

A request that cannot wait and asks for more than one frame leaves a pageblock behind for the next
of its kind. When others are about to go without, one pageblock is given up again.
Source: mm/page_alloc.c (reserve_highatomic_pageblock, unreserve_highatomic_pageblock), 4.10 to
6.12.
"""

from pagespec.checks import check_supported, check_type
from pagespec.events import Event, Kind
from pagespec.frames import SIZES, rounded_up
from pagespec.migratetype import HIGHATOMIC, REQUESTED, MigrateType
from pagespec.pageblock import (
    change_pageblock_range,
    move_pageblock,
    move_to_free_list,
    pageblock_order,
    pageblock_to_move,
    pageblock_type,
    set_pageblock_type,
)
from pagespec.steps import Step, Steps
from pagespec.types import Order, Pfn
from pagespec.zone import Zone, account


def managed_pages(zone: Zone) -> int:
    """How many frames the zone's allocator looks after: those that are offline do not count."""
    machine = zone.machine
    pages = machine.managed_pages
    return pages - len(zone.offline) * SIZES[machine.pageblock or 0]


def reserve_limit(zone: Zone) -> int:
    """The size at which the reserve stops to grow: about one percent of the zone, in frames.

    The earlier eras keep at least one pageblock however small the zone is; the later one rounds up
    to whole pageblocks, and keeps none if that percent is less than one.
    """
    size = SIZES[pageblock_order(zone)]
    percent = managed_pages(zone) // 100
    if zone.machine.era.reserve == "at-least-one":
        return percent + size
    return rounded_up(percent, pageblock_order(zone)) if percent >= size else 0


def reserve_pageblock(zone: Zone, pfn: Pfn, order: Order) -> None:
    """Reserve the pageblock of a block that an atomic request has just been given.

    Of the types that an era with a reserve has, only those that requests have may be reserved.
    """
    mt = pageblock_type(zone, pfn)
    if zone.nr_reserved >= reserve_limit(zone) or mt not in REQUESTED:
        return
    pages = SIZES[pageblock_order(zone)]
    if zone.machine.era.retypes_on_merge and order >= pageblock_order(zone):
        change_pageblock_range(zone, pfn, order, HIGHATOMIC)
        pages = SIZES[order]
    elif zone.machine.era.retypes_on_merge and pageblock_to_move(zone, pfn) is None:
        return
    else:
        move_pageblock(zone, pfn, HIGHATOMIC)
        set_pageblock_type(zone, pfn, HIGHATOMIC)
    zone.nr_reserved += pages
    zone.log.append(Event(Kind.RESERVED, pfn, order, mt))


def unreserve(zone: Zone, mt: MigrateType, *, force: bool) -> Steps[Pfn | None]:
    """Give one pageblock of the reserve to mt: 0, or None if there is none to give.

    force: whether the last pageblock may go as well.
    """
    era = zone.machine.era
    check_supported(zone, zone.machine.pageblock is not None and era.reserve != "none")
    check_type(zone, mt, REQUESTED)
    yield Step.LOCK
    found = unreserve_pageblock(zone, mt, force=force)
    yield Step.UNLOCK
    return 0 if found else None


def unreserve_pageblock(zone: Zone, mt: MigrateType, *, force: bool) -> bool:
    """Give the first pageblock of the reserve that still has a free block to mt; whether any.

    One that reaches over the zone's end loses its type and keeps its blocks where they are, and the
    search goes on.
    """
    size = SIZES[pageblock_order(zone)]
    if not force and zone.nr_reserved <= size:
        return False
    found = False
    for order in range(zone.machine.top + 1):
        zone.visited += 1
        blocks = zone.free_area[order][HIGHATOMIC]
        if blocks:
            found = True
            if give_to(zone, next(iter(blocks)), order, mt):
                break
    return found


def give_to(zone: Zone, pfn: Pfn, order: Order, mt: MigrateType) -> bool:
    """Give the pageblock of a free block to mt; whether any free block came along."""
    size = SIZES[pageblock_order(zone)]
    later = zone.machine.era.retypes_on_merge
    if pageblock_type(zone, pfn) is HIGHATOMIC:
        zone.nr_reserved -= min(max(size, SIZES[order] if later else 0), zone.nr_reserved)
    zone.log.append(Event(Kind.UNRESERVED, pfn, order, mt))
    if later and order >= pageblock_order(zone):
        account(zone, -SIZES[order], HIGHATOMIC)
        account(zone, SIZES[order], mt)
        move_to_free_list(zone, pfn, order, mt)
        change_pageblock_range(zone, pfn, order, mt)
        return True
    moved = move_pageblock(zone, pfn, mt)
    set_pageblock_type(zone, pfn, mt)
    return moved > 0
