"""The free lists: circular, doubly linked through the records, headed by the slot of the order."""

from pageimpl.jitcache import kernel
from pageimpl.memory import (
    Memory,
    next_of,
    nr_free_of,
    prev_of,
    set_next,
    set_nr_free,
    set_prev,
)


@kernel
def list_add(mem: Memory, p: int, order: int, to_tail: bool) -> None:
    """Put the block into its order's free list, at the head unless told otherwise."""
    before = prev_of(mem, order) if to_tail else order
    after = next_of(mem, before)
    set_prev(mem, p, before)
    set_next(mem, p, after)
    set_next(mem, before, p)
    set_prev(mem, after, p)
    set_nr_free(mem, order, nr_free_of(mem, order) + 1)


@kernel
def list_del(mem: Memory, p: int, order: int) -> None:
    """Take the block out of its order's free list."""
    before = prev_of(mem, p)
    after = next_of(mem, p)
    set_next(mem, before, after)
    set_prev(mem, after, before)
    set_nr_free(mem, order, nr_free_of(mem, order) - 1)
