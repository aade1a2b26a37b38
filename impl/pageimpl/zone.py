"""The free lists: circular, doubly linked through the records, one head for each order and type.

The links alone know which list a block is on; no removal needs to.
"""

from pageimpl.era import ISOLATE_BY_MOVE
from pageimpl.jitcache import inlined, kernel
from pageimpl.memory import (
    COUNTS_IN_CELLS,
    GATHERS,
    TYPES_SHIFT,
    Memory,
    counting_of,
    free_cma_of,
    free_highatomic_of,
    free_pages_of,
    gathered_of,
    isolation_of,
    next_of,
    nr_free_of,
    prev_of,
    retypes_on_merge_of,
    set_counting,
    set_free_cma,
    set_free_highatomic,
    set_free_pages,
    set_gathered,
    set_next,
    set_nr_free,
    set_prev,
)
from pageimpl.migratetype import CMA, HIGHATOMIC, ISOLATE, MOST_REQUESTED
from pageimpl.vmstat.kept import keep_cma, keep_free


@inlined
def account(mem: Memory, pages: int, mt: int, at_once: bool) -> None:
    """Count frames of a type as free, or with a negative number as no longer free.

    at_once: whether they count by themselves also while a refill or drain gathers what it moves.
    """
    if mt > MOST_REQUESTED:
        if mt == ISOLATE and isolation_of(mem) != ISOLATE_BY_MOVE:
            return
        if mt == CMA:
            set_free_cma(mem, free_cma_of(mem) + pages)
            if counting_of(mem) & COUNTS_IN_CELLS:
                keep_cma(mem, pages)
        elif mt == HIGHATOMIC and retypes_on_merge_of(mem):
            set_free_highatomic(mem, free_highatomic_of(mem) + pages)
    count_free(mem, pages, at_once)


@kernel
def account_at_once(mem: Memory, pages: int, mt: int) -> None:
    """The same for what counts by itself, on ways so rare that a call costs nothing."""
    account(mem, pages, mt, True)


@inlined
def count_free(mem: Memory, pages: int, at_once: bool) -> None:
    """Count free frames, in whatever way."""
    if counting_of(mem) == 0:
        set_free_pages(mem, free_pages_of(mem) + pages)
    else:
        count_by_cpu(mem, pages, at_once)


@inlined
def count_by_cpu(mem: Memory, pages: int, at_once: bool) -> None:
    """Count free frames where a CPU keeps a part to itself, or gathers what it moves."""
    if counting_of(mem) & GATHERS and not at_once:
        set_gathered(mem, gathered_of(mem) + pages)
        return
    set_free_pages(mem, free_pages_of(mem) + pages)
    if counting_of(mem) & COUNTS_IN_CELLS:
        keep_free(mem, pages)


@inlined
def gather(mem: Memory) -> None:
    """Let what is moved from now on count once, when it ends, if anybody looks meanwhile.

    CPUs that keep parts do; or else who asks how much of what is free is CMA memory.
    """
    if counting_of(mem) != 0 or free_cma_of(mem) != 0:
        set_counting(mem, counting_of(mem) | GATHERS)


@inlined
def count_gathered(mem: Memory) -> None:
    """Count what has been gathered, if anything was to be."""
    if counting_of(mem) & GATHERS:
        set_counting(mem, counting_of(mem) & ~GATHERS)
        count_free(mem, gathered_of(mem), True)
        set_gathered(mem, 0)


@kernel
def head_of_list(order: int, mt: int) -> int:
    """The slot of the head of the free list of an order and type."""
    return order << TYPES_SHIFT | mt


@kernel
def list_add(mem: Memory, p: int, order: int, mt: int, to_tail: bool) -> None:
    """Put the block into the free list of its order and type, at the head unless told otherwise."""
    head = head_of_list(order, mt)
    before = prev_of(mem, head) if to_tail else head
    after = next_of(mem, before)
    set_prev(mem, p, before)
    set_next(mem, p, after)
    set_next(mem, before, p)
    set_prev(mem, after, p)
    set_nr_free(mem, order, nr_free_of(mem, order) + 1)


@kernel
def list_del(mem: Memory, p: int, order: int) -> None:
    """Take the block out of its list."""
    before = prev_of(mem, p)
    after = next_of(mem, p)
    set_next(mem, before, after)
    set_prev(mem, after, before)
    set_nr_free(mem, order, nr_free_of(mem, order) - 1)


@kernel
def first_of_list(mem: Memory, order: int, mt: int) -> int:
    """The slot of the block that is next to be served from a list, or 0 if it is empty."""
    head = head_of_list(order, mt)
    p = next_of(mem, head)
    return p if p != head else 0
