"""Slabs come from the page allocator and go back to it: the twin of the spec's `slab.growing`.

A slab is the row of its first frame.
"""

from pageimpl.jitcache import inlined, kernel
from pageimpl.memory import cpus_of as cpus_of_zone
from pageimpl.pcp.cpus import work_on
from pageimpl.slab.charge import charge_slab, uncharge_slab
from pageimpl.slab.places import pfn_of_row, place_of_row, row_of_pfn, set_link
from pageimpl.slab.state import (
    LINE,
    NOTHING,
    SlabMemory,
    alloc_frames,
    count_of,
    free_frames,
    next_of,
    nr_slabs_of,
    order_of,
    set_cache,
    set_chain,
    set_frozen,
    set_inuse,
    set_nr_slabs,
    set_slab,
    words_of,
    zone_of,
)
from pageimpl.verbs import COMPOUND_WANTED, CPU_SHIFT


@inlined
def want_for(mem: SlabMemory, cpu: int) -> int:
    """Who asks the page allocator; where CPUs keep no page lists, it knows one of them only."""
    return cpu << CPU_SHIFT if cpus_of_zone(zone_of(mem)) else 0


@inlined
def visit(mem: SlabMemory, cpu: int) -> None:
    """Let what follows run on that CPU."""
    work_on(zone_of(mem), cpu)


@kernel
def new_slab(mem: SlabMemory, c: int, cpu: int) -> int:
    """A slab more, with all its objects on its own chain, lowest first; on no list yet.

    NOTHING if no frames can be had, or the group whose cache it is must not have them.
    """
    order, want = order_of(mem, c), want_for(mem, cpu)
    pfn = alloc_frames(mem, order, want | COMPOUND_WANTED if order > 0 else want)
    if pfn < 0:
        return NOTHING
    if not charge_slab(mem, c):
        free_frames(mem, pfn, order, want)
        return NOTHING
    row = row_of_pfn(mem, pfn)
    for frame in range(row, row + (LINE << order), LINE):
        set_slab(mem, frame, row)
    set_cache(mem, row, c)
    set_inuse(mem, row, 0)
    set_frozen(mem, row, 0)
    p, words = place_of_row(row), words_of(mem, c)
    set_chain(mem, row, p)
    for _ in range(count_of(mem, c) - 1):
        set_link(mem, p, p + words)
        p += words
    set_link(mem, p, NOTHING)
    set_nr_slabs(mem, c, nr_slabs_of(mem, c) + 1)
    return row


@kernel
def discard_slab(mem: SlabMemory, c: int, cpu: int, row: int) -> None:
    """Give a slab back that is on no list, and none of whose objects anybody has."""
    order = order_of(mem, c)
    for frame in range(row, row + (LINE << order), LINE):
        set_slab(mem, frame, NOTHING)
    set_nr_slabs(mem, c, nr_slabs_of(mem, c) - 1)
    uncharge_slab(mem, c)
    free_frames(mem, pfn_of_row(mem, row), order, want_for(mem, cpu))


@kernel
def discard_slabs(mem: SlabMemory, c: int, cpu: int, row: int) -> None:
    """Give several back, one after the other: each leads to the next, and the last to NOTHING."""
    while row != NOTHING:
        after = next_of(mem, row)
        discard_slab(mem, c, cpu, row)
        row = after
