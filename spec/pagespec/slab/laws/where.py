"""Where the objects of a cache are: each is held, withheld, on a chain, or in an array."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from pagespec.slab.sizes import PAGE
from pagespec.slab.state import Cache, Slabs, address_of
from pagespec.slab.verbs import Address


class Place(NamedTuple):
    """A place, and the objects that are there."""

    name: str
    addresses: Collection[Address]


def objects_of(cache: Cache) -> set[Address]:
    """The addresses of all objects on a cache's slabs."""
    size, objects = cache.shape.size, cache.shape.objects
    return {
        address
        for first in cache.slabs
        for address in range(first * PAGE, first * PAGE + objects * size, size)
    }


def on_chain(cache: Cache, first: int, chain: Sequence[int]) -> list[Address]:
    """The addresses of a slab's objects that a chain numbers."""
    return [address_of(cache.shape, first, number) for number in chain]


def free_places(cache: Cache) -> Iterator[Place]:
    """Where free objects of a cache may be: on slabs, at CPUs, in the array that these share."""
    for first, slab in cache.slabs.items():
        yield Place(f"on the chain of slab {first}", on_chain(cache, first, slab.chain))
    for cpu, mine in enumerate(cache.cpus):
        if mine.slab is not None:
            yield Place(f"on the chain of CPU {cpu}", on_chain(cache, mine.slab, mine.chain))
    for cpu, array in enumerate(cache.arrays):
        yield Place(f"in the array of CPU {cpu}", array.entries)
    if cache.shared is not None:
        yield Place("in the shared array", cache.shared.entries)


def places_of(slabs: Slabs, cache: Cache, own: set[Address]) -> Iterator[Place]:
    """Where the objects of a cache, which are `own`, may be."""
    yield from free_places(cache)
    key = (cache.number, cache.group)
    yield Place(
        "held", [one for one, held in slabs.held.items() if (held.cache, held.cache_group) == key]
    )
    for cpu, waiting in enumerate(slabs.withheld):
        yield Place(f"withheld by CPU {cpu}", [each for each in waiting if each in own])


def misplaced(slabs: Slabs, cache: Cache) -> str | None:
    """How an object of a cache is not in exactly one place, or no object is in one."""
    own = objects_of(cache)
    places = list(places_of(slabs, cache, own))
    found = [address for place in places for address in place.addresses]
    if len(found) == len(own) and own.issuperset(found) and len(set(found)) == len(found):
        return None
    times = Counter(found)
    wrong = min(one for one in own | set(found) if times[one] != (one in own))
    names = " and ".join(
        place.name for place in places for each in place.addresses if each == wrong
    )
    if wrong not in own:
        return f"{wrong} is {names}, but no object of the cache"
    return f"object {wrong} is {names or 'nowhere'}"
