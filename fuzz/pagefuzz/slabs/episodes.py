"""Short runs of requests that belong together: what one by one they would seldom come to.

Which objects a request is about is known only when its turn comes, so a run is of draws.
"""

from collections.abc import Callable
from functools import partial
from random import Random
from typing import TypeAlias

from pagefuzz.slabs.draws import (
    Draw,
    Mix,
    alloc,
    alloc_bulk,
    caches_of,
    create,
    free_bulk,
    freeing,
    groups_of,
    held_in,
    large,
    some_cpu,
)
from pagefuzz.slabs.wrong import illegal_request
from pagespec.slab.sizes import PAGE
from pagespec.slab.state import Cache, Slab, Slabs
from pagespec.slab.verbs import MAX_BULK, Address, SlabOp, SlabVerb

Episode: TypeAlias = Callable[[Random, Slabs, Mix], list[Draw]]
"""Draws a run of requests; at least one."""

MOST = 12
"""Requests of one kind that a run has at most."""


def said(op: SlabOp) -> Draw:
    """The very request."""
    return lambda rng, known, mix: op


def flood(rng: Random, known: Slabs, mix: Mix) -> list[Draw]:
    """A CPU fills slabs of a cache, another gives back an object of each; then both may go."""
    cache, first, second = _places(rng, known, mix)
    objects = _of(known, cache).shape.objects
    count = min(MOST, objects * rng.choice((1, 2, 3)))
    take = SlabOp(SlabVerb.ALLOC, first, cache)
    back = [partial(_free_from_full, second, cache)] * rng.randint(1, 6)
    gone = [said(SlabOp(SlabVerb.FLUSH, cpu)) for cpu in (first, second)]
    then = [*gone, said(take), said(take)] if rng.random() < 0.5 else []
    return [*[said(take)] * count, *back, *then]


def ebb(rng: Random, known: Slabs, mix: Mix) -> list[Draw]:
    """All objects of a slab are given back one by one, by whichever CPU."""
    cache, first, second = _places(rng, known, mix)
    count = min(MOST, 2 * _of(known, cache).shape.objects)
    return [partial(_free_of_slab, rng.choice((first, second)), cache) for _ in range(count)]


def crowd(rng: Random, known: Slabs, mix: Mix) -> list[Draw]:
    """More objects are asked for at once than there are frames for; then half of that."""
    cache, cpu, _ = _places(rng, known, mix)
    group = _any_group(rng, known) or min(1, known.machine.groups)
    founded = [] if group in known.groups or not group else [SlabOp(SlabVerb.GROUP, group=group)]
    ask = SlabOp(SlabVerb.ALLOC_BULK, cpu, cache, objects=MAX_BULK, group=group)
    # What is left is less each time, so that one of them fails part way.
    asks = [ask._replace(objects=objects) for objects in (MAX_BULK, 20, 12, 8, 6)]
    return [*map(said, founded), large, *map(said, asks), free_bulk]


def zigzag(rng: Random, known: Slabs, mix: Mix) -> list[Draw]:
    """Objects of several slabs in turn are given back at once, so that it takes rounds."""
    cache, cpu, _ = _places(rng, known, mix)
    ask = SlabOp(SlabVerb.ALLOC_BULK, cpu, cache, objects=rng.choice((6, 12, 20)))
    return [said(ask), partial(_free_in_turns, cache)]


def neighbours(rng: Random, known: Slabs, mix: Mix) -> list[Draw]:
    """Two groups take turns on one CPU, so that its stock belongs to one, then to the other."""
    cache, cpu, _ = _places(rng, known, mix)
    groups = groups_of(known)
    if not groups:
        groups = list(range(1, min(2, known.machine.groups) + 1))
        founded: list[Draw] = [
            said(SlabOp(SlabVerb.GROUP, group=number))
            for number in groups
            if number not in known.groups
        ]
    else:
        founded = []
    pair = rng.sample(groups, min(2, len(groups)))
    takes = [SlabOp(SlabVerb.ALLOC, cpu, cache, group=each) for each in pair * 2]
    return [*founded, *map(said, takes), *[partial(_free_charged, cpu)] * 4]


def burden(rng: Random, known: Slabs, mix: Mix) -> list[Draw]:
    """A group asks for more than it may be charged for, at once or one by one."""
    cache, cpu, _ = _places(rng, known, mix)
    group = _any_group(rng, known)
    one = SlabOp(SlabVerb.ALLOC, cpu, cache, group=group)
    several = one._replace(verb=SlabVerb.ALLOC_BULK, objects=rng.choice((2, 4, 20, MAX_BULK)))
    return [said(rng.choice((one, several))) for _ in range(6)]


def farewell(rng: Random, known: Slabs, mix: Mix) -> list[Draw]:
    """A group goes while it has objects, and asks in vain for more; they come back later."""
    cache, cpu, _ = _places(rng, known, mix)
    group = _any_group(rng, known)
    if not group:
        return neighbours(rng, known, mix)
    take = SlabOp(SlabVerb.ALLOC, cpu, cache, group=group)
    gone = SlabOp(SlabVerb.OFFLINE, group=group)
    return [*map(said, (take, take, gone, take)), *[partial(_free_charged, cpu)] * 3]


