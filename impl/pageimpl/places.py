"""Places of frames that are neither free nor anybody's: poisoned, and offline.

The twin of the spec's `places`, in slots but for the operations' own arguments.
"""

from pageimpl.buddy import add_half, del_from_free_list, free_by_type, free_one_block
from pageimpl.checks import (
    NOT_FREE,
    NOT_OFFLINE,
    NOT_POISONED,
    UNSUPPORTED,
    check_frame,
    check_range,
)
from pageimpl.contig import check_isolated, is_offline
from pageimpl.frames import largest_order_at
from pageimpl.isolation import large_block_at
from pageimpl.jitcache import kernel
from pageimpl.locks import lock_zone, unlock_zone
from pageimpl.memory import (
    HELD,
    OFFLINE,
    POISONED,
    Memory,
    boot_to_tail_of,
    managed_of,
    nr_isolated_of,
    owner_of,
    pageblock_order_of,
    returns_poisoned_of,
    retypes_on_merge_of,
    set_managed,
    set_nr_isolated,
    set_owner,
    shift_of,
    takes_poisoned_of,
    top_of,
)
from pageimpl.migratetype import ISOLATE, MOVABLE
from pageimpl.pageblock import free_order_at, pageblock_type, set_pageblock_type
from pageimpl.zone import account_at_once


@kernel
def poison(mem: Memory, pfn: int, cpu: int) -> int:
    """Take a free frame off the buddy for good: 0, or a refusal's code.

    cpu: the one at work, here and below.
    """
    if not takes_poisoned_of(mem):
        return UNSUPPORTED
    p = pfn + shift_of(mem)
    code = check_frame(mem, p, 0)
    if code < 0:
        return code
    lock_zone(mem, cpu)
    head = large_block_at(mem, p)
    if head == 0:
        unlock_zone(mem)
        return NOT_FREE
    order = free_order_at(mem, head)
    mt = pageblock_type(mem, head)
    each = retypes_on_merge_of(mem)
    del_from_free_list(mem, head, order)
    if each:
        account_at_once(mem, -(1 << order), mt)
    while order > 0:
        order -= 1
        upper = head + (1 << order)
        if p >= upper:
            add_half(mem, head, order, mt)
            head = upper
        else:
            add_half(mem, upper, order, mt)
        if each:
            account_at_once(mem, 1 << order, mt)
    if not each:
        account_at_once(mem, -1, mt)
    set_owner(mem, p, owner_of(mem, p) | POISONED)
    unlock_zone(mem)
    return 0


@kernel
def heal(mem: Memory, pfn: int, cpu: int) -> int:
    """Give a poisoned frame back to the buddy: 0, or a refusal's code."""
    if not returns_poisoned_of(mem):
        return UNSUPPORTED
    p = pfn + shift_of(mem)
    code = check_frame(mem, p, 0)
    if code < 0:
        return code
    owner = owner_of(mem, p)
    if owner >= HELD or owner & POISONED == 0:
        return NOT_POISONED
    lock_zone(mem, cpu)
    set_owner(mem, p, owner & ~POISONED)
    free_one_block(mem, p, 0, pageblock_type(mem, p), False)
    unlock_zone(mem)
    return 0


@kernel
def offline(mem: Memory, pfn: int, pages: int, cpu: int) -> int:
    """Take an isolated range offline, all of whose frames are free: 0, or a refusal's code."""
    p = pfn + shift_of(mem)
    end = p + pages
    code = check_range(mem, p, pages)
    if code < 0:
        return code
    code = check_isolated(mem, p, end)
    if code < 0:
        return code
    lock_zone(mem, cpu)
    if free_frames_over(mem, p, end) != pages:
        unlock_zone(mem)
        return NOT_FREE
    at = p
    while at < end:
        head = large_block_at(mem, at)
        if head == 0:
            break
        order = free_order_at(mem, head)
        del_from_free_list(mem, head, order)
        account_at_once(mem, -(1 << order), ISOLATE)
        at = head + (1 << order)
    for head in range(p, end, 1 << pageblock_order_of(mem)):
        set_owner(mem, head, owner_of(mem, head) | OFFLINE)
        # Nothing waits for them any more.
        set_nr_isolated(mem, nr_isolated_of(mem) - 1)
    set_managed(mem, managed_of(mem) - pages)
    unlock_zone(mem)
    return 0


@kernel
def free_frames_over(mem: Memory, p: int, end: int) -> int:
    """The frames of the free blocks inside the run that cover it without a gap, until there is one.

    A block that reaches over an end is none of them: it would take its neighbour along.
    """
    first = p
    while p < end:
        head = large_block_at(mem, p)
        if head < first:
            break
        beyond = head + (1 << free_order_at(mem, head))
        if beyond > end:
            break
        p = beyond
    return p - first


@kernel
def online(mem: Memory, pfn: int, pages: int, cpu: int) -> int:
    """Bring an offline range back, handed over as at boot: 0, or a refusal's code."""
    p = pfn + shift_of(mem)
    end = p + pages
    code = check_range(mem, p, pages)
    if code < 0:
        return code
    size = 1 << pageblock_order_of(mem)
    for head in range(p, end, size):
        if not is_offline(mem, head):
            return NOT_OFFLINE
    lock_zone(mem, cpu)
    for head in range(p, end, size):
        set_owner(mem, head, owner_of(mem, head) & ~OFFLINE)
        set_nr_isolated(mem, nr_isolated_of(mem) + 1)
        set_pageblock_type(mem, head, MOVABLE)
    set_managed(mem, managed_of(mem) + pages)
    while p < end:
        order = largest_order_at(p, end - p, top_of(mem))
        free_by_type(mem, p, order, boot_to_tail_of(mem) != 0)
        p += 1 << order
    unlock_zone(mem)
    return 0
