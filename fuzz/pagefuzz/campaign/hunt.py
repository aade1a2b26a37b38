"""Looking for one failure of one allocator, and making it small.

Several failures are found and shrunk, and the smallest counts: a shrinker that starts from one
failure stops at whatever local minimum lies nearest.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from random import Random
from time import process_time
from typing import Generic

from pagefuzz.campaign.walk import FUZZED_ERAS, WALK_REQUESTS, random_machine, walk
from pagefuzz.lockstep import Lockstep
from pagefuzz.machines.failure import failure_of
from pagefuzz.shrink import shrink, size_of
from pagefuzz.smaller import OfAny
from pagefuzz.target.adapter import Adapter
from pagefuzz.target.protocol import Factory
from pagespec.era import Era
from pagespec.laws.law import LawBroken, Level
from pagespec.machine import Machine
from pagespec.trace import Trace

SHORT = 4
"""Requests of a trace that nobody would wish shorter."""

MORE_WALKS = 16
"""Walks in which a failure that was found at once must show again."""


@dataclass(frozen=True, slots=True)
class Finding(Generic[OfAny]):
    """A failure: the trace as it was found, how small it became, and what it took to find.

    operations: requests put until the first failure. seconds: of the processor, until then.
    """

    raw: OfAny
    small: OfAny
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
        put = len(lockstep.done) if lockstep is not None else 0
        return failure_of(machine, lockstep, broken), put
    return None, len(lockstep.done)


def hunt(
    factory: Factory,
    seed: int,
    seconds: float,
    *,
    level: Level = "exact",
    era: Era | None = None,
    starts: int = 4,
) -> Finding[Trace] | None:
    """Walk until a law breaks or the time is over; shrink the first few failures, keep the best."""
    # What is imported or compiled for the first allocator is no part of the search.
    with suppress(LawBroken):
        Adapter(factory, Machine(pages=1, top=0, era=era or FUZZED_ERAS[0]))
    return search(
        lambda walk: fail(factory, f"{seed:x}/{walk}", level, era),
        lambda trace: shrink(trace, factory, level),
        size_of,
        seconds,
        starts=starts,
    )


def search(
    fail: Callable[[int], tuple[OfAny | None, int]],
    shrink: Callable[[OfAny], OfAny],
    size_of: Callable[[OfAny], tuple[int, ...]],
    seconds: float,
    *,
    starts: int,
    more_walks: int = MORE_WALKS,
) -> Finding[OfAny] | None:
    """Look for a failure of any kind: walk by walk, then make the first few small.

    fail: the trace of a walk's failure, if it fails, and how many requests it put. starts: how many
    failures are shrunk at most. more_walks: how many a failure that came at once must show in
    again.

    The time is the processor's, so that a busy box finds what an idle one does. It is counted from
    the first request to the first failure; shrinking comes on top. Other starts are tried only
    while the best trace is long, for as many walks again as the first took and a few more.
    """
    begin = process_time()
    operations = 0
    found: Finding[OfAny] | None = None
    last: int | None = None
    for walks in count():
        if walks == last or (found is None and process_time() - begin >= seconds):
            break
        trace, put = fail(walks)
        if found is None:
            operations += put
        # Another law is another finding: only failures of the first one's law compete with it.
        if trace is None or (found is not None and trace.expect != found.raw.expect):
            continue
        taken = process_time() - begin
        small = shrink(trace)
        if found is None:
            found = Finding(trace, small, operations, taken)
            last = 2 * walks + more_walks
        elif size_of(small) < size_of(found.small):
            found = replace(found, small=small)
        starts -= 1
        if starts == 0 or len(found.small.requests) <= SHORT:
            break
    return found
