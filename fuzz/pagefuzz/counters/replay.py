"""Putting a trace of counters to counters under test: which law breaks, at which request."""

from pagefuzz.counters.lockstep import CounterLockstep
from pagefuzz.counters.target import CounterFactory
from pagefuzz.coverage import Reached
from pagefuzz.replay import Verdict
from pagespec.laws.law import LawBroken
from pagespec.vmstat.trace import CounterTrace


def replay_counters(trace: CounterTrace, factory: CounterFactory) -> Verdict:
    """Put each request of the trace to fresh counters, then let everything be told."""
    step = 0
    lockstep: CounterLockstep | None = None
    try:
        lockstep = CounterLockstep(trace.machine, factory)
        for request in trace.requests:
            step += 1
            lockstep.step(request.op)
        step += 1
        lockstep.finish()
    except LawBroken as broken:
        return Verdict(broken, step, (), lockstep.reached if lockstep is not None else Reached())
    return Verdict(None, step, (), lockstep.reached)
