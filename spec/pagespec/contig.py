"""Operations on ranges of frames: isolate one, undo it, or allocate one that is free throughout.

Each pageblock is changed under a lock hold of its own, so others run in between.
Source: mm/page_isolation.c (start_isolate_page_range, undo_isolate_page_range) and
mm/page_alloc.c (alloc_contig_range), 2.6.37 to 6.12.
"""

from collections.abc import Iterator

from pagespec.alloc import give_back
from pagespec.buddy import del_from_free_list
from pagespec.checks import (
    check_cpu,
    check_range,
    check_supported,
    check_type,
    covered_by_held,
    refused,
)
from pagespec.events import Event, Kind
from pagespec.frames import SIZES, head_of, rounded_up
from pagespec.isolation import cut_at, isolate_pageblock, large_block_at, restore_pageblock
from pagespec.migratetype import CMA, ISOLATE, MOVABLE, MigrateType
from pagespec.pageblock import pageblock_order, pageblock_type
from pagespec.pcp.cpus import drain_all
from pagespec.pcp.lists import Where
from pagespec.steps import Step, Steps
from pagespec.types import AlreadyIsolated, BadRange, Block, NotFree, NotIsolated, Pfn
from pagespec.zone import Held, Zone

RANGE_TYPES = (MOVABLE, CMA)
"""The types that a range may be given when it is restored."""


def isolate_range(zone: Zone, pfn: Pfn, count: int) -> Steps[None]:
    """Isolate every pageblock of the range; none may be isolated already.

    Since ranges are made of pageblocks, the first and the last are isolated before those between:
    what reaches over the range's ends is the hardest.
    """
    check_can_isolate(zone, pfn, count)
    yield from _isolate(zone, pfn, pfn + count)


def check_can_isolate(zone: Zone, pfn: Pfn, count: int) -> None:
    """Refuse a range that is not made of whole pageblocks, or is isolated in part."""
    check_range(zone, pfn, count)
    for head in range(pfn, pfn + count, SIZES[pageblock_order(zone)]):
        if pageblock_type(zone, head) is ISOLATE:
            raise refused(zone, AlreadyIsolated, head, pageblock_order(zone))
    if beside_isolated(zone, pfn, pfn + count):
        raise refused(zone, AlreadyIsolated, pfn, pageblock_order(zone))
    if zone.machine.era.isolation == "split-ends":
        # Such a block is freed whole, to the lists of its first pageblock.
        for edge in (pfn, pfn + count):
            if edge not in zone.held and covered_by_held(zone, edge):
                raise refused(zone, NotFree, edge, pageblock_order(zone))


def beside_isolated(zone: Zone, pfn: Pfn, end: Pfn) -> bool:
    """Whether the range would share a largest block with another that is isolated, in 6.1.

    Free blocks of the two would merge, and to restore one range would hand out the other's frames.
    Callers of that era had to keep apart; 6.12 cuts such a block.
    """
    machine = zone.machine
    if machine.era.isolation != "split-ends":
        return False
    for edge, outside in ((pfn, pfn - 1), (end - 1, end)):
        near = head_of(edge, machine.top) == head_of(max(outside, 0), machine.top)
        if near and machine.start <= outside < machine.end:
            head = head_of(outside, pageblock_order(zone))
            if pageblock_type(zone, outside) is ISOLATE and head not in zone.offline:
                return True
    return False


def _isolate(zone: Zone, pfn: Pfn, end: Pfn) -> Steps[None]:
    size = SIZES[pageblock_order(zone)]
    era = zone.machine.era
    cuts = era.isolation == "split-ends"
    heads = list(range(pfn, end, size))
    if era.isolates_pageblocks and len(heads) > 1:
        heads.insert(1, heads.pop())
    while heads:
        head = heads.pop(0)
        yield Step.LOCK
        isolate_pageblock(zone, head)
        if cuts and head == pfn:
            cut_at(zone, pfn)
        if cuts and head == end - size:
            cut_at(zone, end)
        yield Step.UNLOCK
        # What the CPUs still keep of the range would come back under its former type.
        if era.drains_each_pageblock or not heads:
            yield from drain_all(zone)


def restore_range(zone: Zone, pfn: Pfn, count: int, mt: MigrateType) -> Steps[None]:
    """Give every pageblock of an isolated range the type mt, and its free blocks back."""
    check_range(zone, pfn, count)
    check_type(zone, mt, RANGE_TYPES)
    end = pfn + count
    check_isolated(zone, pfn, end)
    if beside_isolated(zone, pfn, end):
        raise refused(zone, BadRange, pfn, pageblock_order(zone))
    yield from _restore(zone, pfn, end, mt)


def check_isolated(zone: Zone, pfn: Pfn, end: Pfn) -> None:
    """Refuse a range of which a pageblock is not isolated, or is offline."""
    for head in range(pfn, end, SIZES[pageblock_order(zone)]):
        if pageblock_type(zone, head) is not ISOLATE or head in zone.offline:
            raise refused(zone, NotIsolated, head, pageblock_order(zone))


def _restore(zone: Zone, pfn: Pfn, end: Pfn, mt: MigrateType) -> Steps[None]:
    head = pfn
    while head < end:
        yield Step.LOCK
        if pageblock_type(zone, head) is ISOLATE:
            restore_pageblock(zone, head, mt)
        yield Step.UNLOCK
        head += SIZES[pageblock_order(zone)]


def alloc_contig(
    zone: Zone, pfn: Pfn, count: int, mt: MigrateType, where: Where
) -> Steps[Pfn | None]:
    """Allocate the very frames from pfn, each as a block of its own: pfn, or None if any is busy.

    Everything around is isolated meanwhile, so that nobody takes what is being gathered. Free
    blocks are taken whole; what they have beyond the range goes back. In the end, also when it has
    failed, the pageblocks have the type mt, whatever they had before.
    """
    machine = zone.machine
    check_supported(zone, machine.pageblock is not None and machine.era.isolation != "move")
    check_type(zone, mt, RANGE_TYPES)
    check_cpu(zone, where.cpu)
    end = pfn + count
    first = head_of(pfn, machine.isolation_order)
    beyond = rounded_up(end, machine.isolation_order)
    check_can_isolate(zone, first, beyond - first if count > 0 else 0)
    yield from _isolate(zone, first, beyond)
    yield Step.LOCK
    blocks = list(free_blocks_over(zone, pfn, end))
    got = bool(blocks) and blocks[-1].pfn + SIZES[blocks[-1].order] >= end
    for block in blocks if got else ():
        del_from_free_list(zone, *block)
    for page in range(pfn, end) if got else ():
        zone.held[page] = Held(0, 1, compound=False)
        zone.given.add(page)
        zone.visited += 1
    yield Step.UNLOCK
    if got:
        zone.log.append(Event(Kind.RANGE, pfn, 0, mt))
        surplus = [
            *range(blocks[0].pfn, pfn),
            *range(end, blocks[-1].pfn + SIZES[blocks[-1].order]),
        ]
        while surplus:
            page = surplus.pop(0)
            yield from give_back(zone, page, 0, where)
    else:
        zone.log.append(Event(Kind.UNDONE, pfn, 0, mt))
    yield from _restore(zone, first, beyond, mt)
    return pfn if got else None


def free_blocks_over(zone: Zone, pfn: Pfn, end: Pfn) -> Iterator[Block]:
    """The free blocks that cover the run without a gap, lowest first, until there is one."""
    while pfn < end:
        block = large_block_at(zone, pfn)
        if block is None:
            return
        yield block
        pfn = block.pfn + SIZES[block.order]
