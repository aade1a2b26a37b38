"""What takes SLAB's free objects away from CPUs: the twin of the spec's `slab.reap`."""

from pageimpl.jitcache import kernel
from pageimpl.slab.caches import area_of, shared_area
from pageimpl.slab.growing import discard_slab, discard_slabs, visit
from pageimpl.slab.lists import last_in
from pageimpl.slab.nodes import return_objects, unlist_empty
from pageimpl.slab.state import (
    EMPTY,
    NOTHING,
    SlabMemory,
    avail_of,
    cache_touched_of,
    count_of,
    cpus_of,
    kept_of,
    nr_slabs_of,
    partials_of,
    set_cache_touched,
    set_touched,
    shared_limit_of,
    touched_of,
)


@kernel
def flush(mem: SlabMemory, c: int, cpu: int) -> None:
    """Return all that a CPU has of a cache."""
    q = area_of(mem, c, cpu)
    discard_slabs(mem, c, cpu, return_objects(mem, c, q, avail_of(mem, q)))


@kernel
def shrink(mem: SlabMemory, c: int, cpu: int) -> None:
    """Return all free objects of a cache, each CPU its own, and give up every empty slab."""
    for other in range(cpus_of(mem)):
        visit(mem, other)
        flush(mem, c, other)
    visit(mem, cpu)
    if shared_limit_of(mem, c):
        q = shared_area(mem, c)
        discard_slabs(mem, c, cpu, return_objects(mem, c, q, avail_of(mem, q)))
    give_up_empty(mem, c, cpu, nr_slabs_of(mem, c))


@kernel
def reap(mem: SlabMemory, c: int, cpu: int) -> None:
    """Return of a cache what has not been used since a CPU's worker looked last."""
    drain(mem, c, cpu, area_of(mem, c, cpu), kept_of(mem, c))
    if shared_limit_of(mem, c):
        drain(mem, c, cpu, shared_area(mem, c), shared_limit_of(mem, c))
    if cache_touched_of(mem, c):
        set_cache_touched(mem, c, 0)
        return
    fifth = 5 * count_of(mem, c)
    give_up_empty(mem, c, cpu, (partials_of(mem, c) + fifth - 1) // fifth)


@kernel
def give_up_empty(mem: SlabMemory, c: int, cpu: int, most: int) -> None:
    """Give up so many empty slabs, the last first, or all."""
    row = last_in(mem, c, EMPTY)
    while most > 0 and row != NOTHING:
        unlist_empty(mem, c, row)
        discard_slab(mem, c, cpu, row)
        most -= 1
        row = last_in(mem, c, EMPTY)


@kernel
def drain(mem: SlabMemory, c: int, cpu: int, q: int, limit: int) -> None:
    """Return a fifth of what an array may hold, unless it was used; half if it has fewer."""
    avail = avail_of(mem, q)
    if avail == 0:
        return
    if touched_of(mem, q):
        set_touched(mem, q, 0)
        return
    fifth = (limit + 4) // 5
    objects = fifth if avail >= fifth else avail + 1 >> 1
    discard_slabs(mem, c, cpu, return_objects(mem, c, q, objects))
