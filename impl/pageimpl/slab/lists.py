"""The node's lists of slabs, by their rows: circular, each from its head in the cache's record."""

from pageimpl.jitcache import inlined, kernel
from pageimpl.slab.state import (
    EMPTY,
    FULL,
    NOTHING,
    PARTIAL,
    SlabMemory,
    next_of,
    prev_of,
    set_next,
    set_prev,
)


@kernel
def clear_lists(mem: SlabMemory, c: int) -> None:
    """Let all lists of a new cache be empty."""
    for which in (PARTIAL, FULL, EMPTY):
        set_next(mem, c + which, c + which)
        set_prev(mem, c + which, c + which)


@inlined
def first_in(mem: SlabMemory, c: int, which: int) -> int:
    """The first slab of a list, or NOTHING."""
    row = next_of(mem, c + which)
    return NOTHING if row == c + which else row


@inlined
def add_after(mem: SlabMemory, before: int, row: int) -> None:
    """Put a slab behind another, or at the front of a list by its head."""
    after = next_of(mem, before)
    set_next(mem, row, after)
    set_prev(mem, row, before)
    set_next(mem, before, row)
    set_prev(mem, after, row)


@inlined
def remove(mem: SlabMemory, row: int) -> None:
    """Take a slab off the list that it is on."""
    before, after = prev_of(mem, row), next_of(mem, row)
    set_next(mem, before, after)
    set_prev(mem, after, before)


@inlined
def add_first(mem: SlabMemory, c: int, which: int, row: int) -> None:
    """Put a slab at the front of a list."""
    add_after(mem, c + which, row)


@inlined
def add_last(mem: SlabMemory, c: int, which: int, row: int) -> None:
    """Put a slab at the end of a list."""
    add_after(mem, prev_of(mem, c + which), row)


@inlined
def last_in(mem: SlabMemory, c: int, which: int) -> int:
    """The last slab of a list, or NOTHING."""
    row = prev_of(mem, c + which)
    return NOTHING if row == c + which else row
