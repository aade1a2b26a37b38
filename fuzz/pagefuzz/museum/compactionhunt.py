"""Looking for one failure of one zone that is compacted, and making it small."""

from random import Random

from pagefuzz.campaign.hunt import Finding, search
from pagefuzz.campaign.walk import FUZZED_ERAS
from pagefuzz.compaction.draw import random_compaction
from pagefuzz.compaction.lockstep import CompactionLockstep
from pagefuzz.compaction.record import failure_of
from pagefuzz.compaction.shrink import compaction_size_of, shrink_compaction
from pagefuzz.compaction.target import CompactionFactory
from pagefuzz.compaction.walk import WALK_REQUESTS, walk
from pagespec.compaction.trace import CompactionTrace
from pagespec.laws.law import LawBroken

ERAS_THAT_COMPACT = tuple(era for era in FUZZED_ERAS if era.compaction is not None)


def fail_compaction(factory: CompactionFactory, seed: str) -> tuple[CompactionTrace | None, int]:
    """One walk: the trace of its failure, if it fails, and how many requests it put."""
    rng = Random(seed)
    machine = random_compaction(rng, rng.choice(ERAS_THAT_COMPACT))
    lockstep: CompactionLockstep | None = None
    try:
        lockstep = CompactionLockstep(machine, factory)
        walk(lockstep, rng, WALK_REQUESTS)
    except LawBroken as broken:
        put = len(lockstep.done) if lockstep is not None else 0
        return failure_of(machine, lockstep, broken), put
    return None, len(lockstep.done)


def hunt_compaction(
    factory: CompactionFactory, seed: int, seconds: float, *, starts: int = 3
) -> Finding[CompactionTrace] | None:
    """Look for a failure of compaction of any era: see `search`."""
    return search(
        lambda walk: fail_compaction(factory, f"{seed:x}/{walk}"),
        lambda trace: shrink_compaction(trace, factory),
        compaction_size_of,
        seconds,
        starts=starts,
    )
