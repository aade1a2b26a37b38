"""Which request of compaction is legal, and why the others are not."""

from pagespec.compaction.design import CompactionDesign
from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.verbs import MAX_STRAY, CompactionOp, CompactionVerb
from pagespec.laws.holdings import due_refusal as due_of_blocks
from pagespec.laws.ranges import runs
from pagespec.migratetype import REQUESTED
from pagespec.types import Refusal
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone

AS_BLOCKS: dict[CompactionVerb, Verb] = {
    CompactionVerb.ALLOC: Verb.ALLOC,
    CompactionVerb.FREE: Verb.FREE,
    CompactionVerb.PIN: Verb.GET,
    CompactionVerb.UNPIN: Verb.PUT,
    CompactionVerb.STRAY: Verb.GET,
}
"""What is about one block is legal where this would be; a STRAY number has bounds besides."""

COMPACTING = frozenset({CompactionVerb.COMPACT, CompactionVerb.DIRECT, CompactionVerb.BACKGROUND})
"""The verbs that move blocks."""


def due_refusal(machine: CompactionMachine, zone: Zone, op: CompactionOp) -> Refusal | None:
    """The refusal that a request deserves, or None if it must be served.

    What the era does not have comes first, then the order, the type and the CPU.
    """
    design = machine.design
    if op.verb in AS_BLOCKS:
        return _of_block(zone, op)
    if op.verb in COMPACTING:
        return _of_run(design, zone, op)
    if op.verb is CompactionVerb.DRAIN_ALL:
        return None
    if not design.remembers:
        return Refusal.UNSUPPORTED
    if op.verb is CompactionVerb.REST:
        return None
    if not runs(zone.machine, zone.unplugged, op.cpu):
        return Refusal.BAD_CPU
    first, end = op.pfn, op.pfn + op.pages
    inside = op.pages >= 1 and zone.machine.start <= first and end <= zone.machine.end
    return None if inside else Refusal.BAD_RANGE


def _of_block(zone: Zone, op: CompactionOp) -> Refusal | None:
    asked = Op(AS_BLOCKS[op.verb], order=op.order, pfn=op.pfn, mt=op.mt, cpu=op.cpu)
    due = due_of_blocks(zone, asked)
    if due is None and op.verb is CompactionVerb.STRAY and not 0 <= op.order <= MAX_STRAY:
        return Refusal.BAD_ORDER
    return due


def _of_run(design: CompactionDesign, zone: Zone, op: CompactionOp) -> Refusal | None:
    top, direct = zone.machine.top, op.verb is CompactionVerb.DIRECT
    if direct and not 0 <= op.order <= top:
        return Refusal.BAD_ORDER
    if not (direct and op.order == 0):
        if op.mode == "async" and not design.waits_apart:
            return Refusal.UNSUPPORTED
        if op.verb is CompactionVerb.BACKGROUND and not design.background:
            return Refusal.UNSUPPORTED
        whole = op.whole and op.verb is CompactionVerb.COMPACT
        if not whole and not 1 <= op.order <= top:
            return Refusal.BAD_ORDER
    if op.mt not in REQUESTED:
        return Refusal.BAD_TYPE
    return None if runs(zone.machine, zone.unplugged, op.cpu) else Refusal.BAD_CPU
