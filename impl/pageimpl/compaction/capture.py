"""Capture: a block of the wanted order that is freed meanwhile is the compactor's at once.

The twin of the spec's `compaction.capture`.
"""

from pageimpl.alloc import count_free, drop_reference, free_one_block
from pageimpl.buddy import add_to_free_list, del_from_free_list
from pageimpl.checks import (
    BAD_CPU,
    BAD_ORDER,
    WRONG_ORDER,
    held_block,
    is_no_cpu,
)
from pageimpl.compaction.drained import drain_noted, drained_order, drained_slot, note_drained
from pageimpl.compaction.holders import forget
from pageimpl.compaction.recorder import DRAIN, FREE, irqs_off, irqs_on
from pageimpl.compaction.state import (
    NO_FRAME,
    CompactionMemory,
    captured_of,
    captures_movable_of,
    captures_of,
    drains_in_parts_of,
    free_block_of,
    order_of,
    set_captured,
    type_of,
    waits_of,
    zone_of,
)
from pageimpl.frames import head_of
from pageimpl.jitcache import kernel
from pageimpl.memory import (
    HEAD_SLOTS,
    ORDER_BITS,
    TYPES_SHIFT,
    Memory,
    cpus_of,
    kept_orders_of,
    owner_of,
    pageblock_order_of,
    prev_of,
    sets_shift_of,
    shift_of,
    top_of,
)
from pageimpl.migratetype import CMA, ISOLATE, MOVABLE
from pageimpl.pageblock import free_order_at, pageblock_type
from pageimpl.pcp.index import area_of, cpu_of
from pageimpl.pcp.state import batch_of, count_of
from pageimpl.pcp.tuning import SCALE
from pageimpl.zone import account_at_once


@kernel
def may_capture(mem: CompactionMemory, mt: int) -> bool:
    """Whether a block of a pageblock of that type may be captured."""
    if mt in (CMA, ISOLATE):
        return False
    spoils = mt == MOVABLE and order_of(mem) < pageblock_order_of(zone_of(mem))
    return not spoils or (captures_movable_of(mem) != 0 and type_of(mem) == MOVABLE)


@kernel
def free_order_over(zone: Memory, p: int, order: int) -> int:
    """The order of the free block, of that order or more, that covers the frame, or -1."""
    for larger in range(order, top_of(zone) + 1):
        if free_order_at(zone, head_of(p, larger)) == larger:
            return larger
    return -1


@kernel
def completes_again(mem: CompactionMemory, turn: int, count: int) -> bool:
    """Whether a later one of the freed blocks lies in the same block of the wanted order."""
    order = order_of(mem)
    head = head_of(drained_slot(mem, turn), order)
    for later in range(turn + 1, count):
        if drained_order(mem, later) <= order and head_of(drained_slot(mem, later), order) == head:
            return True
    return False


@kernel
def capture_freed(mem: CompactionMemory, count: int) -> None:
    """Let the task that waits have the first block of its order that the freed ones completed."""
    if not waits_of(mem) or captured_of(mem) != NO_FRAME:
        return
    zone, order = zone_of(mem), order_of(mem)
    for turn in range(count):
        p = drained_slot(mem, turn)
        if drained_order(mem, turn) > order or free_order_over(zone, p, order) < 0:
            continue
        if completes_again(mem, turn, count):
            continue
        head = head_of(p, order)
        if may_capture(mem, pageblock_type(zone, head)):
            take_out(zone, head, order)
            set_captured(mem, head - shift_of(zone))
            return


@kernel
def listed_as(zone: Memory, p: int) -> int:
    """The type of the free list that the block is on."""
    while p >= HEAD_SLOTS:
        p = prev_of(zone, p)
    return p & (1 << TYPES_SHIFT) - 1


@kernel
def take_out(zone: Memory, p: int, order: int) -> None:
    """Take a part of a free block, and put the halves beside it back."""
    larger = free_order_over(zone, p, order)
    head = head_of(p, larger)
    mt, listed = pageblock_type(zone, p), listed_as(zone, head)
    del_from_free_list(zone, head, larger)
    account_at_once(zone, -(1 << order), mt)
    while larger > order:
        larger -= 1
        upper = head + (1 << larger)
        if p >= upper:
            add_to_free_list(zone, head, larger, listed, False)
            head = upper
        else:
            add_to_free_list(zone, upper, larger, listed, False)


@kernel
def drain_own(mem: CompactionMemory, cpu: int) -> None:
    """Drain the lists of the CPU at work, so that what was freed can merge; capture what may be."""
    zone = zone_of(mem)
    if cpus_of(zone) == 0:
        return
    for kind in range(sets_shift_of(zone) + 1):
        q = area_of(zone, cpu, kind)
        while count_of(zone, q) > 0:
            pages = count_of(zone, q)
            if drains_in_parts_of(mem):
                pages = min(pages, batch_of(zone, q) << SCALE)
            irqs_off(mem, DRAIN)
            capture_freed(mem, drain_noted(mem, q, pages))
            irqs_on(mem)


@kernel
def free_held(mem: CompactionMemory, pfn: int, order: int, want: int) -> int:
    """Drop the owner's reference to a block: 0, or a refusal's code."""
    zone = zone_of(mem)
    if order < 0 or order > top_of(zone):
        return BAD_ORDER
    p = held_block(zone, pfn, order)
    if p < 0:
        return p
    if owner_of(zone, p) & ORDER_BITS != order:
        return WRONG_ORDER
    if is_no_cpu(zone, cpu_of(want)):
        return BAD_CPU
    if drop_reference(zone, p):
        forget(mem, p, order)
        give_back_captured(mem, p, order, want)
    return 0


@kernel
def give_back_captured(mem: CompactionMemory, p: int, order: int, want: int) -> None:
    """Return a block that nobody holds to the CPU's lists or to the buddy; capture what may be."""
    zone = zone_of(mem)
    irqs_off(mem, FREE)
    if not captures_of(mem) or kept_orders_of(zone) >> order & 1:
        free_block_of(mem, p, order, want)
    else:
        count_free(zone, 1 << order)
        free_one_block(zone, p, order, False)
        if waits_of(mem):
            note_drained(mem, 0, p, order)
            capture_freed(mem, 1)
    irqs_on(mem)
