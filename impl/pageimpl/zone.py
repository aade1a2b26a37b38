"""The free lists: circular, doubly linked through the records, one head for each order and type.

The links alone know which list a block is on; no removal needs to.
"""

from pageimpl.era import ISOLATE_BY_MOVE
from pageimpl.jitcache import kernel
from pageimpl.memory import (
    TYPES_SHIFT,
    Memory,
    free_cma_of,
    free_highatomic_of,
    free_pages_of,
    isolation_of,
    next_of,
    nr_free_of,
    prev_of,
    retypes_on_merge_of,
    set_free_cma,
    set_free_highatomic,
    set_free_pages,
    set_next,
    set_nr_free,
    set_prev,
)
from pageimpl.migratetype import CMA, HIGHATOMIC, ISOLATE, MOST_REQUESTED


@kernel
def account(mem: Memory, pages: int, mt: int) -> None:
    """Count frames of a type as free, or with a negative number as no longer free."""
    if mt > MOST_REQUESTED:
        if mt == ISOLATE and isolation_of(mem) != ISOLATE_BY_MOVE:
            return
        if mt == CMA:
            set_free_cma(mem, free_cma_of(mem) + pages)
        elif mt == HIGHATOMIC and retypes_on_merge_of(mem):
            set_free_highatomic(mem, free_highatomic_of(mem) + pages)
    set_free_pages(mem, free_pages_of(mem) + pages)


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
