"""From requests in frames to requests by name, so that a run can be written as a trace."""

from collections.abc import Iterable, Sequence

from pagefuzz.compaction.lockstep import CompactionLockstep
from pagefuzz.record import complaint_of
from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.state import Move
from pagespec.compaction.trace import (
    COMPACTION_SHAPES,
    CompactionNames,
    CompactionRequest,
    CompactionTrace,
)
from pagespec.compaction.verbs import ANSWERS, FRAMES, CompactionOp, CompactionVerb, Result
from pagespec.laws.holdings import REFUSALS
from pagespec.laws.law import LawBroken
from pagespec.machine import MAX_PFN
from pagespec.trace import name_of
from pagespec.types import NO_MEMORY
from pagespec.verbs import Outcome


def compaction_trace_of(
    machine: CompactionMachine,
    done: Iterable[tuple[CompactionOp, Outcome]],
    moves: Sequence[Sequence[Move]],
    broken: LawBroken,
) -> CompactionTrace:
    """A run that broke a law, by name, with the complaint as its comment."""
    recorder = Recorder()
    requests = tuple(
        recorder.request_of(op, outcome, moved)
        for (op, outcome), moved in zip(done, moves, strict=True)
    )
    return CompactionTrace(machine, requests, broken.law_id, (complaint_of(broken),))


def failure_of(
    machine: CompactionMachine, lockstep: CompactionLockstep | None, broken: LawBroken
) -> CompactionTrace:
    """The same of a lockstep that broke a law, if it came as far as to be one."""
    if lockstep is None:
        return compaction_trace_of(machine, (), (), broken)
    return compaction_trace_of(machine, lockstep.done, lockstep.moves, broken)


class Recorder:
    """Names for the blocks of one run, as its requests go by.

    A frame that heads a block with a name is written by it, wherever that has been moved; any other
    as a number.
    """

    def __init__(self) -> None:
        self.named = 0
        self.names = CompactionNames()

    def request_of(
        self, op: CompactionOp, outcome: Outcome, moves: Sequence[Move] = ()
    ) -> CompactionRequest:
        """The request by name, with the answer that it got."""
        name = None
        if op.verb in FRAMES:
            name = name_of(self.named)
            self.named += 1
        operand = self.names.named_at.get(op.pfn) if COMPACTION_SHAPES[op.verb].named else None
        sized = False
        if operand is not None and operand.name is not None and op.verb is CompactionVerb.FREE:
            sized = self.names.orders[operand.name] != op.order
        self.names.learn(name, op, outcome, moves)
        said = _sayable(op)
        if operand is not None:
            # The name says where the block is, and how large.
            stands = op.verb is CompactionVerb.FREE and not sized
            said = said._replace(pfn=0, order=0 if stands else said.order)
        return CompactionRequest(said, name, operand, sized, _answer(op.verb, outcome))


def _sayable(op: CompactionOp) -> CompactionOp:
    """The request without what its verb does not heed, and with numbers that traces can say."""
    shape, plain = COMPACTION_SHAPES[op.verb], CompactionOp(op.verb)
    known = shape.needs | shape.may_have | ({"order"} if "number" in shape.needs else set())
    unsaid = {word: getattr(plain, word) for word in op._fields[1:] if word not in known}
    op = op._replace(**unsaid)
    return op._replace(
        order=op.order if op.order >= 0 else MAX_PFN,
        cpu=op.cpu if op.cpu >= 0 else MAX_PFN,
        pfn=op.pfn if op.pfn >= 0 else MAX_PFN,
        pages=max(op.pages, 0),
    )


def _answer(verb: CompactionVerb, outcome: Outcome) -> Outcome | None:
    """The outcome, if a trace has words for it; a faulty zone may answer anything."""
    if outcome in REFUSALS:
        return outcome
    if verb in FRAMES:
        return outcome if outcome == NO_MEMORY or 0 <= outcome < MAX_PFN else None
    if verb in ANSWERS:
        return outcome if outcome in set(Result) else None
    return outcome if outcome == 0 else None
