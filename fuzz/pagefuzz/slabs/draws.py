"""How each kind of request is drawn so that it is probably legal, and what a walk prefers."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

from pagefuzz.slabs.draw import random_create
from pagespec.slab.state import Slabs
from pagespec.slab.verbs import MAX_BULK, Address, SlabOp, SlabVerb

MOST_CACHES = 3
"""The caches that a walk has at a time."""

BULKS = (0, 1, 2, 3, 4, 5, 8, 13, 20, MAX_BULK)
"""How many objects a bulk request asks for or gives back."""


@dataclass(slots=True)
class Mix:
    """How often each kind of request is drawn in one walk, and what it prefers.

    verbs: weights. hot_cpus: the CPUs that mostly ask. caches: the number of the next cache.
    illegal, episodes, withheld, nobody: chances, of a request to be wrong, of a run of requests to
    begin, of an object to be withheld when it is given back, of an allocation to be charged to
    nobody. up: the chance that an object is asked for rather than given back, redrawn each phase of
    `phase` requests. next: the rest of an episode, to be drawn when its turn comes.
    """

    verbs: dict[SlabVerb, int]
    hot_cpus: list[int]
    illegal: float
    episodes: float
    withheld: float
    nobody: float
    phase: int
    up: float = 0.5
    drawn: int = 0
    next: "list[Draw]" = field(default_factory=list)


Draw: TypeAlias = Callable[[Random, Slabs, Mix], SlabOp]
"""Draws one request, probably legal."""


def caches_of(known: Slabs) -> list[int]:
    """The numbers of the caches that callers have created."""
    return sorted({number for number, _ in known.caches})


def held_in(known: Slabs) -> list[Address]:
    """All that callers have, whole frames included."""
    return list(known.held)


def groups_of(known: Slabs) -> list[int]:
    """The groups that can be charged."""
    return [number for number, group in known.groups.items() if group.online]


def some_cpu(rng: Random, known: Slabs, mix: Mix) -> int:
    """Mostly one of the two that the walk prefers."""
    return rng.choice(mix.hot_cpus) if rng.random() < 0.8 else rng.randrange(known.machine.cpus)


def some_group(rng: Random, known: Slabs, mix: Mix) -> int:
    """Who is charged, or nobody."""
    groups = groups_of(known)
    return 0 if not groups or rng.random() < mix.nobody else rng.choice(groups)


def create(rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    """One cache more, as long as there are few."""
    caches = caches_of(known)
    if len(caches) >= MOST_CACHES:
        return alloc(rng, known, mix)
    number = next(each for each in range(1, MOST_CACHES + 1) if each not in caches)
    return random_create(rng, known.machine, number)


def alloc(rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    """One object."""
    return SlabOp(
        SlabVerb.ALLOC,
        some_cpu(rng, known, mix),
        rng.choice(caches_of(known)),
        group=some_group(rng, known, mix),
    )


def alloc_bulk(rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    """Several objects of one cache."""
    op = alloc(rng, known, mix)
    return op._replace(verb=SlabVerb.ALLOC_BULK, objects=rng.choice(BULKS))


def free(rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    """One of the objects that are held, be it of whatever cache, on any CPU."""
    held = held_in(known)
    if not held:
        return alloc(rng, known, mix)
    given = (rng.choice(held),)
    cpu = some_cpu(rng, known, mix)
    withheld = given if rng.random() < mix.withheld else ()
    return SlabOp(SlabVerb.FREE, cpu, addresses=given, withheld=withheld)


def free_bulk(rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    """Several objects that are held, of one cache or, as kfree_bulk has it, of any."""
    held = held_in(known)
    caches = sorted({each.cache for each in known.held.values() if each.cache})
    cache = 0 if not caches or rng.random() < 0.5 else rng.choice(caches)
    if cache:
        held = [address for address, each in known.held.items() if each.cache == cache]
    if not held:
        return alloc_bulk(rng, known, mix)
    count = max(1, min(len(held), rng.choice(BULKS)))
    return freeing(rng, known, mix, rng.sample(held, count), cache)


def freeing(rng: Random, known: Slabs, mix: Mix, given: list[Address], cache: int) -> SlabOp:
    """A request that gives these back, some of which may be withheld."""
    return SlabOp(
        SlabVerb.FREE_BULK,
        some_cpu(rng, known, mix),
        cache,
        addresses=tuple(given),
        withheld=tuple(each for each in given if rng.random() < mix.withheld),
    )


def large(rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    """Whole frames."""
    order = rng.choice((0, 0, 1, 2, known.machine.zone.top))
    return SlabOp(SlabVerb.LARGE, some_cpu(rng, known, mix), order=order)


def of_cache(verb: SlabVerb) -> Draw:
    """A request about a cache as a whole; to destroy one is refused while objects are held."""

    def draw(rng: Random, known: Slabs, mix: Mix) -> SlabOp:
        held = {each.cache for each in known.held.values() if each.cache}
        caches = caches_of(known)
        free = [each for each in caches if each not in held]
        if verb is SlabVerb.DESTROY and free and rng.random() < 0.8:
            caches = free
        return SlabOp(verb, cache=rng.choice(caches))

    return draw


def of_cpu(verb: SlabVerb) -> Draw:
    """A request about what a CPU keeps."""

    def draw(rng: Random, known: Slabs, mix: Mix) -> SlabOp:
        return SlabOp(verb, some_cpu(rng, known, mix))

    return draw


def group(rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    """A group more, if there may be one."""
    left = [each for each in range(1, known.machine.groups + 1) if each not in known.groups]
    if not left:
        return alloc(rng, known, mix)
    return SlabOp(SlabVerb.GROUP, group=rng.choice(left))


def offline(rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    """A group goes, seldom the last one."""
    groups = groups_of(known)
    if not groups or (len(groups) == 1 and rng.random() < 0.8):
        return group(rng, known, mix)
    return SlabOp(SlabVerb.OFFLINE, group=rng.choice(groups))


def release(rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    """What was withheld on a CPU, if anything was."""
    cpus = [cpu for cpu, withheld in enumerate(known.withheld) if withheld]
    return SlabOp(SlabVerb.RELEASE, rng.choice(cpus) if cpus else some_cpu(rng, known, mix))


DRAW: dict[SlabVerb, Draw] = {
    SlabVerb.CREATE: create,
    SlabVerb.DESTROY: of_cache(SlabVerb.DESTROY),
    SlabVerb.SHRINK: of_cache(SlabVerb.SHRINK),
    SlabVerb.ALLOC: alloc,
    SlabVerb.FREE: free,
    SlabVerb.ALLOC_BULK: alloc_bulk,
    SlabVerb.FREE_BULK: free_bulk,
    SlabVerb.LARGE: large,
    SlabVerb.RELEASE: release,
    SlabVerb.FLUSH: of_cpu(SlabVerb.FLUSH),
    SlabVerb.REAP: of_cpu(SlabVerb.REAP),
    SlabVerb.GROUP: group,
    SlabVerb.OFFLINE: offline,
}
"""How a request of each verb is drawn, so that it is probably legal."""
