"""Looking for one failure of one allocator of hosts, and making it small.

As `campaign.hunt` does for allocators of one zone.
"""

from dataclasses import dataclass, replace
from itertools import count
from random import Random
from time import process_time

from pagefuzz.hosts.draw import random_host
from pagefuzz.hosts.lockstep import HostLockstep
from pagefuzz.hosts.record import host_trace_of
from pagefuzz.hosts.shrink import host_size_of, shrink_host
from pagefuzz.hosts.target import HostFactory
from pagefuzz.hosts.walk import WALK_REQUESTS, walk
from pagespec.host_trace import HostTrace
from pagespec.laws.law import LawBroken

SHORT = 4
"""Requests of a trace that nobody would wish shorter."""

MORE_WALKS = 8
"""Walks in which a failure that was found at once must show again."""


@dataclass(frozen=True, slots=True)
class HostFinding:
    """See `campaign.hunt.Finding`."""

    raw: HostTrace
    small: HostTrace
    operations: int
    seconds: float


def fail_host(factory: HostFactory, seed: str) -> tuple[HostTrace | None, int]:
    """One walk: the trace of its failure, if it fails, and how many requests it put."""
    rng = Random(seed)
    host = random_host(rng)
    lockstep: HostLockstep | None = None
    try:
        lockstep = HostLockstep(host, factory)
        walk(lockstep, rng, WALK_REQUESTS)
    except LawBroken as broken:
        done, filled = (lockstep.done, lockstep.filled) if lockstep is not None else ([], {})
        return host_trace_of(host, done, broken, filled), len(done)
    return None, len(lockstep.done)


def hunt_host(
    factory: HostFactory, seed: int, seconds: float, *, starts: int = 3
) -> HostFinding | None:
    """Walk until a law breaks or the time is over; shrink the first few failures, keep the best.

    The time is the processor's, until the first failure.
    """
    begin = process_time()
    operations = 0
    found: HostFinding | None = None
    last: int | None = None
    for walks in count():
        if walks == last or (found is None and process_time() - begin >= seconds):
            break
        trace, put = fail_host(factory, f"{seed:x}/{walks}")
        if found is None:
            operations += put
        # Another law is another finding: only failures of the first one's law compete with it.
        if trace is None or (found is not None and trace.expect != found.raw.expect):
            continue
        taken = process_time() - begin
        small = shrink_host(trace, factory)
        if found is None:
            found = HostFinding(trace, small, operations, taken)
            last = 2 * walks + MORE_WALKS
        elif host_size_of(small) < host_size_of(found.small):
            found = replace(found, small=small)
        starts -= 1
        if starts == 0 or len(found.small.requests) <= SHORT:
            break
    return found
