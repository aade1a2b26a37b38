"""The trace of compaction: a zone with pageblocks, whose free scanner may hold the lock otherwise.

    pagefuzz-trace 1
    compaction pages=64 top=3 era=2.6.39 pageblock=2 cpus=1 scan=rechecks
    a = alloc order=0 -> pfn 5
    b = alloc order=1 mt=U -> pfn 8
    pin a
    stray b number=7
    compact order=3 -> complete
    c = direct order=3 mode=async killed=1 -> none
    d = claim pfn=16 pages=5 -> pfn 16
    free a cpu=0 irq=1
    expect CMP-free

Requests are for movable blocks unless they say otherwise, and movable ones are on the LRU unless
they say lru=0. A name stands for the block that a request returned, wherever it is by now: it goes
along when the block is moved. `name+1` is the frame after its first one; of a range that was
claimed each frame is a block of its own, and goes its own way. What follows `->` is what the spec
answered when the trace was written.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.state import Move
from pagespec.compaction.verbs import ANSWERS as RESULTS
from pagespec.compaction.verbs import FRAMES, CompactionOp, CompactionVerb, Result
from pagespec.migratetype import LETTER_OF, MigrateType
from pagespec.trace import FORMAT, Operand, machine_line
from pagespec.types import NO_MEMORY, Order, Pfn, Refusal
from pagespec.verbs import Outcome


class CompactionRequest(NamedTuple):
    """One request of a trace.

    op: the request; its frame and, of a FREE, its order mean nothing where the next ones say so.
    name: what the block that it returns will be called. operand: the frame that it is about, if by
    a block's name. sized: whether a FREE of a named block says its order, in place of the one that
    it was allocated with. answer: what the spec answered, if the trace says.
    """

    op: CompactionOp
    name: str | None = None
    operand: Operand | None = None
    sized: bool = False
    answer: Outcome | None = None


@dataclass(frozen=True, slots=True)
class CompactionTrace:
    """A zone that is compacted, the requests put to it, and the law that they break, if any."""

    machine: CompactionMachine
    requests: tuple[CompactionRequest, ...]
    expect: str | None = None
    comments: tuple[str, ...] = ()


class Shape(NamedTuple):
    """The words that a verb takes. named: whether a block's name may stand for pfn and order."""

    example: str
    needs: frozenset[str] = frozenset()
    may_have: frozenset[str] = frozenset()
    named: bool = False


_CPU = frozenset({"cpu"})
_FRAME = frozenset({"pfn"})
_RUN = _CPU | {"mode", "killed", "whole"}

COMPACTION_SHAPES: dict[CompactionVerb, Shape] = {
    CompactionVerb.ALLOC: Shape("a = alloc order=1", frozenset({"order"}), _CPU | {"mt", "lru"}),
    CompactionVerb.FREE: Shape("free a", _FRAME | {"order"}, _CPU | {"irq"}, named=True),
    CompactionVerb.PIN: Shape("pin a", _FRAME, _CPU, named=True),
    CompactionVerb.UNPIN: Shape("unpin a", _FRAME, _CPU, named=True),
    CompactionVerb.STRAY: Shape("stray a number=7", _FRAME | {"number"}, _CPU, named=True),
    CompactionVerb.COMPACT: Shape("compact order=3", frozenset({"order"}), _RUN | {"mt"}),
    CompactionVerb.DIRECT: Shape("a = direct order=3", frozenset({"order"}), _RUN | {"mt", "lru"}),
    CompactionVerb.BACKGROUND: Shape("background order=3", frozenset({"order"}), _CPU),
    CompactionVerb.CLAIM: Shape("a = claim pfn=16 pages=4", _FRAME | {"pages"}, _CPU),
    CompactionVerb.DRAIN_ALL: Shape("drainall", may_have=_CPU),
    CompactionVerb.REST: Shape("rest", may_have=_CPU),
}
"""How each request is written. A compaction of the whole zone needs no order: `compact whole=1`."""

FIELDS = {
    "pfn": "pfn",
    "order": "order",
    "number": "order",
    **{word: word for word in ("pages", "cpu", "mt", "lru", "mode", "killed", "whole", "irq")},
}
"""In the order of writing, each word with the field of a request that it says."""


