"""Putting a trace of slabs to an allocator under test: which law breaks, at which request."""

from pagefuzz.coverage import Reached
from pagefuzz.replay import Verdict
from pagefuzz.slabs.lockstep import SlabLockstep
from pagefuzz.slabs.target import SlabFactory
from pagespec.laws.law import LawBroken
from pagespec.slab.trace import SlabNames, SlabTrace


def replay_slabs(trace: SlabTrace, factory: SlabFactory, *, to_the_end: bool = True) -> Verdict:
    """Put each request of the trace to a fresh allocator, then give everything back.

    An allocator that gives out other objects than the one that wrote the trace is asked for its
    own; a request for an object that it refused to give is skipped. to_the_end: whether everything
    is given back if no request breaks a law.
    """
    names = SlabNames()
    skipped: list[int] = []
    step = 0
    lockstep: SlabLockstep | None = None
    try:
        lockstep = SlabLockstep(trace.machine, factory)
        for step, request in enumerate(trace.requests, 1):
            op = names.op_of(request)
            if op is None:
                skipped.append(step - 1)
            else:
                outcome = lockstep.step(op)
                names.learn(request, outcome, lockstep.seen.slots)
        if to_the_end:
            step += 1
            lockstep.finish()
    except LawBroken as broken:
        reached = lockstep.reached if lockstep is not None else Reached()
        return Verdict(broken, step, tuple(skipped), reached)
    return Verdict(None, step, tuple(skipped), lockstep.reached)
