"""Looking for one failure of one machine's slabs, and making it small."""

from random import Random

from pagefuzz.campaign.hunt import Finding, search
from pagefuzz.campaign.walk import FUZZED_ERAS
from pagefuzz.slabs.draw import random_slabs
from pagefuzz.slabs.lockstep import SlabLockstep, failure_of
from pagefuzz.slabs.shrink import shrink_slabs, slab_size_of
from pagefuzz.slabs.target import SlabFactory
from pagefuzz.slabs.walk import WALK_REQUESTS, walk
from pagespec.laws.law import LawBroken
from pagespec.slab.trace import SlabTrace

ERAS_WITH_SLABS = tuple(era for era in FUZZED_ERAS if era.slab_designs)


def fail_slabs(factory: SlabFactory, seed: str) -> tuple[SlabTrace | None, int]:
    """One walk: the trace of its failure, if it fails, and how many requests it put."""
    rng = Random(seed)
    machine = random_slabs(rng, rng.choice(ERAS_WITH_SLABS))
    lockstep: SlabLockstep | None = None
    try:
        lockstep = SlabLockstep(machine, factory)
        walk(lockstep, rng, WALK_REQUESTS)
    except LawBroken as broken:
        put = len(lockstep.done) if lockstep is not None else 0
        return failure_of(machine, lockstep, broken), put
    return None, len(lockstep.done)


def hunt_slabs(
    factory: SlabFactory, seed: int, seconds: float, *, starts: int = 3
) -> Finding[SlabTrace] | None:
    """Look for a failure of slabs of any design and scheme: see `search`."""
    return search(
        lambda walk: fail_slabs(factory, f"{seed:x}/{walk}"),
        lambda trace: shrink_slabs(trace, factory),
        slab_size_of,
        seconds,
        starts=starts,
    )
