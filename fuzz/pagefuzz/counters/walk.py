"""Random requests to counters, in mixes that vary by walk.

An even mix hides what needs many of one kind: each walk switches verbs off, prefers one direction
for a while, and keeps to a few counters of a few CPUs, so that their cells meet the threshold from
both sides. Changes are often as large as just reaches a threshold or a mark, or just passes it.
"""

from random import Random

from pagefuzz.counters.lockstep import CounterLockstep
from pagefuzz.counters.requests import random_mix, random_request

WALK_REQUESTS = 150
"""Requests of one walk."""


def walk(lockstep: CounterLockstep, rng: Random, count: int) -> None:
    """Put so many random requests to counters in lockstep, then let everything be told.

    Raises LawBroken.
    """
    mix = random_mix(rng, lockstep.machine)
    for _ in range(count):
        # What is legal is drawn from the spec, never from what the counters under test show.
        lockstep.step(random_request(rng, lockstep.spec, mix))
    lockstep.finish()
