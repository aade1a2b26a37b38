"""Places of frames that are neither free nor anybody's: poisoned, and offline.

A free frame whose memory has failed is taken off the buddy, and the rest of its block goes back.
A range that is isolated and all free can be taken offline, which is the end of isolating it.
Source: mm/page_alloc.c (take_page_off_buddy, put_page_back_buddy, __offline_isolated_pages),
5.15 to 6.12, and mm/memory_hotplug.c.
"""

from pagespec.buddy import add_half, del_from_free_list, free_by_type, free_one_block
from pagespec.checks import check_frame, check_range, check_supported, refused
from pagespec.contig import check_isolated, free_blocks_over
from pagespec.events import Event, Kind
from pagespec.frames import SIZES, blocks_of_run
from pagespec.isolation import large_block_at
from pagespec.migratetype import ISOLATE, MOVABLE
from pagespec.pageblock import pageblock_order, pageblock_type, set_pageblock_type
from pagespec.steps import Step, Steps
from pagespec.types import NotFree, NotOffline, NotPoisoned, Pfn
from pagespec.zone import Zone, account


def poison(zone: Zone, pfn: Pfn) -> Steps[None]:
    """Take a free frame off the buddy for good; the rest of its block stays free.

    It counts after the halves that become guards. Where every list counts for itself (6.12), the
    block does first and then each half of it again.
    """
    check_supported(zone, zone.machine.era.takes_poisoned)
    check_frame(zone, pfn, 0)
    if large_block_at(zone, pfn) is None:
        raise refused(zone, NotFree, pfn, 0)
    yield Step.LOCK
    block = large_block_at(zone, pfn)
    if block is not None:
        mt = pageblock_type(zone, block.pfn)
        each = zone.machine.era.retypes_on_merge
        del_from_free_list(zone, *block)
        if each:
            account(zone, -SIZES[block.order], mt)
        head, order = block
        while order > 0:
            zone.log.append(Event(Kind.SPLIT, head, order, mt))
            order -= 1
            upper = head + SIZES[order]
            inside = upper if pfn >= upper else head
            add_half(zone, upper if inside == head else head, order, mt)
            if each:
                account(zone, SIZES[order], mt)
            head = inside
        if not each:
            account(zone, -1, mt)
        zone.poisoned.add(pfn)
        zone.log.append(Event(Kind.POISONED, pfn, block.order, mt))
    yield Step.UNLOCK


def heal(zone: Zone, pfn: Pfn) -> Steps[None]:
    """Give a poisoned frame back to the buddy."""
    check_supported(zone, zone.machine.era.returns_poisoned)
    check_frame(zone, pfn, 0)
    if pfn not in zone.poisoned:
        raise refused(zone, NotPoisoned, pfn, 0)
    yield Step.LOCK
    zone.poisoned.discard(pfn)
    zone.log.append(Event(Kind.HEALED, pfn, 0, pageblock_type(zone, pfn)))
    free_one_block(zone, pfn, 0, pageblock_type(zone, pfn))
    yield Step.UNLOCK


def offline(zone: Zone, pfn: Pfn, count: int) -> Steps[None]:
    """Take an isolated range offline, all of whose frames are free."""
    check_range(zone, pfn, count)
    end = pfn + count
    check_isolated(zone, pfn, end)
    # A block that reaches over an end would take its neighbour along.
    blocks = free_blocks_over(zone, pfn, end)
    inside = [
        block for block in blocks if pfn <= block.pfn and block.pfn + SIZES[block.order] <= end
    ]
    if sum(SIZES[block.order] for block in inside) != count:
        raise refused(zone, NotFree, pfn, 0)
    yield Step.LOCK
    for block in list(free_blocks_over(zone, pfn, end)):
        del_from_free_list(zone, *block)
        account(zone, -SIZES[block.order], ISOLATE)
    for head in range(pfn, end, SIZES[pageblock_order(zone)]):
        zone.offline.add(head)
        zone.log.append(Event(Kind.OFFLINE, head, pageblock_order(zone), ISOLATE))
    yield Step.UNLOCK


def online(zone: Zone, pfn: Pfn, count: int) -> Steps[None]:
    """Bring an offline range back, as movable memory that is handed over as at boot."""
    check_range(zone, pfn, count)
    machine, size = zone.machine, SIZES[pageblock_order(zone)]
    for head in range(pfn, pfn + count, size):
        if head not in zone.offline:
            raise refused(zone, NotOffline, head, pageblock_order(zone))
    yield Step.LOCK
    for head in range(pfn, pfn + count, size):
        zone.offline.discard(head)
        set_pageblock_type(zone, head, MOVABLE)
        zone.log.append(Event(Kind.ONLINE, head, pageblock_order(zone), MOVABLE))
    for block in list(blocks_of_run(pfn, pfn + count, machine.top)):
        free_by_type(zone, *block, to_tail=machine.era.boot_to_tail)
    yield Step.UNLOCK