class CompactionNames:
    """The blocks behind a trace's names, for one zone: they go along when blocks are moved."""

    def __init__(self) -> None:
        self.heads: dict[str, dict[int, Pfn]] = {}
        self.orders: dict[str, Order] = {}
        self.named_at: dict[Pfn, Operand] = {}

    def op_of(self, request: CompactionRequest) -> CompactionOp | None:
        """The request in the zone's frames, or None if its block was never allocated."""
        op, operand = request.op, request.operand
        if operand is None:
            return op
        heads = self.heads.get(operand.name or "")
        if heads is None or operand.name is None:
            return None
        if op.verb is CompactionVerb.FREE and not request.sized:
            op = op._replace(order=self.orders[operand.name])
        return op._replace(pfn=heads.get(operand.offset, heads[0] + operand.offset))

    def learn(
        self, name: str | None, op: CompactionOp, outcome: Outcome, moves: Iterable[Move]
    ) -> None:
        """Follow the blocks that a request has moved, and remember the one that it returned."""
        for move in moves:
            operand = self.named_at.pop(move.source, None)
            self.named_at.pop(move.target, None)
            if operand is not None and operand.name is not None:
                self.named_at[move.target] = operand
                self.heads[operand.name][operand.offset] = move.target
        if op.verb not in FRAMES or outcome < 0:
            return
        claimed = op.verb is CompactionVerb.CLAIM
        frames = range(outcome, outcome + (op.pages if claimed else 1))
        for offset, pfn in enumerate(frames):
            self.named_at.pop(pfn, None)
            if name is not None:
                self.named_at[pfn] = Operand(name, offset)
        if name is not None:
            self.heads[name] = dict(enumerate(frames))
            self.orders[name] = 0 if claimed else op.order


# --- writing -----------------------------------------------------------------------------------


def compaction_text_of(trace: CompactionTrace) -> str:
    """The trace as text; parsing it gives the trace back."""
    lines = [FORMAT, *(f"# {comment}" for comment in trace.comments)]
    lines.append(compaction_line(trace.machine))
    lines += [compaction_line_of(request) for request in trace.requests]
    if trace.expect is not None:
        lines.append(f"expect {trace.expect}")
    return "\n".join(lines) + "\n"


def compaction_line(machine: CompactionMachine) -> str:
    """What is compacted as a line of a trace."""
    line = "compaction" + machine_line(machine.zone).removeprefix("machine")
    return line if machine.scan is None else f"{line} scan={machine.scan}"


def compaction_line_of(request: CompactionRequest) -> str:
    """One request as a line of a trace."""
    op, operand = request.op, request.operand
    shape, plain = COMPACTION_SHAPES[op.verb], CompactionOp(op.verb)
    words = [f"{request.name} ="] if request.name is not None else []
    words.append(op.verb.value)
    needs = shape.needs
    if operand is not None:
        needs = needs - {"pfn"} if request.sized else needs - {"pfn", "order"}
        words.append(operand.name or "")
        words[-1] += f"+{operand.offset}" if operand.offset else ""
    if op.verb is CompactionVerb.COMPACT and op.whole and not op.order:
        needs = needs - {"order"}
    for word, field in FIELDS.items():
        value: int | str = getattr(op, field)
        if word in needs or (word in shape.may_have and value != getattr(plain, field)):
            words.append(f"{word}={_said(value)}")
    if request.answer is not None:
        words.append(f"-> {compaction_answer_text(op.verb, request.answer)}")
    return " ".join(words)


def _said(value: int | str) -> str:
    if isinstance(value, MigrateType):
        return LETTER_OF[value]
    return value if isinstance(value, str) else str(int(value))


def compaction_answer_text(verb: CompactionVerb, outcome: Outcome) -> str:
    """An outcome in words, as it follows `->`."""
    if outcome <= max(Refusal):
        return f"refused {Refusal(outcome).name}"
    if verb in FRAMES:
        return "none" if outcome == NO_MEMORY else f"pfn {outcome}"
    return Result(outcome).name.lower() if verb in RESULTS else "done"
