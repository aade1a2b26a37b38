"""A CPU's own page lists, in front of the buddy: no lock that others wait for.

A request takes the first block of its list; only when there is none does the CPU take the zone's
lock, and then for a batch. A freed block goes to the front, where the next request finds it warm;
when the lists hold too much, a batch of the coldest goes back from the tails.

Who may touch the lists depends on the era's guard. Whoever may not, because an interrupt came or
the lock was lost, goes to the buddy: correct, only slower.
Source: mm/page_alloc.c (rmqueue_pcplist, rmqueue_bulk, free_unref_page_commit,
free_pcppages_bulk and their forerunners), 2.6.11 to 6.12; the 2017 thread for 4.11-rc.
"""

from collections.abc import Callable
from typing import NamedTuple

from pagespec import bitmap
from pagespec.buddy import free_one_block
from pagespec.choices import Design
from pagespec.events import Event, Kind
from pagespec.frames import SIZES
from pagespec.guards import RULES
from pagespec.migratetype import CMA, ISOLATE, UNMOVABLE, MigrateType
from pagespec.pageblock import pageblock_type
from pagespec.pcp.drain import from_preferred, round_robin
from pagespec.pcp.index import is_kept, list_index, orders_of_lists
from pagespec.pcp.sizes import Pageset
from pagespec.pcp.state import Pcp, loads_of
from pagespec.pcp.tuning import (
    CALM,
    Doubling,
    Pressure,
    Tuned,
    after_alloc,
    after_drain,
    drain_of,
    freed,
    frees_high,
    high_of,
    refill,
    taken,
)
from pagespec.rmqueue import Want, rmqueue_one
from pagespec.steps import Step, Steps
from pagespec.types import EndlessWalk, Order, Pfn
from pagespec.watermark.check import NO_RIGHTS
from pagespec.watermark.ok import watermark_ok
from pagespec.zone import Zone, count_gathered


class Where(NamedTuple):
    """Who asks: on which CPU, from an interrupt or not, and whether somebody holds the lists' lock.

    cold: whether the frames need not be warm; later eras pay no heed.
    """

    cpu: int = 0
    irq: bool = False
    contended: bool = False
    cold: bool = False


ANYWHERE = Where()
"""The first CPU, outside of interrupts."""

RMQUEUE_ONE: dict[Design, Callable[[Zone, Want], Pfn | None]] = {
    "tag": rmqueue_one,
    "bitmap": lambda zone, want: bitmap.rmqueue(zone, want.order),
}
FREE_TO: dict[Design, Callable[[Zone, Pfn, Order, MigrateType], None]] = {
    "tag": free_one_block,
    "bitmap": lambda zone, pfn, order, mt: bitmap.free_one_block(zone, pfn, order),
}


def may_use_lists(zone: Zone, order: Order, where: Where) -> bool:
    """Whether a block of that order goes through the CPU's lists, and the guard lets it.

    What is larger than a pageblock never does: it could have several types.
    """
    machine = zone.machine
    era = machine.era
    if not machine.cpus or not is_kept(era.lists, order, machine.huge):
        return False
    if machine.pageblock is not None and order > machine.pageblock:
        return False
    rule = RULES[era.guard]
    if (where.irq and rule.bars_interrupts) or (where.contended and rule.locks):
        log_lost(zone, order)
        return False
    return True


def log_lost(zone: Zone, order: Order) -> None:
    """Log that the guard keeps a request off the lists, so that it goes to the buddy."""
    zone.log.append(Event(Kind.BARRED, 0, order))


def lists_for(zone: Zone, where: Where) -> Pcp:
    """The lists of the CPU at work; the cold ones where they are kept apart and meant."""
    pcps = zone.pcps[zone.on_cpu]
    return pcps[where.cold] if len(pcps) > 1 else pcps[0]


def _from_tail(zone: Zone, where: Where) -> bool:
    """Whether cold frames are told from warm ones by the end of the list."""
    return where.cold and zone.machine.era.cold_at_tail


