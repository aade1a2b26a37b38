"""Looking for one failure of one allocator, and making it small.

Several failures are found and shrunk, and the smallest counts: a shrinker that starts from one
failure stops at whatever local minimum lies nearest.
"""

from dataclasses import dataclass, replace
from random import Random
from time import perf_counter

from pagefuzz.campaign.walk import random_machine, walk
from pagefuzz.lockstep import Lockstep
from pagefuzz.record import trace_of
from pagefuzz.shrink import shrink, size_of
from pagefuzz.target.protocol import Factory
from pagespec.era import Era
from pagespec.laws.law import LawBroken, Level
from pagespec.trace import Trace

WALK_REQUESTS = 100
"""Requests of one walk: enough to fill and empty a small zone, few enough to shrink fast."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A failure: the trace as it was found, how small it became, and what it took to find.

    operations: requests put until the first failure. seconds: until then.
    """

    raw: Trace
    small: Trace
    operations: int
    seconds: float


def fail(factory: Factory, seed: str, level: Level, era: Era | None) -> tuple[Trace | None, int]:
    """One walk: the trace of its failure, if it fails, and how many requests it put."""
    rng = Random(seed)
    machine = random_machine(rng, era)
    lockstep: Lockstep | None = None
    try:
        lockstep = Lockstep(machine, factory, level)
        walk(lockstep, rng, WALK_REQUESTS)
    except LawBroken as broken:
        done = lockstep.done if lockstep is not None else []
        return trace_of(machine, done, broken), len(done)
    return None, len(lockstep.done)


def hunt(
    factory: Factory,
    seed: int,
    seconds: float,
    *,
    level: Level = "exact",
    era: Era | None = None,
    starts: int = 4,
) -> Finding | None:
    """Walk until a law breaks or the time is over; shrink the first few failures, keep the best.

    The time is counted from the first request to the first failure; shrinking comes on top.
    """
    begin = perf_counter()
    operations = 0
    first: tuple[int, float] | None = None
    failures: list[Trace] = []
    walks = 0
    while len(failures) < starts and perf_counter() - begin < seconds:
        trace, count = fail(factory, f"{seed:x}/{walks}", level, era)
        walks += 1
        if first is None:
            operations += count
        if trace is not None:
            first = first or (operations, perf_counter() - begin)
            failures.append(trace)
    if first is None:
        return None
    # Another law is another finding: only failures of the first one's law compete with it.
    rivals = [trace for trace in failures if trace.expect == failures[0].expect]
    small = min((shrink(trace, factory, level) for trace in rivals), key=size_of)
    return Finding(failures[0], replace(small, comments=failures[0].comments), *first)
