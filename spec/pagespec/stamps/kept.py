"""What CPUs keep: blocks come to their lists from frees and refills, and leave by the same stamps.

A list is served from the lowest stamp up. What is cold enters, and is served, at the other end,
where there is one list for warm and cold; and what a drain gives back is always the highest.
"""

from collections.abc import Iterator
from typing import NamedTuple

from pagespec.frames import SIZES
from pagespec.migratetype import CMA, ISOLATE, MOVABLE, REQUESTED, RESERVE, UNMOVABLE, MigrateType
from pagespec.pcp.drain import round_robin
from pagespec.pcp.index import LISTS, is_kept, list_index, order_of_list
from pagespec.pcp.sizes import Pageset
from pagespec.pcp.tuning import (
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
from pagespec.stamps.blocks import give, grow, tick
from pagespec.stamps.cells import count, count_cma, count_free
from pagespec.stamps.marks import forget_low
from pagespec.stamps.request import from_buddy
from pagespec.stamps.state import Kept, Stamps, pageblock_order, type_at
from pagespec.types import Block, Order
from pagespec.verbs import Op


def goes_by_lists(stamps: Stamps, order: Order, op: Op) -> bool:
    """Whether blocks of that order are kept, and whether who asks may touch the CPU's lists."""
    machine = stamps.machine
    if not machine.cpus or not is_kept(machine.era.lists, order, machine.huge):
        return False
    if machine.pageblock is not None and order > machine.pageblock:
        return False
    match machine.era.guard:
        case "no-interrupt":
            return not op.irq
        case "trylock-irqs-off" | "trylock":
            return not op.contended
    return True


class Place(NamedTuple):
    """One list: of which CPU, of its cold set or the other, and its number there."""

    cpu: int
    cold: bool
    number: int


def is_cold(stamps: Stamps, op: Op) -> bool:
    """Whether the request is for the cold one of a CPU's two sets."""
    return op.cold and stamps.machine.era.tuning == "pair"


def _by_the_end(stamps: Stamps, op: Op) -> bool:
    """Whether the request uses the cold end of the one list."""
    return op.cold and stamps.machine.era.cold_at_tail


def count_of(stamps: Stamps, cpu: int, cold: bool) -> int:
    """The frames that a CPU keeps in one of its sets."""
    return sum(
        SIZES[block.order]
        for block, kept in stamps.kept.items()
        if (kept.cpu, kept.cold) == (cpu, cold)
    )


def _list_of(stamps: Stamps, cpu: int, cold: bool, number: int) -> list[Block]:
    """The blocks of one list, those to be served first first."""
    blocks = [
        block
        for block, kept in stamps.kept.items()
        if (kept.cpu, kept.cold, kept.number) == (cpu, cold, number)
    ]
    return sorted(blocks, key=lambda block: stamps.kept[block].stamp)


def _pressure(stamps: Stamps) -> Pressure:
    return Pressure(stamps.reclaiming, stamps.below_high)


def asked(stamps: Stamps, op: Op) -> None:
    """Let a CPU's lists learn that a single request has come to them."""
    loads, cold = stamps.loads[op.cpu], is_cold(stamps, op)
    match loads[cold]:
        case Doubling() as load:
            loads[cold] = after_alloc(load)
        case Tuned() as load:
            loads[cold] = taken(load)


def take(stamps: Stamps, op: Op) -> int | None:
    """Take a block off the CPU's list, refilled if that is due; none if nothing could be had."""
    cold, mt = is_cold(stamps, op), op.mt
    if stamps.machine.pageblock is None:
        mt = UNMOVABLE
    place = Place(op.cpu, cold, list_index(stamps.machine.era.lists, op.order, mt))
    load = stamps.loads[op.cpu][cold]
    least = load.low if isinstance(load, Pageset) else 0
    if len(_list_of(stamps, *place)) <= least:
        _refill(stamps, op, place)
    blocks = _list_of(stamps, *place)
    if not blocks:
        return None
    block = blocks[-1 if _by_the_end(stamps, op) else 0]
    del stamps.kept[block]
    return block.pfn


def _refill(stamps: Stamps, op: Op, place: Place) -> None:
    """Let a list ask the buddy for a batch, and take what there is of it.

    Until 6.9 what a refill takes leaves the count of free frames only when it is done, but that of
    CMA's block by block. The reserve for atomic requests fills no list. In 2.6.37 a block forgets
    that it came from the emergency reserve.
    """
    era, to_tail = stamps.machine.era, not _by_the_end(stamps, op)
    uncounted = 0
    for _ in range(_blocks_due(stamps, op, place.cold)):
        found = from_buddy(stamps, op._replace(atomic=False), uncounted)
        if found is None:
            break
        mt = op.mt if found.mt is RESERVE else found.mt
        stamp = tick(stamps, to_tail=to_tail)
        stamps.kept[Block(found.first, op.order)] = Kept(*place, stamp, mt)
        if not era.retypes_on_merge:
            uncounted += SIZES[op.order]
            if found.mt is CMA:
                count_cma(stamps, -SIZES[op.order])
    if not era.retypes_on_merge:
        count_free(stamps, -uncounted)


def _blocks_due(stamps: Stamps, op: Op, cold: bool) -> int:
    """How many blocks a refill asks for: a batch of frames, and two of larger blocks at least."""
    loads = stamps.loads[op.cpu]
    match loads[cold]:
        case Pageset(batch=batch):
            return batch
        case Doubling(batch=batch):
            return max(batch >> op.order, 2) if batch > 1 else batch
        case Tuned() as load:
            count = count_of(stamps, op.cpu, cold)
            blocks, loads[cold] = refill(load, op.order, count, _pressure(stamps))
            return blocks


def free(stamps: Stamps, block: Block, op: Op) -> None:
    """Free a block to the CPU's list, or to the buddy; what is isolated is not kept."""
    isolated = type_at(stamps, block.pfn) is ISOLATE
    if goes_by_lists(stamps, block.order, op) and not isolated:
        _keep(stamps, block, op)
    else:
        give(stamps, block)


def _keep(stamps: Stamps, block: Block, op: Op) -> None:
    """Put a freed block on the CPU's list, and drain the lists if they then hold too much.

    Until 2.6.11 they are drained before, if they hold too much already.
    """
    era, cold, mt = stamps.machine.era, is_cold(stamps, op), type_at(stamps, block.pfn)
    load = stamps.loads[op.cpu][cold]
    number = list_index(era.lists, block.order, mt if mt in REQUESTED else MOVABLE)
    if era.tuning == "pair" and count_of(stamps, op.cpu, cold) >= load.high:
        drain(stamps, op.cpu, cold, load.batch)
    stamp = tick(stamps, to_tail=_by_the_end(stamps, op))
    stamps.kept[block] = Kept(op.cpu, cold, number, stamp, mt)
    if era.tuning == "pair":
        return
    pages = _pages_due(stamps, block.order, op.cpu)
    if pages:
        drain(stamps, op.cpu, cold, pages, first=number)
        forget_low(stamps)


def _pages_due(stamps: Stamps, order: Order, cpu: int) -> int:
    """How many frames a free drains; what the lists learn from it, they learn."""
    loads, count, pressure = stamps.loads[cpu], count_of(stamps, cpu, False), _pressure(stamps)
    match loads[0]:
        case Pageset(high=high, batch=batch):
            return batch if count >= high else 0
        case Doubling() as load:
            flush = stamps.machine.era.tuning == "doubling-flush" and frees_high(load, order)
            if not flush and count < high_of(load, pressure):
                return 0
            loads[0] = after_drain(load, pressure, free_high=flush)
            return drain_of(load, count, pressure, free_high=flush)
        case Tuned() as load:
            loads[0], pages = freed(load, order, count, pressure)
            return pages


def drain(stamps: Stamps, cpu: int, cold: bool, pages: int, first: int = 0) -> None:
    """Give so many frames of one set back, or all that there are.

    Until 2.6.39 they are counted together in the end. first: the list from which the lists are
    emptied, one after the other, since 6.0.
    """
    once, together = stamps.machine.era.counts_drain_once, 0
    blocks = list(_drained(stamps, cpu, cold, pages, first))
    for block in blocks:
        kept = stamps.kept.pop(block)
        mt = _returns_as(stamps, block, kept)
        if once:
            together += SIZES[block.order]
        else:
            count(stamps, SIZES[block.order], mt)
        grow(stamps, block, mt)
    if once and blocks:
        count_free(stamps, together)


def _drained(stamps: Stamps, cpu: int, cold: bool, pages: int, first: int) -> Iterator[Block]:
    """The blocks that a drain of so many frames gives back, in order."""
    era, huge = stamps.machine.era, stamps.machine.huge
    numbers = LISTS[era.lists]
    lists = [_list_of(stamps, cpu, cold, number) for number in range(numbers)]
    if not era.drains_from_preferred:
        sizes = [SIZES[order_of_list(number, huge)] for number in range(numbers)]
        for number in round_robin([len(blocks) for blocks in lists], pages, sizes):
            yield lists[number].pop()
        return
    for blocks in lists[first:] + lists[:first]:
        for block in reversed(blocks):
            if pages <= 0:
                return
            pages -= SIZES[block.order]
            yield block


def _returns_as(stamps: Stamps, block: Block, kept: Kept) -> MigrateType:
    """The type to whose list a drained block returns: that of its pageblock, or the one it had.

    The former since lists and types agree, and from 4.10 as long as anything is isolated.
    """
    era, size = stamps.machine.era, SIZES[pageblock_order(stamps)]
    isolated = stamps.pageblocks.count(ISOLATE) * size > stamps.offline
    if era.retypes_on_merge or (isolated and era.isolation != "move"):
        return type_at(stamps, block.pfn)
    return kept.mt
