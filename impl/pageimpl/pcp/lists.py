"""A CPU's own page lists, in front of the buddy: no lock that others wait for.

The twin of the spec's `pcp.lists`, in slots: an area is its first slot, a list the slot of its
head. What a request of one warm frame does is inlined; refills and drains are called.
"""

from pageimpl import bitmap
from pageimpl.era import BITMAP_DESIGN, TUNE_DOUBLING, TUNE_PAIR
from pageimpl.jitcache import inlined, kernel
from pageimpl.locks import lock_zone, unlock_zone
from pageimpl.memory import (
    Memory,
    below_high_of,
    boost_of,
    classes_of,
    design_of,
    lowmem_reserve_of,
    mark_of,
    next_of,
    prev_of,
    retypes_on_merge_of,
    set_below_high,
    set_listed_type,
    set_next,
    set_prev,
    tail_flags_of,
    tuning_of,
)
from pageimpl.migratetype import CMA, UNMOVABLE
from pageimpl.pageblock import has_pageblocks, pageblock_type
from pageimpl.pcp.drain import drain, is_empty, unlist
from pageimpl.pcp.index import area_for, cpu_of, list_index, list_type, may_use_lists
from pageimpl.pcp.state import count_of, low_of, set_count
from pageimpl.pcp.tuning import blocks_to_refill, learn_of_alloc, pages_to_drain
from pageimpl.rmqueue import rmqueue_one
from pageimpl.verbs import ATOMIC, WANTED_SHIFT
from pageimpl.watermark.levels import MARK_HIGH
from pageimpl.watermark.ok import watermark_ok
from pageimpl.zone import count_gathered, gather


@inlined
def push(mem: Memory, head: int, p: int, to_tail: bool) -> None:
    """Put a block on a CPU's list: at the front unless told otherwise."""
    before = prev_of(mem, head) if to_tail else head
    after = next_of(mem, before)
    set_prev(mem, p, before)
    set_next(mem, p, after)
    set_next(mem, before, p)
    set_prev(mem, after, p)


@inlined
def warm_block(mem: Memory, order: int, want: int) -> int:
    """Take the first block of the CPU's list if the request needs no more: its slot, or 0.

    It needs more if the list must be refilled, or the guard bars it, or a pageblock goes to the
    reserve.
    """
    if not may_use_lists(mem, order, want) or (want & ATOMIC and order > 0):
        return 0
    q = area_for(mem, want)
    mt = want >> WANTED_SHIFT if has_pageblocks(mem) else UNMOVABLE
    head = q + list_index(mem, order, mt)
    if must_refill(mem, q, head):
        return 0
    if tuning_of(mem) >= TUNE_DOUBLING:
        learn_of_alloc(mem, q)
    return pop(mem, q, head, order, want)


@inlined
def pop(mem: Memory, q: int, head: int, order: int, want: int) -> int:
    """Take the block that is to be served next off a list that has any: its slot."""
    p = prev_of(mem, head) if want & tail_flags_of(mem) else next_of(mem, head)
    unlist(mem, p)
    set_count(mem, q, count_of(mem, q) - (1 << order))
    return p


@kernel
def alloc_from_list(mem: Memory, order: int, want: int) -> int:
    """Take a block from the CPU's list, refilled if need be: its slot, or 0."""
    q = area_for(mem, want)
    if tuning_of(mem) >= TUNE_DOUBLING:
        learn_of_alloc(mem, q)
    return take_from_list(mem, q, order, want)


@kernel
def take_from_list(mem: Memory, q: int, order: int, want: int) -> int:
    """The same with the guard held already: all that bulk requests repeat."""
    mt = want >> WANTED_SHIFT if has_pageblocks(mem) else UNMOVABLE
    head = q + list_index(mem, order, mt)
    if must_refill(mem, q, head):
        rmqueue_bulk(mem, q, head, order, want)
    return 0 if is_empty(mem, head) else pop(mem, q, head, order, want)


@inlined
def must_refill(mem: Memory, q: int, head: int) -> bool:
    """Whether the list is empty; until 2.6.11, whether there are too few for what must stay."""
    if tuning_of(mem) == TUNE_PAIR:
        return count_of(mem, q) <= low_of(mem, q)
    return is_empty(mem, head)


@kernel
def rmqueue_bulk(mem: Memory, q: int, head: int, order: int, want: int) -> None:
    """Move blocks from the buddy to a list, as many as it asks for, to be handed out in order."""
    mt = want >> WANTED_SHIFT if has_pageblocks(mem) else UNMOVABLE
    reverse = want & tail_flags_of(mem) != 0
    blocks = blocks_to_refill(mem, q, order)
    lock_zone(mem, cpu_of(want))
    # Until 6.9 the count of free frames falls once, when all have been moved.
    if not retypes_on_merge_of(mem):
        gather(mem)
    for _ in range(blocks):
        if design_of(mem) == BITMAP_DESIGN:
            p = bitmap.rmqueue(mem, order)
        else:
            p = rmqueue_one(mem, order, want)
        if p == 0:
            break
        set_listed_type(mem, p, CMA if pageblock_type(mem, p) == CMA else mt)
        push(mem, head, p, not reverse)
        set_count(mem, q, count_of(mem, q) + (1 << order))
    count_gathered(mem)
    unlock_zone(mem)


@inlined
def free_to_list(mem: Memory, p: int, order: int, mt: int, want: int) -> None:
    """Put a freed block of a pageblock of that type on the CPU's list, and drain what is too much.

    Until 2.6.11 the drain comes first.
    """
    q = area_for(mem, want)
    index = list_index(mem, order, list_type(mt))
    first = tuning_of(mem) == TUNE_PAIR
    pages = pages_to_drain(mem, q, order) if first else 0
    if pages != 0:
        drain(mem, q, pages, index, cpu_of(want))
    set_listed_type(mem, p, mt)
    push(mem, q + index, p, want & tail_flags_of(mem) != 0)
    set_count(mem, q, count_of(mem, q) + (1 << order))
    pages = 0 if first else pages_to_drain(mem, q, order)
    if pages != 0:
        drain(mem, q, pages, index, cpu_of(want))
        recheck_high(mem)


@kernel
def recheck_high(mem: Memory) -> None:
    """After a drain: whether a zone that fell below its high mark is above it again."""
    if below_high_of(mem):
        reserve = lowmem_reserve_of(mem, classes_of(mem) - 1)
        high = mark_of(mem, MARK_HIGH) + boost_of(mem)
        set_below_high(mem, not watermark_ok(mem, 0, 0, high, reserve, 0))
