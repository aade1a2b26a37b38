"""Putting a trace of compaction to a zone under test: which law breaks, at which request."""

from pagefuzz.compaction.lockstep import CompactionLockstep
from pagefuzz.compaction.target import CompactionFactory
from pagefuzz.coverage import Reached
from pagefuzz.replay import Verdict
from pagespec.compaction.trace import CompactionNames, CompactionTrace
from pagespec.laws.law import LawBroken


def replay_compaction(trace: CompactionTrace, factory: CompactionFactory) -> Verdict:
    """Put each request of the trace to a fresh zone, then give everything back.

    A zone that gives out other frames than the one that wrote the trace is asked for its own
    blocks, wherever it has moved them; a request for one that it refused to give is skipped.
    """
    names = CompactionNames()
    skipped: list[int] = []
    step = 0
    lockstep: CompactionLockstep | None = None
    try:
        lockstep = CompactionLockstep(trace.machine, factory)
        for step, request in enumerate(trace.requests, 1):
            op = names.op_of(request)
            if op is None:
                skipped.append(step - 1)
            else:
                outcome = lockstep.step(op)
                names.learn(request.name, op, outcome, lockstep.moves[-1])
        step += 1
        lockstep.finish()
    except LawBroken as broken:
        reached = lockstep.reached if lockstep is not None else Reached()
        return Verdict(broken, step, tuple(skipped), reached)
    return Verdict(None, step, tuple(skipped), lockstep.reached)