def exchange(rng: Random, known: Slabs, mix: Mix) -> list[Draw]:
    """What is in an array moves to the one that all share, and from there to another CPU."""
    cache, first, second = _places(rng, known, mix)
    shape = _of(known, cache).shape
    count = min(MAX_BULK, 2 * shape.objects_kept + shape.batch + 1)
    ask = SlabOp(SlabVerb.ALLOC_BULK, first, cache, objects=count)
    reap = SlabOp(SlabVerb.REAP, rng.choice((first, second)))
    back = partial(_free_of_cache, first, cache, count)
    again = ask._replace(cpu=second, objects=max(1, shape.batch))
    return [said(ask), back, said(again), said(reap), said(reap), said(again._replace(cpu=first))]


def retreat(rng: Random, known: Slabs, mix: Mix) -> list[Draw]:
    """A cache gives back all that it can: CPUs go, and what is empty goes with them."""
    cache, first, second = _places(rng, known, mix)
    gone = [SlabOp(SlabVerb.FLUSH, cpu) for cpu in dict.fromkeys((first, second))]
    return [
        partial(_free_of_cache, first, cache, MAX_BULK),
        *map(said, gone),
        said(SlabOp(SlabVerb.SHRINK, cache=cache)),
        alloc_bulk,
    ]


def slips(rng: Random, known: Slabs, mix: Mix) -> list[Draw]:
    """Several wrong requests, with two caches and a group that there may be confusion about."""
    groups = range(1, known.machine.groups + 1)
    group = rng.choice(groups) if groups else 0
    founded = SlabOp(SlabVerb.GROUP, group=group)
    return [create, create, alloc, alloc_bulk, said(founded), *[illegal_request] * 8]


def quarantine(rng: Random, known: Slabs, mix: Mix) -> list[Draw]:
    """Objects are withheld on a CPU for a while, and another request is served meanwhile."""
    cpu = some_cpu(rng, known, mix)
    return [
        alloc,
        partial(_withholding, cpu),
        partial(_withholding, cpu),
        alloc,
        said(SlabOp(SlabVerb.RELEASE, cpu)),
    ]


EPISODES: tuple[Episode, ...] = (
    *(flood, flood, ebb, crowd, zigzag, zigzag),
    *(neighbours, neighbours, burden, burden, farewell, farewell),
    *(exchange, retreat, slips, quarantine),
)
"""What a walk may draw in place of a single request, some more often than others."""


def _places(rng: Random, known: Slabs, mix: Mix) -> tuple[int, int, int]:
    """A cache and two CPUs, which may be one."""
    cpus = (some_cpu(rng, known, mix), rng.randrange(known.machine.cpus))
    return rng.choice(caches_of(known)), *cpus


def _any_group(rng: Random, known: Slabs) -> int:
    groups = groups_of(known)
    return rng.choice(groups) if groups else 0


def _of(known: Slabs, cache: int) -> Cache:
    """The cache that everybody has by that number, or one that groups have."""
    return next(each for (number, _), each in known.caches.items() if number == cache)


def _held_of(known: Slabs, cache: int) -> list[Address]:
    return [address for address, each in known.held.items() if each.cache == cache]


def _slab_of(known: Slabs, address: Address) -> tuple[Cache, Slab]:
    """The slab of an object that is held, and its cache."""
    held = known.held[address]
    cache = known.caches[held.cache, held.cache_group]
    pages = 1 << cache.shape.order
    first = next(each for each in cache.slabs if each <= address // PAGE < each + pages)
    return cache, cache.slabs[first]


def _free_one(rng: Random, known: Slabs, mix: Mix, cpu: int, some: list[Address]) -> SlabOp:
    if not some:
        return alloc(rng, known, mix)
    return SlabOp(SlabVerb.FREE, cpu, addresses=(rng.choice(some),))


def _free_from_full(cpu: int, cache: int, rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    """An object of a slab that has no other to spare."""
    held = _held_of(known, cache)
    full = [each for each in held if not _slab_of(known, each)[1].chain]
    return _free_one(rng, known, mix, cpu, full or held)


def _free_of_slab(cpu: int, cache: int, rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    """An object of the slab that has the fewest left, so that it is the next to be empty."""
    held = _held_of(known, cache)
    least = min((_slab_of(known, each)[1].inuse for each in held), default=0)
    some = [each for each in held if _slab_of(known, each)[1].inuse == least]
    return _free_one(rng, known, mix, cpu, some)


def _free_charged(cpu: int, rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    charged = [address for address, each in known.held.items() if each.charged]
    return _free_one(rng, known, mix, cpu, charged or held_in(known))


def _free_in_turns(cache: int, rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    """One object of each slab, then the next of each; or all of a slab and some in between."""
    held = _held_of(known, cache)
    if not held:
        return alloc_bulk(rng, known, mix)
    by_slab: dict[int, list[Address]] = {}
    for address in held:
        by_slab.setdefault(_slab_of(known, address)[1].first, []).append(address)
    rank = {each: place for some in by_slab.values() for place, each in enumerate(some)}
    turns = sorted(held, key=rank.__getitem__)[:MAX_BULK]
    if rng.random() < 0.3:
        turns.reverse()
    return freeing(rng, known, mix, turns, rng.choice((0, cache)))


def _free_of_cache(cpu: int, cache: int, most: int, rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    held = _held_of(known, cache)[:most]
    if not held:
        return alloc_bulk(rng, known, mix)
    return freeing(rng, known, mix, held, cache)._replace(cpu=cpu)


def _withholding(cpu: int, rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    op = free_bulk(rng, known, mix)._replace(cpu=cpu)
    return op._replace(withheld=op.addresses[: rng.randint(1, 3)])
