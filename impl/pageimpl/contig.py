"""Operations on ranges of frames: isolate one, undo it, or allocate one that is free throughout.

The twin of the spec's `contig`. Frames are slots but in the operations themselves; `end` is the
slot behind a range.
"""

from pageimpl.alloc import give_back, hold_page
from pageimpl.bounds import frame_exists
from pageimpl.buddy import del_from_free_list
from pageimpl.checks import (
    BAD_CPU,
    BAD_RANGE,
    BAD_TYPE,
    ISOLATED,
    NOT_FREE,
    NOT_ISOLATED,
    UNSUPPORTED,
    check_range,
    covered_by_held,
    is_no_cpu,
    is_range_type,
)
from pageimpl.era import ISOLATE_BY_MOVE, ISOLATE_SPLIT_ENDS
from pageimpl.frames import head_of, rounded_up
from pageimpl.isolation import cut_at, isolate_pageblock, large_block_at, restore_pageblock
from pageimpl.jitcache import kernel
from pageimpl.locks import lock_zone, may_drain_others, unlock_zone
from pageimpl.memory import (
    HELD,
    OFFLINE,
    Memory,
    drains_each_pageblock_of,
    end_of,
    first_of,
    isolation_of,
    isolation_order_of,
    owner_of,
    pageblock_order_of,
    shift_of,
    top_of,
)
from pageimpl.migratetype import ISOLATE, UNMOVABLE
from pageimpl.pageblock import free_order_at, has_pageblocks, pageblock_type
from pageimpl.pcp.cpus import drain_all
from pageimpl.pcp.index import cpu_of
from pageimpl.verbs import WANTED_SHIFT
from pagespec.types import NO_MEMORY


@kernel
def is_offline(mem: Memory, head: int) -> bool:
    """Whether the pageblock that starts at the slot is offline."""
    owner = owner_of(mem, head)
    return owner < HELD and owner & OFFLINE != 0


@kernel
def isolate_range(mem: Memory, pfn: int, pages: int, cpu: int) -> int:
    """Isolate every pageblock of the range: 0, or a refusal's code.

    cpu: the one at work, here and below.
    """
    p = pfn + shift_of(mem)
    code = check_can_isolate(mem, p, pages)
    if code == 0:
        isolate_all(mem, p, p + pages, cpu)
    return code


@kernel
def check_can_isolate(mem: Memory, p: int, pages: int) -> int:
    """Refuse a range that is not made of whole pageblocks, or is isolated in part."""
    code = check_range(mem, p, pages)
    if code < 0:
        return code
    if not may_drain_others(mem):
        return UNSUPPORTED
    end = p + pages
    for head in range(p, end, 1 << pageblock_order_of(mem)):
        if pageblock_type(mem, head) == ISOLATE:
            return ISOLATED
    if beside_isolated(mem, p, end):
        return ISOLATED
    if isolation_of(mem) == ISOLATE_SPLIT_ENDS:
        for edge in (p, end):
            heads = not frame_exists(mem, edge) or owner_of(mem, edge) >= HELD
            if not heads and covered_by_held(mem, edge):
                return NOT_FREE
    return 0


@kernel
def beside_isolated(mem: Memory, p: int, end: int) -> bool:
    """Whether the range would share a largest block with another that is isolated, in 6.1."""
    if isolation_of(mem) != ISOLATE_SPLIT_ENDS:
        return False
    for edge, outside in ((p, p - 1), (end - 1, end)):
        if not first_of(mem) <= outside < end_of(mem):
            continue
        if head_of(edge, top_of(mem)) != head_of(outside, top_of(mem)):
            continue
        head = head_of(outside, pageblock_order_of(mem))
        if pageblock_type(mem, head) == ISOLATE and not is_offline(mem, head):
            return True
    return False


@kernel
def isolate_all(mem: Memory, p: int, end: int, cpu: int) -> None:
    """Isolate the pageblocks; where ranges are made of single ones, the ends before the others.

    What the CPUs still keep of the range would come back under its former type: they are drained.
    """
    size = 1 << pageblock_order_of(mem)
    last = end - size
    each = drains_each_pageblock_of(mem) != 0
    isolate_between(mem, p, p, end, cpu)
    if each:
        drain_all(mem, cpu)
    beyond = end
    if isolation_of(mem) >= ISOLATE_SPLIT_ENDS and last != p:
        isolate_between(mem, last, p, end, cpu)
        beyond = last
    for head in range(p + size, beyond, size):
        isolate_between(mem, head, p, end, cpu)
        if each:
            drain_all(mem, cpu)
    if not each:
        drain_all(mem, cpu)