def alloc_from_list(zone: Zone, want: Want, where: Where) -> Steps[Pfn | None]:
    """Take a block from the CPU's list, refilled if need be, or None if there is none to be had.

    So it is if the buddy has none, or if the guard was lost. Which CPU it is, is known for certain
    only with the guard held: before, the task may move.
    """
    if zone.machine.pageblock is None and want.mt is not UNMOVABLE:
        want = want._replace(mt=UNMOVABLE)
    lost = yield Step.GUARD
    if lost:
        log_lost(zone, want.order)
        return None
    pcp = lists_for(zone, where)
    index = list_index(zone.machine.era.lists, want.order, want.mt)
    if isinstance(pcp.load, Doubling):
        pcp.load = after_alloc(pcp.load)
    elif isinstance(pcp.load, Tuned):
        pcp.load = taken(pcp.load)
    if must_refill(pcp, index):
        yield from refill_list(zone, pcp, index, want, where)
    pfn = yield from take_from_list(zone, pcp, index, want, where)
    if pfn is not None and not zone.machine.era.counts_unguarded:
        # As `tally` has it, here and in the free: most requests come by.
        counted = zone.pgallocs[zone.on_cpu]
        yield Step.ADD
        zone.pgallocs[zone.on_cpu] = counted + SIZES[want.order]
    yield Step.UNGUARD
    return pfn


def refill_list(zone: Zone, pcp: Pcp, index: int, want: Want, where: Where) -> Steps[None]:
    """Fetch blocks for the list from the buddy, with the guard held already.

    They are on the list before they are counted.
    """
    blocks = blocks_to_refill(zone, pcp, want.order)
    yield Step.LOCK
    got = rmqueue_bulk(zone, pcp, index, want, blocks, reverse=_from_tail(zone, where))
    yield Step.UNLOCK
    pcp.count += got * SIZES[want.order]


def take_from_list(zone: Zone, pcp: Pcp, index: int, want: Want, where: Where) -> Steps[Pfn | None]:
    """Take the first block of the list, if there is one, with the guard held already."""
    blocks = pcp.lists[index]
    if not blocks:
        return None
    pfn = next(reversed(blocks)) if _from_tail(zone, where) else next(iter(blocks))
    count = pcp.count
    yield Step.EDIT
    # Where the guard keeps nobody off, somebody else may have taken it meanwhile, and counted.
    blocks.pop(pfn, None)
    zone.visited += 1
    pcp.count = count - SIZES[want.order]
    zone.log.append(Event(Kind.FROM_LIST, pfn, want.order, want.mt))
    return pfn


def pressure_of(zone: Zone) -> Pressure:
    """What the lists' sizes heed of the zone's state."""
    levels = zone.levels
    if levels is None or not (levels.reclaiming or levels.below_high):
        return CALM
    return Pressure(levels.reclaiming, levels.below_high)


def must_refill(pcp: Pcp, index: int) -> bool:
    """Whether the list is empty; until 2.6.11, whether there are too few for what must stay."""
    if isinstance(pcp.load, Pageset) and len(pcp.lists) == 1:
        return pcp.count <= pcp.load.low
    return not pcp.lists[index]


def blocks_to_refill(zone: Zone, pcp: Pcp, order: Order) -> int:
    """How many blocks to ask the buddy for."""
    if isinstance(pcp.load, Tuned):
        blocks, pcp.load = refill(pcp.load, order, pcp.count, pressure_of(zone))
        return blocks
    batch = pcp.load.batch
    return max(batch >> order, 2) if isinstance(pcp.load, Doubling) and batch > 1 else batch


def rmqueue_bulk(
    zone: Zone, pcp: Pcp, index: int, want: Want, blocks: int, *, reverse: bool
) -> int:
    """Move blocks from the buddy to a list, so that they are handed out in order; how many it got.

    Until 6.9 the count of free frames falls once, when all have been moved: it is the old one that
    tells meanwhile whether most of what is free is CMA memory.
    """
    era = zone.machine.era
    taken_blocks = 0
    zone.gathered = None if era.retypes_on_merge else 0
    while taken_blocks < blocks:
        pfn = RMQUEUE_ONE[era.design](zone, want)
        if pfn is None:
            break
        pcp.lists[index][pfn] = CMA if pageblock_type(zone, pfn) is CMA else want.mt
        if reverse:
            pcp.lists[index].move_to_end(pfn, last=False)
        taken_blocks += 1
        zone.visited += 1
    count_gathered(zone)
    zone.log.append(Event(Kind.REFILL, taken_blocks, want.order, want.mt))
    return taken_blocks


