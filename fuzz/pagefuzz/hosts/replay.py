"""Putting a host's trace to an allocator of hosts: which law breaks, at which request."""

from pagefuzz.coverage import Reached
from pagefuzz.hosts.lockstep import HostLockstep
from pagefuzz.hosts.target import HostFactory
from pagefuzz.replay import Verdict
from pagespec.host_trace import HostTrace
from pagespec.laws.law import LawBroken
from pagespec.trace import Names


def replay_host(trace: HostTrace, factory: HostFactory) -> Verdict:
    """Put each request of the trace to a fresh allocator, then give everything back.

    A request for a block that was never given out is skipped.
    """
    names = Names()
    skipped: list[int] = []
    step = 0
    lockstep: HostLockstep | None = None
    try:
        lockstep = HostLockstep(trace.host, factory)
        for step, request in enumerate(trace.requests, 1):
            op = names.op_of(request)
            if op is None:
                skipped.append(step - 1)
            else:
                outcome = lockstep.step(op)
                names.learn(request, outcome, lockstep.slots())
        step += 1
        lockstep.finish()
    except LawBroken as broken:
        reached = lockstep.reached if lockstep is not None else Reached()
        return Verdict(broken, step, tuple(skipped), reached)
    return Verdict(None, step, tuple(skipped), lockstep.reached)
