"""One object: allocated, freed, freed at last after it was withheld; and large ones.

The twin of the spec's `slab.objects`. Objects that are on slabs are places, caches records.
"""

from pageimpl.jitcache import inlined, kernel
from pageimpl.slab.charge import charge_after, charge_before, forget, uncharge
from pageimpl.slab.designs import give_one, take_one
from pageimpl.slab.growing import want_for
from pageimpl.slab.hooks import give_out, withhold
from pageimpl.slab.places import (
    address_of,
    cpu_row,
    link_of,
    row_at,
    row_of_pfn,
    set_link,
)
from pageimpl.slab.sizes import PAGE_SHIFT
from pageimpl.slab.state import (
    NOTHING,
    SlabMemory,
    alloc_frames,
    cache_of,
    first_withheld_of,
    free_frames,
    large_of,
    set_first_withheld,
    set_large,
    set_last_withheld,
    slab_of,
)
from pageimpl.verbs import COMPOUND_WANTED
from pagespec.types import NO_MEMORY


@inlined
def cache_at(mem: SlabMemory, p: int) -> int:
    """The cache of an object that is on a slab."""
    return cache_of(mem, slab_of(mem, row_at(p)))


@inlined
def alloc_object(mem: SlabMemory, cpu: int, c: int, group: int) -> int:
    """Allocate an object of a cache for a group: its address, or NO_MEMORY.

    c: the cache that serves the group.
    """
    if not charge_before(mem, cpu, c, group, 1):
        return NO_MEMORY
    p = take_one(mem, c, cpu)
    if p == NOTHING:
        forget(mem, cpu, c, group, 1, False)
        return NO_MEMORY
    if not charge_after(mem, cpu, c, group, 1):
        give_one(mem, c, cpu, p)
        return NO_MEMORY
    give_out(mem, group, p)
    return address_of(mem, p)


@inlined
def free_object(mem: SlabMemory, cpu: int, p: int, withheld: bool) -> None:
    """Free an object that is held, of whatever cache."""
    c = cache_at(mem, p)
    uncharge(mem, cpu, c, p)
    if withheld:
        withhold(mem, cpu, p)
    else:
        give_one(mem, c, cpu, p)


@kernel
def alloc_large(mem: SlabMemory, cpu: int, order: int) -> int:
    """Allocate a block of frames as one object: its address, or NO_MEMORY; nobody is charged."""
    want = want_for(mem, cpu)
    pfn = alloc_frames(mem, order, want | COMPOUND_WANTED if order > 0 else want)
    if pfn < 0:
        return NO_MEMORY
    set_large(mem, row_of_pfn(mem, pfn), order + 1)
    return pfn << PAGE_SHIFT


@kernel
def free_large(mem: SlabMemory, cpu: int, address: int) -> None:
    """Free a block of frames."""
    pfn = address >> PAGE_SHIFT
    row = row_of_pfn(mem, pfn)
    order = large_of(mem, row) - 1
    set_large(mem, row, 0)
    free_frames(mem, pfn, order, want_for(mem, cpu))


@kernel
def release(mem: SlabMemory, cpu: int, only: int) -> None:
    """Free what a CPU has withheld, the oldest first; of one cache only, if one is named."""
    row = cpu_row(mem, cpu)
    p = first_withheld_of(mem, row)
    set_first_withheld(mem, row, NOTHING)
    set_last_withheld(mem, row, NOTHING)
    while p != NOTHING:
        after, c = link_of(mem, p), cache_at(mem, p)
        if only == NOTHING or c == only:
            set_link(mem, p, NOTHING)
            give_one(mem, c, cpu, p)
        else:
            withhold(mem, cpu, p)
        p = after
