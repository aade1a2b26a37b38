"""SLAB: objects from an array that a CPU has for itself: the twin of the spec's `slab.array`."""

from pageimpl.jitcache import inlined, kernel
from pageimpl.slab.caches import area_of, shared_area
from pageimpl.slab.growing import discard_slabs, new_slab
from pageimpl.slab.nodes import (
    drop_oldest,
    file_new_slab,
    has_free_objects,
    return_objects,
    take_from_slab,
    take_objects,
)
from pageimpl.slab.places import address_of, hold, set_link
from pageimpl.slab.state import (
    NOTHING,
    WORD,
    SlabMemory,
    avail_of,
    batch_of,
    entry_at,
    kept_of,
    set_avail,
    set_entry,
    set_slot,
    set_touched,
    shared_limit_of,
    touched_of,
)

REFILL_LIMIT = 16
"""The most objects that come to an array at a time which was not used lately."""


@inlined
def take(mem: SlabMemory, c: int, cpu: int) -> int:
    """Take an object, or NOTHING if there are no frames for a slab."""
    q = area_of(mem, c, cpu)
    if avail_of(mem, q) == 0:
        refill(mem, c, cpu)
    avail = avail_of(mem, q) - 1
    if avail < 0:
        return NOTHING
    set_touched(mem, q, 1)
    set_avail(mem, q, avail)
    return entry_at(mem, q + WORD * avail)


@kernel
def refill(mem: SlabMemory, c: int, cpu: int) -> None:
    """Fill an empty array with a batch, unless there are no frames for a slab."""
    q, batch = area_of(mem, c, cpu), batch_of(mem, c)
    if not touched_of(mem, q):
        batch = min(batch, REFILL_LIMIT)
    if shared_limit_of(mem, c) and avail_of(mem, shared_area(mem, c)):
        take_shared(mem, c, q, batch)
    elif has_free_objects(mem, c):
        take_objects(mem, c, q, batch)
    else:
        grow(mem, c, cpu, batch)


@kernel
def take_shared(mem: SlabMemory, c: int, q: int, objects: int) -> None:
    """Move the latest objects of the array that all CPUs share to one that is empty."""
    shared = shared_area(mem, c)
    left = avail_of(mem, shared)
    count = min(objects, left)
    left -= count
    for number in range(count):
        set_entry(mem, q + WORD * number, entry_at(mem, shared + WORD * (left + number)))
    set_avail(mem, q, count)
    set_avail(mem, shared, left)
    set_touched(mem, shared, 1)


@kernel
def grow(mem: SlabMemory, c: int, cpu: int, batch: int) -> None:
    """Fill an array from a new slab."""
    row = new_slab(mem, c, cpu)
    if row != NOTHING:
        take_from_slab(mem, area_of(mem, c, cpu), row, batch)
        file_new_slab(mem, c, row)


@inlined
def give(mem: SlabMemory, c: int, cpu: int, p: int) -> None:
    """Free an object."""
    q = area_of(mem, c, cpu)
    if avail_of(mem, q) >= kept_of(mem, c):
        discard_slabs(mem, c, cpu, spill(mem, c, q))
    avail = avail_of(mem, q)
    set_link(mem, p, NOTHING)
    set_entry(mem, q + WORD * avail, p)
    set_avail(mem, q, avail + 1)


@kernel
def spill(mem: SlabMemory, c: int, q: int) -> int:
    """Move the oldest batch of a full array, or as much of it as all CPUs' array has room for.

    Returns the slabs that are given up, if objects went back to theirs.
    """
    batch = min(batch_of(mem, c), avail_of(mem, q))
    limit = shared_limit_of(mem, c)
    if limit:
        shared = shared_area(mem, c)
        there = avail_of(mem, shared)
        if limit > there:
            batch = min(batch, limit - there)
            for number in range(batch):
                set_entry(mem, shared + WORD * (there + number), entry_at(mem, q + WORD * number))
            set_avail(mem, shared, there + batch)
            drop_oldest(mem, q, batch)
            return NOTHING
    return return_objects(mem, c, q, batch)


@kernel
def take_bulk(mem: SlabMemory, c: int, cpu: int, objects: int, charged: int) -> int:
    """Take that many objects, or fewer if there are no frames for a slab, into the array of slots.

    Returns how many. They are held from now on; charged: who pays.
    """
    q = area_of(mem, c, cpu)
    got = 0
    while got < objects:
        if avail_of(mem, q) == 0:
            refill(mem, c, cpu)
        avail = avail_of(mem, q)
        if avail == 0:
            break
        set_touched(mem, q, 1)
        while avail and got < objects:
            avail -= 1
            p = entry_at(mem, q + WORD * avail)
            hold(mem, p, charged)
            set_slot(mem, got, address_of(mem, p))
            got += 1
        set_avail(mem, q, avail)
    return got
