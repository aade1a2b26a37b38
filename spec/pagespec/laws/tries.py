"""At which try a request must be served, as the state before it says.

A request is tried against the low marks and without its rights; then, once kswapd is woken, against
the lowest ones and with them. In an emergency it is then tried against none. Otherwise, unless it
cannot wait, it is tried once more when everything that CPUs keep has been given back. A zone
without marks is tried once.
"""

from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias

from pagespec.laws.sources import smallest_order, sources
from pagespec.laws.ways import goes_by_lists, number_of, set_of, type_of
from pagespec.migratetype import CMA, HIGHATOMIC, MOVABLE, REQUESTED
from pagespec.pcp.sizes import Pageset
from pagespec.pcp.state import Pcp
from pagespec.verbs import Op
from pagespec.watermark.check import (
    NO_RIGHTS,
    Rights,
    free_for,
    has_order_by_counts,
    lowered,
    passes_fast,
)
from pagespec.watermark.levels import Levels
from pagespec.zone import Zone, told_cma, told_free

Try: TypeAlias = Literal["only", "low", "min", "emergency", "last", "none"]
"""The one of a zone without marks; those of a zone with them; or none, so that it fails."""


def rights_of(op: Op) -> Rights:
    """What the request may do below a mark: who cannot wait is urgent as well."""
    return Rights(high=op.atomic, harder=op.atomic)


def without_rights(op: Op) -> Op:
    """The request as one that can wait."""
    return op._replace(atomic=False) if op.atomic else op


def unusable(zone: Zone, op: Op, rights: Rights) -> int:
    """The free frames that are not for the request: of the reserve without rights, and CMA's.

    Until 6.1 the whole reserve counts so, however much of it is free.
    """
    pages = 0
    if not (rights.harder or rights.oom):
        pages = zone.free_highatomic if zone.machine.era.retypes_on_merge else zone.nr_reserved
    return pages + (0 if type_of(zone, op) is MOVABLE else told_cma(zone))


def kept_back(zone: Zone) -> int:
    """What the zone keeps from the request, in frames: of one that is alone, nothing.

    Laws about hosts show each zone as one that keeps from all what it keeps from this request.
    """
    return 0 if zone.levels is None else zone.levels.reserve[0]


def known_free(zone: Zone) -> int:
    """The free frames that a request can know of: not what CPUs keep to themselves.

    2.6.37 looks more closely at a zone below its drift mark, as long as kswapd is awake.
    """
    told, levels = told_free(zone), zone.levels
    if zone.cells is None or levels is None or told >= zone.cells.drift_mark:
        return told
    close = zone.machine.era.close_reads == "while-reclaiming" and levels.reclaiming
    return zone.free_pages if close else told


def keeps_above(zone: Zone, op: Op, mark: int, rights: Rights) -> bool:
    """Whether more than the mark would be left, and in blocks that are large enough."""
    era = zone.machine.era
    left = free_for(known_free(zone), op.order, unusable(zone, op, rights))
    least = lowered(mark, rights, era.rights)
    if left <= least + kept_back(zone):
        return False
    if op.order == 0 or era.order_check == "none":
        return True
    if era.order_check == "counts":
        return has_order_by_counts(left, least, op.order, zone.nr_free)
    return _has_block(zone, op, rights)


def _has_block(zone: Zone, op: Op, rights: Rights) -> bool:
    era = zone.machine.era
    if era.order_check == "lists-or-rights" and rights.harder:
        return any(zone.nr_free[op.order :])
    may = set(REQUESTED)
    if type_of(zone, op) is MOVABLE:
        may.add(CMA)
    if rights.oom or (op.atomic if era.retypes_on_merge else rights.harder):
        may.add(HIGHATOMIC)
    return any(smallest_order(zone, mt, op.order) is not None for mt in may)


