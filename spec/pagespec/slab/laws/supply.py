"""Which free objects a CPU finds, in the order in which it serves them: from the state alone.

Source: mm/slub.c (get_freelist, get_partial_node) and mm/slab.c (cache_alloc_refill), 5.8 to 6.12.
"""

from collections.abc import Iterator

from pagespec.era import Era
from pagespec.slab.laws.where import on_chain
from pagespec.slab.state import Cache, Slabs
from pagespec.slab.verbs import Address, SlabOp
from pagespec.types import Pfn

UNTOUCHED_BATCH = 16
"""The most objects that an array takes which has not been used lately."""


def serving_cache(slabs: Slabs, op: SlabOp) -> Cache | None:
    """The cache that serves a request for objects; a group's own may be still to come."""
    return slabs.caches.get((op.cache, op.group if slabs.machine.scheme == "caches" else 0))


def within_reach(era: Era, cache: Cache, cpu: int) -> list[Address]:
    """All free objects that a CPU can have before it needs a new slab, the next one first."""
    found = _of_arrays(cache, cpu) if cache.arrays else _of_slabs(era, cache, cpu)
    return list(found)


def _of_slabs(era: Era, cache: Cache, cpu: int) -> Iterator[Address]:
    """Of the slab that it serves from, then of its partial slabs, then of the node's."""
    mine = cache.cpus[cpu]
    if mine.slab is not None:
        yield from on_chain(cache, mine.slab, mine.chain)
        yield from on_chain(cache, mine.slab, cache.slabs[mine.slab].chain)
    for first in (*mine.partial, *_off_the_node(era, cache)):
        yield from on_chain(cache, first, cache.slabs[first].chain)


def _off_the_node(era: Era, cache: Cache) -> Iterator[Pfn]:
    """The node's slabs, some at a time: the first is served from, the others wait as they came.

    So of those that a CPU takes along the latest is served first.
    """
    rest = cache.partial.copy()
    while rest:
        along = taken_along(era, cache, rest)
        yield rest[0]
        yield from rest[along:0:-1]
        del rest[: along + 1]


def taken_along(era: Era, cache: Cache, rest: list[Pfn]) -> int:
    """How many slabs behind the first of the node's a CPU takes along to keep.

    Until they have more than half of what a CPU may keep, in objects or in slabs.
    """
    shape = cache.shape
    if era.keeps_more_partials:
        most = -(-2 * shape.objects_kept // shape.objects) // 2
        if era.keeps_no_partials and not shape.objects_kept:
            return 0
        return min(len(rest) - 1, most + 1)
    along, free = 0, len(cache.slabs[rest[0]].chain)
    while along + 1 < len(rest) and free <= shape.objects_kept // 2:
        along += 1
        free += len(cache.slabs[rest[along]].chain)
    return along


def first_batch(cache: Cache, cpu: int) -> int:
    """How many objects the next refill of a CPU's array takes: few if it has not been used."""
    array, batch = cache.arrays[cpu], cache.shape.batch
    return batch if array.touched else min(batch, UNTOUCHED_BATCH)


def _of_arrays(cache: Cache, cpu: int) -> Iterator[Address]:
    """Of its array, then of the shared one, both from the end; then of slabs, some at a time.

    What is taken off slabs at a time lies in the array as it was listed, and is served from the
    end as well.
    """
    array, batch = cache.arrays[cpu], first_batch(cache, cpu)
    shared = [] if cache.shared is None else cache.shared.entries
    yield from array.entries[::-1]
    yield from shared[::-1]
    if array.entries or shared:
        batch = cache.shape.batch
    rest = [
        address
        for first in (*cache.partial, *cache.empty)
        for address in on_chain(cache, first, cache.slabs[first].chain)
    ]
    while rest:
        yield from rest[:batch][::-1]
        rest, batch = rest[batch:], cache.shape.batch