@kernel
def isolate_between(mem: Memory, head: int, p: int, end: int, cpu: int) -> None:
    """Isolate a pageblock of a range, and cut what reaches over the range's edge beside it."""
    cuts = isolation_of(mem) == ISOLATE_SPLIT_ENDS
    lock_zone(mem, cpu)
    isolate_pageblock(mem, head)
    if cuts and head == p:
        cut_at(mem, p)
    if cuts and head == end - (1 << pageblock_order_of(mem)):
        cut_at(mem, end)
    unlock_zone(mem)


@kernel
def restore_range(mem: Memory, pfn: int, pages: int, mt: int, cpu: int) -> int:
    """Give the pageblocks of an isolated range the type mt: 0, or a refusal's code."""
    p = pfn + shift_of(mem)
    code = check_range(mem, p, pages)
    if code < 0:
        return code
    if not is_range_type(mem, mt):
        return BAD_TYPE
    code = check_isolated(mem, p, p + pages)
    if code < 0:
        return code
    if beside_isolated(mem, p, p + pages):
        return BAD_RANGE
    restore_all(mem, p, p + pages, mt, cpu)
    return 0


@kernel
def check_isolated(mem: Memory, p: int, end: int) -> int:
    """Refuse a range of which a pageblock is not isolated, or is offline."""
    for head in range(p, end, 1 << pageblock_order_of(mem)):
        if pageblock_type(mem, head) != ISOLATE or is_offline(mem, head):
            return NOT_ISOLATED
    return 0


@kernel
def restore_all(mem: Memory, p: int, end: int, mt: int, cpu: int) -> None:
    """Give each pageblock that is still isolated the type mt."""
    for head in range(p, end, 1 << pageblock_order_of(mem)):
        lock_zone(mem, cpu)
        if pageblock_type(mem, head) == ISOLATE:
            restore_pageblock(mem, head, mt)
        unlock_zone(mem)


@kernel
def covered_until(mem: Memory, p: int, end: int) -> int:
    """The slot behind the free blocks that cover the run without a gap, until there is one."""
    while p < end:
        head = large_block_at(mem, p)
        if head == 0:
            break
        p = head + (1 << free_order_at(mem, head))
    return p


@kernel
def alloc_contig(mem: Memory, pfn: int, pages: int, want: int) -> int:
    """Allocate the very frames from pfn, each a block of its own: pfn, NO_MEMORY, or a code.

    Everything around is isolated meanwhile. Free blocks are taken whole; what they have beyond the
    range goes back.
    """
    if not has_pageblocks(mem) or isolation_of(mem) == ISOLATE_BY_MOVE:
        return UNSUPPORTED
    mt = want >> WANTED_SHIFT
    if not is_range_type(mem, mt):
        return BAD_TYPE
    if is_no_cpu(mem, cpu_of(want)):
        return BAD_CPU
    p = pfn + shift_of(mem)
    end = p + pages
    whole = isolation_order_of(mem)
    first = head_of(p, whole)
    beyond = rounded_up(end, whole)
    code = check_can_isolate(mem, first, beyond - first if pages > 0 else 0)
    if code < 0:
        return code
    cpu = cpu_of(want)
    isolate_all(mem, first, beyond, cpu)
    lock_zone(mem, cpu)
    low = high = 0
    got = covered_until(mem, p, end) >= end
    if got:
        low, high = take_range(mem, p, end)
    unlock_zone(mem)
    if got:
        for page in range(low, p):
            give_back(mem, page, 0, want)
        for page in range(end, high):
            give_back(mem, page, 0, want)
    restore_all(mem, first, beyond, mt, cpu)
    return pfn if got else NO_MEMORY


@kernel
def take_range(mem: Memory, p: int, end: int) -> tuple[int, int]:
    """Hold each frame of a run that is all free; the run of the blocks that were taken for it."""
    low = large_block_at(mem, p)
    high = low
    while high < end:
        order = free_order_at(mem, high)
        del_from_free_list(mem, high, order)
        high += 1 << order
    for page in range(p, end):
        hold_page(mem, page, UNMOVABLE)
    return low, high