def passes(zone: Zone, op: Op, mark: int, rights: Rights) -> bool:
    """The same with the shortcut for single frames, where the era has one."""
    era = zone.machine.era
    if op.order == 0 and era.shortcut != "none":
        rightless = unusable(zone, op, rights)
        if era.shortcut == "wraps-cma-only":
            rightless = 0 if type_of(zone, op) is MOVABLE else told_cma(zone)
        wraps = era.shortcut != "stops"
        if passes_fast(known_free(zone), rightless, mark, kept_back(zone), wraps=wraps):
            return True
    return keeps_above(zone, op, mark, rights)


class Tried(NamedTuple):
    """At which try a request is due to be served, and the request as it is put there.

    by_list: whether a block comes through the lists of the CPU that asks.
    """

    number: Try
    op: Op
    by_list: bool


def due_try(zone: Zone, op: Op) -> Tried:
    """The first try that passes its mark and finds a block.

    What the last try finds is not known from the state before: it is due if there may be one.
    """
    levels = zone.levels
    if levels is None:
        by = serves_by_list(zone, op)
        return Tried("none" if by is None else "only", op, bool(by))
    plain = without_rights(op)
    by = serves_by_list(zone, plain)
    if by is not None and passes_at(zone, plain, "low", NO_RIGHTS):
        return Tried("low", plain, by)
    zone = with_kswapd(zone, levels)
    if op.atomic:
        by = serves_by_list(zone, op)
    if by is not None and passes_at(zone, op, "min", rights_of(op)):
        return Tried("min", op, by)
    if op.emergency:
        by = serves_by_list(zone, plain)
        return Tried("none" if by is None else "emergency", plain, bool(by))
    again = not op.atomic and zone.machine.era.drains_on_failure
    return Tried("last" if again else "none", op, goes_by_lists(zone, op, op.order))


def with_kswapd(zone: Zone, levels: Levels) -> Zone:
    """The zone once kswapd has been woken: in 2.6.37 requests see more of it then."""
    if zone.cells is None or zone.machine.era.close_reads != "while-reclaiming":
        return zone
    return replace(zone, levels=replace(levels, reclaiming=True))


def passes_at(zone: Zone, op: Op, level: Literal["low", "min"], rights: Rights) -> bool:
    """Whether the zone keeps above the mark of a try.

    In the era that tries the high mark first, a zone above it is above the others as well. Since
    5.9 a boost does not hold up single frames for requests that cannot wait.
    """
    levels = zone.levels
    if levels is None:
        return True
    mark = levels.marks.low if level == "low" else levels.marks.min
    if passes(zone, op, mark + levels.boost, rights):
        return True
    spares = zone.machine.era.spares_urgent and levels.boost > 0
    hurries = spares and op.order == 0 and rights.high and level == "min"
    return hurries and passes(zone, op, mark, rights)


def serves_by_list(zone: Zone, op: Op) -> bool | None:
    """Whether the CPU's lists serve a request that passes its mark; None if nothing does.

    Since 6.0 and until 2.6.11, where the buddy has nothing for the list it may have something for
    the request: the reserve.
    """
    if goes_by_lists(zone, op, op.order):
        pcp = set_of(zone, op)
        if pcp.lists[number_of(zone.machine, op.order, type_of(zone, op))] or refills(zone, op):
            return True
        if not zone.machine.era.buddy_after_lists:
            return None
    return False if may_be_served(zone, op) else None


def refills(zone: Zone, op: Op) -> bool:
    """Whether the buddy has a block for the CPU's list: the reserve for atomic requests is none."""
    return may_be_served(zone, without_rights(op))


def may_be_served(zone: Zone, op: Op) -> bool:
    """Whether any list of the buddy may serve the request."""
    return any(smallest_order(zone, mt, least) is not None for mt, least in sources(zone, op))


def must_refill(pcp: Pcp, index: int) -> bool:
    """Whether the list is refilled first: if it is empty; until 2.6.11, if few are left in all."""
    if isinstance(pcp.load, Pageset) and len(pcp.lists) == 1:
        return pcp.count <= pcp.load.low
    return not pcp.lists[index]
