"""Places of objects, rows of frames and rows of groups: where things are, in a few instructions."""

from pageimpl.jitcache import inlined
from pageimpl.memory import set_word, word_at
from pageimpl.slab.sizes import PAGE_SHIFT
from pageimpl.slab.state import (
    FRAME_SHIFT,
    HELD,
    LINE,
    ROWS_FIRST,
    WORD,
    WORD_SHIFT,
    SlabMemory,
    base_of,
    cpu_rows_of,
    group_rows_of,
    objects_of,
    pages_of,
)


@inlined
def address_of(mem: SlabMemory, p: int) -> int:
    """The address of the object at a place."""
    return base_of(mem) + (p << WORD_SHIFT)


@inlined
def row_at(p: int) -> int:
    """The row of the frame in which a place lies."""
    return ROWS_FIRST + (p >> FRAME_SHIFT) * LINE


@inlined
def place_of_row(row: int) -> int:
    """The place of the first word of a row's frame."""
    return (row - ROWS_FIRST) // LINE << FRAME_SHIFT


@inlined
def row_of_pfn(mem: SlabMemory, pfn: int) -> int:
    """The row of a frame of the zone."""
    return row_at((pfn << PAGE_SHIFT) - base_of(mem) >> WORD_SHIFT)


@inlined
def pfn_of_row(mem: SlabMemory, row: int) -> int:
    """The frame of a row."""
    return address_of(mem, place_of_row(row)) >> PAGE_SHIFT


@inlined
def place_of(mem: SlabMemory, address: int) -> int:
    """The place of an address, or 0 for one that no object of this zone can have."""
    at = address - base_of(mem)
    if at & WORD - 1 or at < 1 << PAGE_SHIFT or at >> PAGE_SHIFT > pages_of(mem):
        return 0
    return at >> WORD_SHIFT


@inlined
def link_of(mem: SlabMemory, p: int) -> int:
    """The next object of the chain in which a free object is; HELD and more of one that is not."""
    return word_at(objects_of(mem), p)


@inlined
def set_link(mem: SlabMemory, p: int, q: int) -> None:
    """Let a free object lead to the next one of its chain."""
    set_word(objects_of(mem), p, q)


@inlined
def hold(mem: SlabMemory, p: int, charged: int) -> None:
    """Enter an object as held by its caller."""
    set_word(objects_of(mem), p, HELD | charged)


@inlined
def cpu_row(mem: SlabMemory, cpu: int) -> int:
    """The row of a CPU."""
    return cpu_rows_of(mem) + cpu * LINE


@inlined
def group_row(mem: SlabMemory, group: int) -> int:
    """The row of a group."""
    return group_rows_of(mem) + group * LINE
