"""Requests of which some part is wrong, at least most of the time."""

from random import Random

from pagefuzz.slabs.draws import Draw, Mix, alloc, caches_of, free, free_bulk, some_cpu
from pagespec.slab.sizes import PAGE
from pagespec.slab.state import Slabs
from pagespec.slab.verbs import MAX_BULK, Address, SlabOp, SlabVerb
from pagespec.types import MAX_TOP

NO_CACHE = 99
"""A cache that no walk has."""


def illegal_request(rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    """A request that is probably refused."""
    return rng.choice(WRONG)(rng, known, mix)


def _address(rng: Random, known: Slabs, mix: Mix) -> Address:
    """One that no caller has: inside an object, of a free one, of no slab, or none at all."""
    held = list(known.held)
    free = [
        first * PAGE + number * cache.shape.size
        for cache in known.caches.values()
        for first, slab in cache.slabs.items()
        for number in slab.chain
    ]
    inside = [rng.choice(held) + 1] if held else []
    return rng.choice((*inside, *free[:1], known.machine.zone.end * PAGE + 8, PAGE // 2))


def _said(op: SlabOp) -> Draw:
    return lambda rng, known, mix: op


def _again(rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    return SlabOp(SlabVerb.CREATE, cache=rng.choice(caches_of(known)), size=64)


def _busy(rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    busy = sorted({each.cache for each in known.held.values() if each.cache})
    return SlabOp(SlabVerb.DESTROY, cache=rng.choice(busy) if busy else NO_CACHE)


def _twice(rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    """A bulk request that gives one object back twice."""
    op = free_bulk(rng, known, mix)
    return op._replace(addresses=op.addresses + op.addresses[:1])


def _foreign(rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    """Objects given back to another cache than theirs."""
    op = free_bulk(rng, known, mix)
    others = [each for each in caches_of(known) if each != op.cache]
    return op._replace(cache=rng.choice(others) if others else NO_CACHE)


def _mixed(rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    """Among objects one that is none."""
    right = free_bulk(rng, known, mix).addresses
    wrong = rng.choice((0, _address(rng, known, mix)))
    cpu = some_cpu(rng, known, mix)
    return SlabOp(SlabVerb.FREE_BULK, cpu, addresses=(*right, wrong))


def _gone(rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    """A group that cannot be charged any more, or never could."""
    gone = [number for number, group in known.groups.items() if not group.online]
    number = rng.choice((*gone, known.machine.groups + 1))
    verb = rng.choice((SlabVerb.ALLOC, SlabVerb.ALLOC_BULK, SlabVerb.OFFLINE, SlabVerb.GROUP))
    if verb is SlabVerb.ALLOC_BULK:
        return alloc(rng, known, mix)._replace(verb=verb, group=number, objects=2)
    if verb is SlabVerb.ALLOC:
        return alloc(rng, known, mix)._replace(group=number)
    if verb is SlabVerb.GROUP and known.groups:
        number = rng.choice((number, *known.groups))
    return SlabOp(verb, group=number)


def _no_cpu(verb: SlabVerb) -> Draw:
    return lambda rng, known, mix: SlabOp(verb, known.machine.cpus)


WRONG: tuple[Draw, ...] = (
    *map(
        _said,
        (
            SlabOp(SlabVerb.CREATE, cache=NO_CACHE),
            SlabOp(SlabVerb.CREATE, cache=NO_CACHE, size=2**30),
            SlabOp(SlabVerb.CREATE, cache=NO_CACHE, size=12),
            SlabOp(SlabVerb.CREATE, size=64),
            SlabOp(SlabVerb.CREATE, cache=NO_CACHE, size=64, batch=0),
            SlabOp(SlabVerb.CREATE, cache=NO_CACHE, size=64, order=MAX_TOP + 1),
            SlabOp(SlabVerb.SHRINK, cache=NO_CACHE),
            SlabOp(SlabVerb.LARGE, order=MAX_TOP + 1),
        ),
    ),
    _again,
    *[_busy] * 2,
    lambda rng, known, mix: alloc(rng, known, mix)._replace(cache=NO_CACHE),
    lambda rng, known, mix: alloc(rng, known, mix)._replace(cpu=known.machine.cpus),
    *[
        lambda rng, known, mix: alloc(rng, known, mix)._replace(
            verb=SlabVerb.ALLOC_BULK, objects=MAX_BULK + 1
        )
    ]
    * 2,
    *[
        lambda rng, known, mix: SlabOp(
            SlabVerb.FREE, some_cpu(rng, known, mix), addresses=(_address(rng, known, mix),)
        )
    ]
    * 3,
    lambda rng, known, mix: free(rng, known, mix)._replace(cpu=known.machine.cpus),
    _twice,
    *[_foreign] * 4,
    *[_mixed] * 2,
    *[_gone] * 4,
    _no_cpu(SlabVerb.FLUSH),
    _no_cpu(SlabVerb.REAP),
    _no_cpu(SlabVerb.RELEASE),
)
"""How requests are drawn that are probably refused."""
