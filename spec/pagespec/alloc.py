"""The operations on blocks: allocate, free, take and drop a reference, split into pages.

A block that is given out carries one reference, its owner's. Others may take more; whoever drops
the last one frees the block. Two historical faults live between the two ways of dropping one, so
both are here: `free_pages`, which knows the block's order, and `put_page`, which does not.

Illegal requests are refused by typed errors before anything changes.
Source: mm/page_alloc.c, __free_pages and put_page; the faults are those that e320d3012d25 mended
and CVE-2023-52739, which it brought.
"""

from typing import Protocol

from pagespec import bitmap
from pagespec.buddy import free_by_type
from pagespec.checks import (
    check_cpu,
    check_order,
    check_type,
    held_block,
    held_block_of_order,
    refused,
)
from pagespec.choices import Design
from pagespec.events import Event, Kind
from pagespec.frames import SIZES
from pagespec.migratetype import REQUESTED, UNMOVABLE
from pagespec.pageblock import pageblock_type
from pagespec.pcp.index import list_type
from pagespec.pcp.lists import (
    ANYWHERE,
    Where,
    free_to_list,
    may_use_lists,
)
from pagespec.rmqueue import Want
from pagespec.steps import Step, Steps
from pagespec.tally import count_freed
from pagespec.types import CompoundBlock, Order, Pfn, WrongOrder
from pagespec.zone import Held, Zone
from pagespec.zonelist import Ask, Served, serve


class FreeOneBlock(Protocol):
    """How a design takes a block back, under the zone's lock."""

    def __call__(self, zone: Zone, pfn: Pfn, order: Order, *, to_tail: bool = False) -> None:
        """Free the block and merge it upward."""


FREE_ONE_BLOCK: dict[Design, FreeOneBlock] = {
    "tag": free_by_type,
    "bitmap": bitmap.free_one_block,
}


def alloc_pages(
    zone: Zone,
    want: Want,
    where: Where = ANYWHERE,
    *,
    compound: bool = False,
    emergency: bool = False,
) -> Steps[Pfn | None]:
    """Allocate a block of that order: its first frame, or None if no block may serve it.

    Without pageblocks every request is UNMOVABLE, whatever it says.
    """
    check_order(zone, 0, want.order)
    check_type(zone, want.mt, REQUESTED)
    check_cpu(zone, where.cpu)
    served = yield from serve([zone], Ask(want, where, emergency=emergency))
    if served is None:
        log_failure(zone, want)
        return None
    return hold(zone, served, want, compound=compound)


def log_failure(zone: Zone, want: Want) -> None:
    """Log that a request got nothing."""
    mt = UNMOVABLE if zone.machine.pageblock is None else want.mt
    zone.log.append(Event(Kind.FAIL, 0, want.order, mt))


def hold(zone: Zone, served: Served, want: Want, *, compound: bool) -> Pfn:
    """Enter a block that was taken as held by its caller; return its first frame."""
    mt = UNMOVABLE if zone.machine.pageblock is None else want.mt
    give_out(zone, served.pfn, Held(want.order, 1, compound, mt), Kind.ALLOC)
    return served.pfn


def give_out(zone: Zone, pfn: Pfn, held: Held, how: Kind) -> None:
    """Let the block be held from now on."""
    zone.held[pfn] = held
    zone.given.add(pfn)
    zone.log.append(Event(how, pfn, held.order, held.mt))


def give_back(zone: Zone, pfn: Pfn, order: Order, where: Where) -> Steps[None]:
    """Return a block that nobody holds any more to the CPU's lists or to the buddy."""
    zone.log.append(Event(Kind.FREE, pfn, order))
    era = zone.machine.era
    mt = list_type(pageblock_type(zone, pfn))
    if mt is not None and may_use_lists(zone, order, where):
        listed = yield from free_to_list(zone, pfn, order, mt, where)
        if listed:
            return
    yield Step.LOCK
    if not era.counts_unguarded:
        yield from count_freed(zone, SIZES[order])
    FREE_ONE_BLOCK[era.design](zone, pfn, order)
    yield Step.UNLOCK
    if era.counts_unguarded:
        yield from count_freed(zone, SIZES[order])


def free_pages(zone: Zone, pfn: Pfn, order: Order, where: Where = ANYWHERE) -> Steps[None]:
    """Drop the owner's reference to the block.

    If it was the last one the block is free. If not, a compound block waits as a whole for the
    last reference; of any other block only the first frame is referenced, so the rest is freed at
    once, from the upper half down, and the first frame stays behind as a block of its own.

    Whether the block is compound is read while the reference is still held: afterwards somebody
    else may have freed it already.
    """
    held = held_block_of_order(zone, pfn, order)
    check_cpu(zone, where.cpu)
    compound = held.compound
    yield Step.REFERENCE
    last = drop_reference(zone, pfn)
    if last:
        yield from give_back(zone, pfn, order, where)
    elif not compound and order > 0:
        zone.held[pfn] = zone.held[pfn]._replace(order=0)
        zone.log.append(Event(Kind.TAILS, pfn, order))
        piece = order - 1
        while piece >= 0:
            # From now on this frame too headed a block that was given back.
            zone.given.add(pfn + SIZES[piece])
            yield from give_back(zone, pfn + SIZES[piece], piece, where)
            piece -= 1


def drop_reference(zone: Zone, pfn: Pfn) -> bool:
    """Drop one reference in one atomic step; whether it was the last.

    The last one ends the holding: from here on the block is nobody's, and no slot of an array.
    """
    held = zone.held[pfn]
    if held.refs == 1:
        del zone.held[pfn]
        zone.slots.pop(pfn, None)
        return True
    zone.held[pfn] = held._replace(refs=held.refs - 1)
    zone.log.append(Event(Kind.KEPT, pfn, held.order))
    return False


def get_page(zone: Zone, pfn: Pfn) -> Steps[None]:
    """Take one more reference to the block that the frame heads."""
    held = held_block(zone, pfn, 0)
    yield Step.REFERENCE
    held = zone.held[pfn]
    zone.held[pfn] = held._replace(refs=held.refs + 1)
    zone.log.append(Event(Kind.GET, pfn, held.order))


def put_page(zone: Zone, pfn: Pfn, where: Where = ANYWHERE) -> Steps[None]:
    """Drop a reference without knowing the block's order; the last one frees the block.

    A block that is not compound does not know its own order either: its owner must free it by
    `free_pages`, and dropping its last reference here would lose all frames but the first.
    """
    held = held_block(zone, pfn, 0)
    if held.refs == 1 and not held.compound and held.order > 0:
        raise refused(zone, WrongOrder, pfn, 0)
    check_cpu(zone, where.cpu)
    order = held.order if held.compound else 0
    yield Step.REFERENCE
    last = drop_reference(zone, pfn)
    if last:
        yield from give_back(zone, pfn, order, where)


def split_page(zone: Zone, pfn: Pfn, order: Order) -> Steps[None]:
    """Make each frame of a held block a block of its own, with one reference.

    The first frame keeps the references that the block had. A compound block cannot be split.
    """
    held = held_block_of_order(zone, pfn, order)
    if held.compound:
        raise refused(zone, CompoundBlock, pfn, order)
    yield Step.REFERENCE
    held = zone.held[pfn]
    zone.held[pfn] = held._replace(order=0)
    for page in range(pfn + 1, pfn + SIZES[order]):
        zone.held[page] = Held(0, 1, compound=False, mt=held.mt)
        zone.given.add(page)
    zone.log.append(Event(Kind.PIECES, pfn, order, held.mt))
