"""Random requests for objects, in mixes that vary by walk.

An even mix hides what needs many of one kind: each walk switches verbs off, takes for a while and
gives back for a while, and mostly keeps to two CPUs, so that objects are often given back on
another CPU than the one that has their slab.
"""

from random import Random

from pagefuzz.slabs.lockstep import SlabLockstep
from pagefuzz.slabs.requests import random_mix, random_request

WALK_REQUESTS = 120
"""Requests of one walk."""


def walk(lockstep: SlabLockstep, rng: Random, count: int) -> None:
    """Put so many random requests to an allocator in lockstep, then give everything back.

    Raises LawBroken.
    """
    mix = random_mix(rng, lockstep.machine)
    for _ in range(count):
        # What is legal is drawn from the spec, never from what the one under test shows.
        lockstep.step(random_request(rng, lockstep.spec, mix))
    lockstep.finish()
