"""Looking for one failure of one machine's counters, and making it small."""

from random import Random

from pagefuzz.campaign.hunt import Finding, search
from pagefuzz.campaign.walk import FUZZED_ERAS
from pagefuzz.counters.draw import random_counters
from pagefuzz.counters.lockstep import CounterLockstep
from pagefuzz.counters.record import counter_trace_of
from pagefuzz.counters.shrink import counter_size_of, shrink_counters
from pagefuzz.counters.target import CounterFactory
from pagefuzz.counters.walk import WALK_REQUESTS, walk
from pagespec.laws.law import LawBroken
from pagespec.vmstat.trace import CounterTrace


def fail_counters(factory: CounterFactory, seed: str) -> tuple[CounterTrace | None, int]:
    """One walk: the trace of its failure, if it fails, and how many requests it put."""
    rng = Random(seed)
    machine = random_counters(rng, rng.choice(FUZZED_ERAS))
    lockstep: CounterLockstep | None = None
    try:
        lockstep = CounterLockstep(machine, factory)
        walk(lockstep, rng, WALK_REQUESTS)
    except LawBroken as broken:
        done = lockstep.done if lockstep is not None else []
        return counter_trace_of(machine, done, broken), len(done)
    return None, len(lockstep.done)


def hunt_counters(
    factory: CounterFactory, seed: int, seconds: float, *, starts: int = 3
) -> Finding[CounterTrace] | None:
    """Look for a failure of counters of any design: see `search`."""
    return search(
        lambda walk: fail_counters(factory, f"{seed:x}/{walk}"),
        lambda trace: shrink_counters(trace, factory),
        counter_size_of,
        seconds,
        starts=starts,
    )
