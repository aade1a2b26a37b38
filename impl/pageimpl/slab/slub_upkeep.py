"""A SLUB cache as a whole: how it shrinks. The twin of the spec's `slab.slub_upkeep`."""

from pageimpl.jitcache import kernel
from pageimpl.slab.growing import discard_slabs, visit
from pageimpl.slab.lists import add_first, first_in, last_in, remove
from pageimpl.slab.partial import free_on
from pageimpl.slab.slub import flush
from pageimpl.slab.state import (
    NOTHING,
    PARTIAL,
    SlabMemory,
    cpus_of,
    inuse_of,
    next_of,
    nr_partial_of,
    prev_of,
    set_next,
    set_nr_partial,
)

SORTED = 32
"""Slabs with more free objects than that are not sorted."""


@kernel
def shrink(mem: SlabMemory, c: int, cpu: int) -> None:
    """Let all CPUs give up what they have, discard empty slabs and sort those that are left."""
    for other in range(cpus_of(mem)):
        visit(mem, other)
        flush(mem, c, other)
    visit(mem, cpu)
    empty = take_empty(mem, c)
    for free in range(SORTED, 0, -1):
        lead(mem, c, free)
    discard_slabs(mem, c, cpu, empty)


@kernel
def take_empty(mem: SlabMemory, c: int) -> int:
    """Take the empty slabs off the node's list, as a chain: the last one first."""
    chain, end = NOTHING, NOTHING
    row = last_in(mem, c, PARTIAL)
    while row != NOTHING and row != c + PARTIAL:
        before = prev_of(mem, row)
        if inuse_of(mem, row) == 0:
            remove(mem, row)
            set_nr_partial(mem, c, nr_partial_of(mem, c) - 1)
            set_next(mem, row, NOTHING)
            if end == NOTHING:
                chain = row
            else:
                set_next(mem, end, row)
            end = row
        row = before
    return chain


@kernel
def lead(mem: SlabMemory, c: int, free: int) -> None:
    """Let the slabs with so many free objects come before all others, the last of them first."""
    row = first_in(mem, c, PARTIAL)
    while row != NOTHING and row != c + PARTIAL:
        after = next_of(mem, row)
        if free_on(mem, c, row) == free:
            remove(mem, row)
            add_first(mem, c, PARTIAL, row)
        row = after
