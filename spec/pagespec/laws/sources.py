"""Which lists of the buddy may serve a request, and in which order they are tried."""

from collections.abc import Iterator
from typing import NamedTuple

from pagespec.frames import SIZES
from pagespec.migratetype import (
    CMA,
    FALLBACKS,
    HIGHATOMIC,
    MOVABLE,
    RESERVE,
    UNMOVABLE,
    MigrateType,
)
from pagespec.types import Order
from pagespec.verbs import Op
from pagespec.zone import Zone, told_cma, told_free


class Source(NamedTuple):
    """Lists that may serve a request: those of a type, from an order up."""

    mt: MigrateType
    least: Order


def own_sources(zone: Zone, op: Op) -> Iterator[MigrateType]:
    """The types whose lists a request tries before it falls back to another's, in order.

    An atomic request for more than one frame uses the reserve first; in 4.11-rc one for a single
    frame does, too. A movable one may use CMA memory: after its own; or before, since 5.7, as long
    as most of what is free is CMA's.
    """
    era = zone.machine.era
    if zone.machine.pageblock is None:
        yield UNMOVABLE
        return
    if op.atomic and uses_reserve_first(zone, op):
        yield HIGHATOMIC
    if cma_comes_first(zone, op):
        yield CMA
    yield op.mt
    if op.mt is MOVABLE and era.cma != "none":
        yield CMA


def cma_comes_first(zone: Zone, op: Op) -> bool:
    """Whether a request tries CMA memory before its own type's, in a zone with pageblocks."""
    balanced = op.mt is MOVABLE and zone.machine.era.cma == "balanced"
    return balanced and told_cma(zone) > told_free(zone) // 2


def uses_reserve_first(zone: Zone, op: Op) -> bool:
    """Whether the reserve is for requests of that order, before anything else."""
    machine = zone.machine
    if machine.era.reserve == "none":
        return False
    return op.order > 0 or (machine.era.reserve_for_frames and machine.cpus > 0)


def last_source(zone: Zone, op: Op) -> MigrateType | None:
    """The reserve that serves a request for which there is nothing else, if the era has one."""
    era = zone.machine.era
    if zone.machine.pageblock is None:
        return None
    if era.fallback == "take-largest":
        return RESERVE
    return HIGHATOMIC if op.atomic and era.reserve == "one-percent" else None


def least_fallback(zone: Zone, op: Op) -> Order:
    """The smallest order of another type's block that may serve the request."""
    asked = op.nofragment and zone.machine.era.nofragment
    return max(op.order, zone.machine.pageblock or 0) if asked else op.order


def sources(zone: Zone, op: Op) -> Iterator[Source]:
    """Every list that may serve an allocation."""
    for mt in own_sources(zone, op):
        yield Source(mt, op.order)
    if zone.machine.pageblock is not None:
        for mt in FALLBACKS[op.mt]:
            yield Source(mt, least_fallback(zone, op))
    last = last_source(zone, op)
    if last is not None:
        yield Source(last, op.order)


def smallest_order(zone: Zone, mt: MigrateType, least: Order) -> Order | None:
    """The smallest order from `least` up at which a type has a free block."""
    for order in range(least, len(zone.free_area)):
        if zone.free_area[order].get(mt):
            return order
    return None


def due_source(zone: Zone, op: Op) -> Source | None:
    """The first of the request's own lists that has a sufficient block, and its smallest order."""
    for mt in own_sources(zone, op):
        order = smallest_order(zone, mt, op.order)
        if order is not None:
            return Source(mt, order)
    return None


def may_unreserve(zone: Zone, op: Op) -> bool:
    """Whether the reserve is large enough to lose a pageblock, or must do so in any case."""
    return op.force or zone.nr_reserved > SIZES[zone.machine.pageblock or 0]
