"""From requests in frames to requests by name, so that a run can be written as a trace."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pagespec.frames import head_of
from pagespec.laws.holdings import NO_SLOTS, REFUSALS
from pagespec.laws.law import LawBroken
from pagespec.machine import MAX_CPUS, MAX_PFN, Machine
from pagespec.request_reader import SHAPES
from pagespec.trace import NAMING, Operand, Request, Trace, name_of
from pagespec.types import MAX_TOP, NO_MEMORY, Block, Order, Pfn
from pagespec.verbs import Op, Outcome, Verb

NUMBERED = frozenset({Verb.POISON, Verb.HEAL})
"""Verbs about one frame that nobody holds: a number says which without any block before it."""


NOTHING_FILLED: Mapping[int, Mapping[Pfn, int]] = {}
"""The arrays of a run that asked for nothing in bulk."""


class Covered(NamedTuple):
    """What covered a frame: the number and name of the allocation, and its block's first frame."""

    number: int
    name: str
    head: Pfn


class Recorder:
    """Names for the blocks of one run, as its requests go by.

    A frame of a block that some allocation returned is written by the block's name and an offset;
    where several allocations covered it, the latest one counts. What a bulk request gave goes by
    its slot of the array, as long as no later allocation covered it. Other frames go by number.
    Traces count from zero: what lies below every zone is written as what lies above every zone, and
    so is a range of no frames.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.named = 0
        self.latest: dict[Block, Covered] = {}
        self.slots: Mapping[Pfn, int] = {}
        self.named_before = 0

    def request_of(self, op: Op, outcome: Outcome, slots: Mapping[Pfn, int] = NO_SLOTS) -> Request:
        """The request by name, with the answer that it got.

        slots: the array after a bulk request.
        """
        op = _sayable(op)
        request = Request(
            op.verb,
            order=op.order if "order" in words_of(op.verb) else None,
            compound=op.compound,
            answer=outcome if _can_be_written(outcome) else None,
            mt=op.mt,
            atomic=op.atomic,
            nofragment=op.nofragment,
            pages=op.pages,
            force=op.force,
            emergency=op.emergency,
            cpu=op.cpu,
            irq=op.irq,
            contended=op.contended,
            cold=op.cold,
        )
        if op.verb is Verb.BULK and outcome >= 0:
            self.slots, self.named_before = dict(slots), self.named
        shape = SHAPES[op.verb]
        if op.verb in NAMING:
            request = request._replace(name=self._name(op, outcome))
        if not shape.named or op.verb in NUMBERED:
            operand = Operand(None, op.pfn) if "pfn" in shape.needs else None
            return request._replace(operand=operand)
        order = op.order if request.order is not None else None
        slot = self.slots.get(op.pfn)
        latest = self._latest(op.pfn)
        if slot is not None and (latest is None or latest[0].number < self.named_before):
            return request._replace(slot=slot, order=order or None)
        if latest is None:
            return request._replace(operand=Operand(None, op.pfn))
        covered, given = latest
        operand = Operand(covered.name, op.pfn - covered.head)
        return request._replace(operand=operand, order=None if order == given else order)

    def _name(self, op: Op, outcome: Outcome) -> str:
        """The next name, for the frames that were given out if any were."""
        covered = Covered(self.named, name_of(self.named), outcome)
        self.named += 1
        if outcome >= 0 and op.verb is Verb.ALLOC:
            self.latest[Block(outcome, op.order)] = covered
        elif outcome >= 0:
            pages = min(op.pages, self.machine.pages)
            self.latest.update((Block(outcome + at, 0), covered) for at in range(pages))
        return covered.name

    def _latest(self, pfn: Pfn) -> tuple[Covered, Order] | None:
        """The latest block with a name that covered the frame, and its order."""
        base = self.machine.base
        blocks = (
            Block(base + head_of(pfn - base, order), order) for order in range(self.machine.top + 1)
        )
        found = [(self.latest[block], block.order) for block in blocks if block in self.latest]
        return max(found, default=None)


def words_of(verb: Verb) -> frozenset[str]:
    """What a request of that verb says."""
    return SHAPES[verb].needs | SHAPES[verb].may_have


def _sayable(op: Op) -> Op:
    """The request in what a trace can say of it; what it is refused for stays the same."""
    words = words_of(op.verb)
    plain = Op(op.verb)
    unsaid = {word: getattr(plain, word) for word in op._fields[1:] if word not in words}
    op = op._replace(**unsaid)
    return op._replace(
        order=op.order if op.order >= 0 else MAX_TOP + 1,
        cpu=op.cpu if op.cpu >= 0 else MAX_CPUS,
        pfn=op.pfn if op.pfn >= 0 else MAX_PFN,
        pages=op.pages if op.pages > 0 or "pages" not in words else MAX_PFN,
    )


def _can_be_written(outcome: Outcome) -> bool:
    """Whether a trace has words for the outcome; a faulty allocator may answer anything."""
    return 0 <= outcome < MAX_PFN or outcome == NO_MEMORY or outcome in REFUSALS


def complaint_of(broken: LawBroken) -> str:
    """What broke and what caused it, in one line."""
    cause = f" ({broken.__cause__!r})" if broken.__cause__ is not None else ""
    return " ".join(f"{broken}{cause}".split())


def trace_of(
    machine: Machine,
    done: Iterable[tuple[Op, Outcome]],
    broken: LawBroken,
    filled: Mapping[int, Mapping[Pfn, int]] = NOTHING_FILLED,
) -> Trace:
    """A run that broke a law, by name, with the complaint as its comment.

    filled: the array after each bulk request that was served, by its place in done. What is not
    there goes by number.
    """
    recorder = Recorder(machine)
    requests = tuple(
        recorder.request_of(op, outcome, filled.get(at, NO_SLOTS))
        for at, (op, outcome) in enumerate(done)
    )
    return Trace(machine, requests, broken.law_id, (complaint_of(broken),))
