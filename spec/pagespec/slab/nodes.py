"""The node's three lists of SLAB: slabs without free objects, with some, and with no others.

Objects leave the first partial slab, or an empty one if none is partial, and a slab that was served
from comes first again in the list where it belongs then. One that objects return to goes to the
end of the partial ones, or to the front of the empty ones, of which the last are given up while
the node has more free objects than it keeps. Whoever changes the lists has the node's lock, which
is the zone's here: neither is ever taken under the other.

Source: mm/slab.c (get_first_slab, alloc_block, fixup_slab_list, free_block, drain_freelist,
cache_grow_end), 5.8 to 6.1.
"""

from collections.abc import Sequence

from pagespec.slab.places import head_at, number_of
from pagespec.slab.state import Array, Cache, Slabs, address_of
from pagespec.slab.verbs import Address
from pagespec.types import Pfn


def free_objects(cache: Cache) -> int:
    """How many free objects the node has, beside those in arrays."""
    return sum(len(cache.slabs[first].chain) for first in (*cache.partial, *cache.empty))


def take_objects(cache: Cache, array: Array, objects: int) -> None:
    """Move so many objects from the node's slabs to an array, or as many as there are."""
    while objects > 0 and (cache.partial or cache.empty):
        first = (cache.partial or cache.empty)[0]
        # Whether empty slabs are of use is asked when the cache is reaped.
        cache.touched = cache.touched or not cache.partial
        objects -= take_from_slab(cache, array, first, objects)
        file_slab(cache, first)


def take_from_slab(cache: Cache, array: Array, first: Pfn, objects: int) -> int:
    """Move so many objects of a slab to an array, or all that are free; how many that was."""
    slab = cache.slabs[first]
    taken, slab.chain = slab.chain[:objects], slab.chain[objects:]
    slab.inuse += len(taken)
    array.entries += [address_of(cache.shape, first, number) for number in taken]
    return len(taken)


def file_slab(cache: Cache, first: Pfn) -> None:
    """Put a slab that was served from first in the list where it belongs."""
    unlist(cache, first)
    (cache.partial if cache.slabs[first].chain else cache.full).insert(0, first)


def file_new_slab(cache: Cache, first: Pfn) -> None:
    """List a slab that has come; one that nobody needed meanwhile is the last that is empty."""
    if cache.slabs[first].inuse:
        file_slab(cache, first)
    else:
        cache.empty.append(first)


def unlist(cache: Cache, first: Pfn) -> None:
    """Take a slab off the list that it is on, if any."""
    for listed in (cache.full, cache.partial, cache.empty):
        if first in listed:
            listed.remove(first)


def return_objects(slabs: Slabs, cache: Cache, addresses: Sequence[Address]) -> tuple[Pfn, ...]:
    """Put objects back on their slabs; the slabs that are given up for it, the first to go first.

    The caller returns these to the page allocator when it has released the lock.
    """
    for address in addresses:
        first = head_at(slabs, address)
        slab = cache.slabs[first]
        unlist(cache, first)
        slab.chain.insert(0, number_of(cache, first, address))
        slab.inuse -= 1
        if slab.inuse:
            cache.partial.append(first)
        else:
            cache.empty.insert(0, first)
    given_up: tuple[Pfn, ...] = ()
    free = free_objects(cache)
    while free > cache.shape.partials and cache.empty:
        free -= cache.shape.objects
        given_up = (cache.empty.pop(), *given_up)
    return given_up
