"""Random walks through requests of compaction, judged after every one."""

from itertools import islice
from random import Random

from pagefuzz.compaction.lockstep import CompactionLockstep
from pagefuzz.compaction.requests import random_mix, random_requests

WALK_REQUESTS = 100
"""Requests of one walk."""


def walk(lockstep: CompactionLockstep, rng: Random, count: int) -> None:
    """Put so many random requests to a zone in lockstep, then give everything back.

    Raises LawBroken.
    """
    mix = random_mix(rng, lockstep.machine)
    # What is legal is drawn from the spec, never from what the one under test shows.
    for op in islice(random_requests(rng, lockstep.spec, mix), count):
        lockstep.step(op)
    lockstep.finish()