def free_to_list(zone: Zone, pfn: Pfn, order: Order, mt: MigrateType, where: Where) -> Steps[bool]:
    """Put a freed block on the CPU's list of that type, and drain the lists if they hold too much.

    Until 2.6.11 the drain comes first. False if the guard was lost: then the block is still to be
    freed.
    """
    # Read before the guard is had: whoever isolates the pageblock meanwhile drains what he missed.
    listed_as = pageblock_type(zone, pfn)
    lost = yield Step.GUARD
    if lost:
        log_lost(zone, order)
        return False
    counted = zone.pgfrees[zone.on_cpu]
    yield Step.ADD
    counted += 1 if zone.machine.era.counts_operations else SIZES[order]
    zone.pgfrees[zone.on_cpu] = counted
    pcp = lists_for(zone, where)
    index = list_index(zone.machine.era.lists, order, mt)
    first = zone.machine.era.tuning == "pair"
    pages = pages_to_drain(zone, pcp, order) if first else 0
    if first and pages:
        yield Step.LOCK
        drain(zone, pcp, pages, index)
        yield Step.UNLOCK
    count = pcp.count
    yield Step.EDIT
    pcp.lists[index][pfn] = listed_as
    zone.visited += 1
    if not _from_tail(zone, where):
        pcp.lists[index].move_to_end(pfn, last=False)
    pcp.count = count + SIZES[order]
    zone.log.append(Event(Kind.TO_LIST, pfn, order, mt))
    pages = 0 if first else pages_to_drain(zone, pcp, order)
    if pages:
        yield Step.LOCK
        drain(zone, pcp, pages, index)
        yield Step.UNLOCK
        recheck_high(zone)
    yield Step.UNGUARD
    return True


def recheck_high(zone: Zone) -> None:
    """After a drain: whether a zone that fell below its high mark is above it again."""
    levels = zone.levels
    if levels is None or not levels.below_high:
        return
    reserve = levels.reserve[-1]
    high = levels.marks.high + levels.boost
    levels.below_high = not watermark_ok(zone, Want(0), high, reserve, NO_RIGHTS)


def pages_to_drain(zone: Zone, pcp: Pcp, order: Order) -> int:
    """How many frames a free of that order drains, 0 for none; the sizes learn from it."""
    load = pcp.load
    if isinstance(load, Tuned):
        pcp.load, pages = freed(load, order, pcp.count, pressure_of(zone))
        return pages
    if isinstance(load, Doubling):
        flush = zone.machine.era.tuning == "doubling-flush" and frees_high(load, order)
        pressure = pressure_of(zone)
        if not flush and pcp.count < high_of(load, pressure):
            return 0
        pcp.load = after_drain(load, pressure, free_high=flush)
        return drain_of(load, pcp.count, pressure, free_high=flush)
    return load.batch if pcp.count >= load.high else 0


def drain(zone: Zone, pcp: Pcp, pages: int, preferred: int = 0) -> None:
    """Give so many frames back to the buddy, from the tails, in the era's turns.

    preferred: the list to begin with, where the era asks for one.

    Raises EndlessWalk for more than there is, where the era does not look: the walk round the lists
    would find them all empty and go on. That takes somebody who changes sizes meanwhile; machines
    that say a batch larger than `high` from the start are taken to mean what there is.
    """
    machine = zone.machine
    if pages > pcp.count and not machine.era.bounds_drains:
        loads = loads_of(machine, zone.sized_low, 1)
        if all(load.batch <= load.high for load in loads):
            raise EndlessWalk(pages, pcp.count)
    lengths = [len(blocks) for blocks in pcp.lists]
    orders = orders_of_lists(machine.era.lists, machine.huge)
    sizes = [SIZES[order] for order in orders]
    turns = (
        from_preferred(lengths, pages, sizes, preferred)
        if machine.era.drains_from_preferred
        else round_robin(lengths, pages, sizes)
    )
    free_to = FREE_TO[machine.era.design]
    again = reads_types_again(zone)
    zone.gathered = 0 if machine.era.counts_drain_once else None
    for index in turns:
        pfn, mt = pcp.lists[index].popitem()
        zone.visited += 1
        order = orders[index]
        pcp.count -= SIZES[order]
        if again:
            mt = pageblock_type(zone, pfn)
        zone.log.append(Event(Kind.PCPU_DRAIN, pfn, order, mt))
        free_to(zone, pfn, order, mt)
    count_gathered(zone)


def reads_types_again(zone: Zone) -> bool:
    """Whether drained blocks return to the lists of their pageblocks' types of today.

    Else they return to those of the types that they were listed with. The types are read again
    where lists and types agree (6.12); from 4.10 also while any pageblock is isolated. Before, a
    block could leave an isolated pageblock by way of a CPU's list.
    """
    era = zone.machine.era
    # What is offline has its type still, but nothing waits for it any more.
    isolated = zone.pageblocks.count(ISOLATE) > len(zone.offline)
    return era.retypes_on_merge or (era.isolation != "move" and isolated)
