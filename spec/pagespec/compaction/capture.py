"""Capture: a block of the wanted order that is freed meanwhile is the compactor's at once.

Else whoever comes next would have what the compactor has worked for. Only what is freed on its own
CPU can be captured, by itself or by an interrupt: the slot belongs to the task that runs there.

The kernel looks while a freed block merges, before it grows beyond what is wanted. Here it is taken
out of what it has merged into, under the same hold of the lock: the same frames, but what it leaves
of a larger block stands at the heads of its lists. And it looks where a CPU's lists are drained for
the purpose, or a block goes to the buddy directly; not where lists overflow.
Source: mm/page_alloc.c (task_capc, compaction_capture) and mm/compaction.c (compact_zone_order),
5.8 to 6.12.
"""

from pagespec.alloc import FREE_ONE_BLOCK, drop_reference, give_back
from pagespec.buddy import add_to_free_list, del_from_free_list
from pagespec.checks import check_cpu, held_block_of_order
from pagespec.compaction.design import CompactionDesign
from pagespec.compaction.events import Event, Kind
from pagespec.compaction.state import Capture, Compaction, forget
from pagespec.events import Event as Logged
from pagespec.events import Kind as Happened
from pagespec.frames import SIZES, head_of
from pagespec.migratetype import CMA, ISOLATE, MOVABLE, MigrateType
from pagespec.pageblock import pageblock_order, pageblock_type
from pagespec.pcp.index import is_kept
from pagespec.pcp.lists import Where, drain
from pagespec.pcp.tuning import SCALE
from pagespec.steps import Guard, Step, Steps
from pagespec.tally import count_freed
from pagespec.types import Block, Order, Pfn
from pagespec.zone import Zone, account


def may_capture(
    zone: Zone, design: CompactionDesign, slot: Capture, order: Order, mt: MigrateType
) -> bool:
    """Whether a block of a pageblock of that type may be captured.

    CMA's and isolated ones have uses of their own, and small requests shall not spoil a movable
    pageblock.
    """
    if mt in (CMA, ISOLATE):
        return False
    spoils = mt is MOVABLE and order < pageblock_order(zone)
    return not spoils or (design.captures_movable and slot.mt is MOVABLE)


def free_block_over(zone: Zone, pfn: Pfn, order: Order) -> Block | None:
    """The free block of at least that order that covers the frame."""
    for larger in range(order, zone.machine.top + 1):
        head = head_of(pfn, larger)
        if zone.tag.get(head) == larger:
            return Block(head, larger)
    return None


def capture_freed(compaction: Compaction, cpu: int, freed: list[Block]) -> None:
    """Let the task on the CPU have the first block of its order that the freed ones completed.

    freed: the blocks, in the order in which they were; what is larger than is wanted is not
    captured. Under the zone's lock still.
    """
    zone, slot = compaction.zone, compaction.captures[cpu]
    if slot is None or slot.pfn is not None:
        return
    completed: dict[Pfn, int] = {}
    for turn, (pfn, order) in enumerate(freed):
        if order <= slot.order and free_block_over(zone, pfn, slot.order) is not None:
            completed[head_of(pfn, slot.order)] = turn
    for head in sorted(completed, key=completed.__getitem__):
        mt = pageblock_type(zone, head)
        if may_capture(zone, compaction.machine.design, slot, slot.order, mt):
            take_out(zone, head, slot.order)
            slot.pfn = head
            compaction.log.append(Event(Kind.CAPTURED, head, SIZES[slot.order]))
            return


def take_out(zone: Zone, pfn: Pfn, order: Order) -> None:
    """Take a part of a free block, and put the halves beside it back."""
    block = free_block_over(zone, pfn, order)
    assert block is not None, "whoever asks has seen it, and holds the lock"
    head, larger = block
    mt = pageblock_type(zone, pfn)
    listed = del_from_free_list(zone, head, larger)
    account(zone, -SIZES[order], mt)
    while larger > order:
        larger -= 1
        upper = head + SIZES[larger]
        if pfn >= upper:
            add_to_free_list(zone, head, larger, listed)
            head = upper
        else:
            add_to_free_list(zone, upper, larger, listed)


def drain_own(compaction: Compaction, cpu: int) -> Steps[None]:
    """Drain the lists of the CPU at work, so that what was freed can merge; capture what may be."""
    zone = compaction.zone
    if not zone.machine.cpus:
        return
    in_parts = zone.machine.era.drains_in_parts
    kind = 0
    while kind < len(zone.pcps[cpu]):
        pcp = zone.pcps[cpu][kind]
        kind += 1
        more = pcp.count > 0
        while more:
            yield Guard(cpu)
            pages = min(pcp.count, pcp.load.batch << SCALE) if in_parts else pcp.count
            more = pages < pcp.count
            if pages:
                yield Step.LOCK
                begun = len(zone.log)
                drain(zone, pcp, pages)
                drained = (event for event in zone.log[begun:] if event.kind is Happened.PCPU_DRAIN)
                capture_freed(compaction, cpu, [Block(each.pfn, each.order) for each in drained])
                yield Step.UNLOCK
            yield Step.UNGUARD
    compaction.log.append(Event(Kind.DRAINED, 0))


def free_block(compaction: Compaction, pfn: Pfn, order: Order, where: Where) -> Steps[None]:
    """Drop the owner's reference to the block; if it was the last one the block is free."""
    zone = compaction.zone
    held_block_of_order(zone, pfn, order)
    check_cpu(zone, where.cpu)
    yield Step.REFERENCE
    last = drop_reference(zone, pfn)
    if last:
        forget(compaction, pfn)
        yield from give_back_captured(compaction, pfn, order, where)


def give_back_captured(compaction: Compaction, pfn: Pfn, order: Order, where: Where) -> Steps[None]:
    """Return a block that nobody holds any more to the CPU's lists or to the buddy.

    What goes to the buddy directly may be what the task on the CPU waits for.
    """
    zone = compaction.zone
    era, machine = zone.machine.era, zone.machine
    listed = machine.cpus > 0 and is_kept(era.lists, order, machine.huge)
    if listed or not compaction.machine.design.captures:
        yield from give_back(zone, pfn, order, where)
        return
    zone.log.append(Logged(Happened.FREE, pfn, order))
    yield Step.LOCK
    if not era.counts_unguarded:
        yield from count_freed(zone, SIZES[order])
    FREE_ONE_BLOCK[era.design](zone, pfn, order)
    capture_freed(compaction, where.cpu, [Block(pfn, order)])
    yield Step.UNLOCK
    if era.counts_unguarded:
        yield from count_freed(zone, SIZES[order])
