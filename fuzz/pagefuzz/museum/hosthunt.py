"""Looking for one failure of one allocator of hosts, and making it small."""

from random import Random

from pagefuzz.campaign.hunt import Finding, search
from pagefuzz.hosts.draw import random_host
from pagefuzz.hosts.lockstep import HostLockstep
from pagefuzz.hosts.record import host_trace_of
from pagefuzz.hosts.shrink import host_size_of, shrink_host
from pagefuzz.hosts.target import HostFactory
from pagefuzz.hosts.walk import WALK_REQUESTS, walk
from pagespec.host_trace import HostTrace
from pagespec.laws.law import LawBroken

MORE_WALKS = 8
"""Walks in which a failure that was found at once must show again: hosts are slow."""


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
) -> Finding[HostTrace] | None:
    """Look for a failure on hosts: see `search`."""
    return search(
        lambda walk: fail_host(factory, f"{seed:x}/{walk}"),
        lambda trace: shrink_host(trace, factory),
        host_size_of,
        seconds,
        starts=starts,
        more_walks=MORE_WALKS,
    )
