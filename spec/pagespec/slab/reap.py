"""What takes SLAB's free objects away from CPUs: a CPU goes, a cache is shrunk, or time passes.

Each CPU has a worker that looks at all caches every two seconds, the newest first. What was used
since it came last it only marks; of other arrays it returns a fifth, and of a node whose empty
slabs were of no use a fifth of those that it keeps. The node is looked at every four seconds, by
whatever CPU comes first; here by each that comes.

Source: mm/slab.c (cache_reap, drain_array, drain_freelist, cpuup_canceled, __kmem_cache_shrink,
do_drain), 5.8 to 6.1.
"""

from pagespec.pcp.cpus import work_on
from pagespec.slab.growing import discard_slab, discard_slabs
from pagespec.slab.nodes import return_objects
from pagespec.slab.state import Array, Cache, Slabs
from pagespec.steps import Step, Steps, Visit


def flush(slabs: Slabs, cache: Cache, cpu: int) -> Steps[None]:
    """Return all that a CPU has of a cache."""
    yield from _return(slabs, cache, cpu, cache.arrays[cpu])


def shrink(slabs: Slabs, cache: Cache, cpu: int) -> Steps[None]:
    """Return all free objects of a cache, each CPU its own, and give up every empty slab."""
    wanted_by = slabs.zone.on_cpu
    other = 0
    while other < len(cache.arrays):
        yield Visit(other)
        work_on(slabs.zone, other)
        yield from flush(slabs, cache, other)
        yield Step.BACK
        slabs.zone.on_cpu = wanted_by
        other += 1
    if cache.shared is not None:
        yield from _return(slabs, cache, cpu, cache.shared)
    yield from give_up_empty(slabs, cache, cpu, len(cache.slabs))


def reap(slabs: Slabs, cache: Cache, cpu: int) -> Steps[None]:
    """Return of a cache what has not been used since a CPU's worker looked last."""
    yield from _drain(slabs, cache, cpu, cache.arrays[cpu], cache.shape.objects_kept)
    if cache.shared is not None:
        yield from _drain(slabs, cache, cpu, cache.shared, cache.shape.shared)
    if cache.touched:
        cache.touched = False
        return
    fifth = 5 * cache.shape.objects
    yield from give_up_empty(slabs, cache, cpu, -(-cache.shape.partials // fifth))


def give_up_empty(slabs: Slabs, cache: Cache, cpu: int, most: int) -> Steps[None]:
    """Give up so many empty slabs, the last first, or all."""
    while most > 0 and cache.empty:
        yield Step.IRQS_OFF
        yield Step.LOCK
        given_up = cache.empty.pop() if cache.empty else None
        yield Step.UNLOCK
        yield Step.IRQS_ON
        if given_up is None:
            return
        yield from discard_slab(slabs, cache, cpu, given_up)
        most -= 1


def _drain(slabs: Slabs, cache: Cache, cpu: int, array: Array, limit: int) -> Steps[None]:
    """Return a fifth of what an array may hold, unless it was used."""
    if not array.entries:
        return
    if array.touched:
        array.touched = False
        return
    yield from _return(slabs, cache, cpu, array, -(-limit // 5))


def _return(
    slabs: Slabs, cache: Cache, cpu: int, array: Array, some: int | None = None
) -> Steps[None]:
    """Return the oldest objects of an array to their slabs: all, or some; half if it has fewer."""
    yield Step.IRQS_OFF
    yield Step.LOCK
    count = len(array.entries)
    if some is not None:
        count = some if some <= count else -(-count // 2)
    given_up = return_objects(slabs, cache, array.entries[:count])
    del array.entries[:count]
    yield Step.UNLOCK
    yield Step.IRQS_ON
    yield from discard_slabs(slabs, cache, cpu, given_up)
