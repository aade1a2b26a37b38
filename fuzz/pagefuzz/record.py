"""From requests in frames to requests by name, so that a run can be written as a trace."""

from collections.abc import Iterable

from pagespec.frames import head_of
from pagespec.laws.holdings import REFUSALS
from pagespec.laws.law import LawBroken
from pagespec.machine import MAX_PFN, Machine
from pagespec.trace import Operand, Request, Trace, name_of
from pagespec.types import MAX_TOP, NO_MEMORY, Order, Pfn
from pagespec.verbs import Op, Outcome, Verb


class Recorder:
    """Names for the blocks of one run, as its requests go by.

    A frame of a block that some allocation returned is written by the block's name and an offset;
    where several allocations covered it, the latest one counts. Other frames go by number. Traces
    count from zero: what lies below every zone is written as what lies above every zone.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.named = 0
        self.latest: dict[tuple[Pfn, Order], tuple[int, str]] = {}

    def request_of(self, op: Op, outcome: Outcome) -> Request:
        """The request by name, with the answer that it got."""
        answer = outcome if _can_be_written(outcome) else None
        # Both are refused alike, and the twin's kernels get the same word for both.
        op = op._replace(
            order=op.order if op.order >= 0 else MAX_TOP + 1, pfn=op.pfn if op.pfn >= 0 else MAX_PFN
        )
        if op.verb is Verb.ALLOC:
            name = name_of(self.named)
            if outcome >= 0:
                self.latest[outcome, op.order] = self.named, name
            self.named += 1
            return Request(op.verb, op.order, name, compound=op.compound, answer=answer)
        operand, order = self._operand(op.pfn)
        if op.verb is not Verb.FREE:
            return Request(op.verb, None, None, operand, answer=answer)
        plain = operand.name is not None and order == op.order
        return Request(op.verb, None if plain else op.order, None, operand, answer=answer)

    def _operand(self, pfn: Pfn) -> tuple[Operand, Order | None]:
        """The frame by the latest block that covered it, and that block's order."""
        base = self.machine.base
        found = [
            (self.latest[head, order], head, order)
            for order in range(self.machine.top + 1)
            for head in [base + head_of(pfn - base, order)]
            if (head, order) in self.latest
        ]
        if not found:
            return Operand(None, pfn), None
        (_, name), head, order = max(found)
        return Operand(name, pfn - head), order


def _can_be_written(outcome: Outcome) -> bool:
    """Whether a trace has words for the outcome; a faulty allocator may answer anything."""
    return 0 <= outcome < MAX_PFN or outcome == NO_MEMORY or outcome in REFUSALS


def complaint_of(broken: LawBroken) -> str:
    """What broke and what caused it, in one line."""
    cause = f" ({broken.__cause__!r})" if broken.__cause__ is not None else ""
    return " ".join(f"{broken}{cause}".split())


def trace_of(machine: Machine, done: Iterable[tuple[Op, Outcome]], broken: LawBroken) -> Trace:
    """A run that broke a law, by name, with the complaint as its comment."""
    recorder = Recorder(machine)
    requests = tuple(recorder.request_of(op, outcome) for op, outcome in done)
    return Trace(machine, requests, broken.law_id, (complaint_of(broken),))
