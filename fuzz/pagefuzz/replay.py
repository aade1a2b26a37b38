"""Putting a trace to an allocator: which law breaks, at which request."""

from typing import NamedTuple

from pagefuzz.coverage import Reached
from pagefuzz.lockstep import Lockstep
from pagefuzz.target.protocol import Factory
from pagespec.laws.law import LawBroken, Level
from pagespec.trace import Names, Trace


class Verdict(NamedTuple):
    """What came of a trace.

    broken: the law that broke, or None. step: the number of the request that broke it; 0 at boot,
    one more than there are while everything is given back. skipped: the requests, by position, that
    speak of a block that was never given out. reached: the events.
    """

    broken: LawBroken | None
    step: int
    skipped: tuple[int, ...]
    reached: Reached


def replay(trace: Trace, factory: Factory, level: Level = "exact") -> Verdict:
    """Put each request of the trace to a fresh allocator, then give everything back.

    An allocator that gives out other frames than the one that wrote the trace is asked for its own
    blocks; a request for a block that it refused to give is skipped.
    """
    names = Names()
    skipped: list[int] = []
    step = 0
    lockstep: Lockstep | None = None
    try:
        lockstep = Lockstep(trace.machine, factory, level)
        for step, request in enumerate(trace.requests, 1):
            op = names.op_of(request)
            if op is None or op.verb not in lockstep.target.verbs:
                skipped.append(step - 1)
            else:
                outcome = lockstep.step(op)
                names.learn(request, outcome, lockstep.book.slots)
        step += 1
        lockstep.finish()
    except LawBroken as broken:
        reached = lockstep.reached if lockstep is not None else Reached()
        return Verdict(broken, step, tuple(skipped), reached)
    return Verdict(None, step, tuple(skipped), lockstep.reached)
