"""SLAB: objects from an array that a CPU has for itself, with interrupts off.

A CPU serves the object that it got last. An empty array is refilled by the batch: from the array
that all CPUs share, or from the node's slabs, or from a new one. A full one loses its oldest batch:
to the array that all share if that has any room, or else to their slabs.

NUMA is not modelled, so there is one node, and no array for objects of others. Nor are colours, or
where the numbers of free objects are kept, which may cost an object of a slab.

Source: mm/slab.c (____cache_alloc, cache_alloc_refill, transfer_objects, cache_grow_begin,
___cache_free, cache_flusharray, kmem_cache_alloc_bulk), 5.8 to 6.1.
"""

from pagespec.slab.growing import discard_slabs, new_slab
from pagespec.slab.nodes import file_new_slab, return_objects, take_from_slab, take_objects
from pagespec.slab.state import Array, Cache, Slabs
from pagespec.slab.verbs import Address
from pagespec.steps import Step, Steps
from pagespec.types import Pfn

REFILL_LIMIT = 16
"""The most objects that come to an array at a time which was not used lately."""


def take(slabs: Slabs, cache: Cache, cpu: int) -> Steps[Address | None]:
    """Take an object, or None if there are no frames for a slab."""
    yield Step.IRQS_OFF
    address = yield from _take(slabs, cache, cpu)
    yield Step.IRQS_ON
    return address


def take_bulk(slabs: Slabs, cache: Cache, cpu: int, objects: int) -> Steps[list[Address]]:
    """Take that many objects, or fewer if there are no frames for a slab, in one go."""
    got: list[Address] = []
    yield Step.IRQS_OFF
    while len(got) < objects:
        address = yield from _take(slabs, cache, cpu)
        if address is None:
            break
        got.append(address)
    yield Step.IRQS_ON
    return got


def give(
    slabs: Slabs, cache: Cache, cpu: int, chain: tuple[Address, ...], count: int
) -> Steps[None]:
    """Free objects one by one, the first of the chain first, with interrupts off for all.

    count: how many they are; of interest where nobody walks the chain.
    """
    yield Step.IRQS_OFF
    place = 0
    while place < len(chain):
        yield from _give(slabs, cache, cpu, chain[place])
        place += 1
    yield Step.IRQS_ON


def _take(slabs: Slabs, cache: Cache, cpu: int) -> Steps[Address | None]:
    """Take an object, with interrupts off when this begins and ends."""
    if not cache.arrays[cpu].entries:
        yield from refill(slabs, cache, cpu)
    if not cache.arrays[cpu].entries:
        return None
    cache.arrays[cpu].touched = True
    return cache.arrays[cpu].entries.pop()


def refill(slabs: Slabs, cache: Cache, cpu: int) -> Steps[None]:
    """Fill an empty array with a batch, unless there are no frames for a slab."""
    array = cache.arrays[cpu]
    batch = cache.shape.batch if array.touched else min(cache.shape.batch, REFILL_LIMIT)
    if (cache.shared is not None and cache.shared.entries) or cache.partial or cache.empty:
        yield Step.LOCK
        if not take_shared(cache, array, batch):
            take_objects(cache, array, batch)
        yield Step.UNLOCK
    if not array.entries:
        yield from grow(slabs, cache, cpu, batch)


def take_shared(cache: Cache, array: Array, objects: int) -> bool:
    """Move the latest objects of the array that all CPUs share; whether there were any."""
    shared = cache.shared
    if shared is None or not shared.entries:
        return False
    count = min(objects, len(shared.entries))
    array.entries += shared.entries[-count:]
    del shared.entries[-count:]
    shared.touched = True
    return True


def grow(slabs: Slabs, cache: Cache, cpu: int, batch: int) -> Steps[None]:
    """Fill an array from a new slab, unless interrupts have filled it meanwhile."""
    array = cache.arrays[cpu]
    yield Step.IRQS_ON
    first = yield from new_slab(slabs, cache, cpu)
    yield Step.IRQS_OFF
    if first is None:
        return
    if not array.entries:
        take_from_slab(cache, array, first, batch)
    yield Step.LOCK
    file_new_slab(cache, first)
    yield Step.UNLOCK


def _give(slabs: Slabs, cache: Cache, cpu: int, address: Address) -> Steps[None]:
    """Free an object, with interrupts off when this begins and ends."""
    if len(cache.arrays[cpu].entries) >= cache.shape.objects_kept:
        yield Step.LOCK
        given_up = spill(slabs, cache, cache.arrays[cpu])
        yield Step.UNLOCK
        yield from discard_slabs(slabs, cache, cpu, given_up)
    cache.arrays[cpu].entries.append(address)


def spill(slabs: Slabs, cache: Cache, array: Array) -> tuple[Pfn, ...]:
    """Move the oldest batch of a full array, or as much of it as all CPUs' array has room for.

    The slabs that are given up, if objects went back to theirs.
    """
    batch = cache.shape.batch
    room = 0 if cache.shared is None else cache.shape.shared - len(cache.shared.entries)
    if cache.shared is not None and room:
        batch = min(batch, room)
        cache.shared.entries += array.entries[:batch]
        given_up: tuple[Pfn, ...] = ()
    else:
        given_up = return_objects(slabs, cache, array.entries[:batch])
    del array.entries[:batch]
    return given_up
