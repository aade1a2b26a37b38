"""What a request must have made of who holds what, and of what is nobody's."""

from collections.abc import Mapping
from typing import NamedTuple

from pagespec.compaction.laws.step import CompactionStep, swept_of
from pagespec.compaction.state import Compaction
from pagespec.compaction.verbs import CompactionVerb
from pagespec.laws.holdings import Release, due_release
from pagespec.laws.masks import frames_of, frames_of_run
from pagespec.migratetype import MOVABLE, UNMOVABLE
from pagespec.types import NO_MEMORY, Block, Pfn
from pagespec.verbs import Verb
from pagespec.zone import Held

DROPS: dict[CompactionVerb, Verb] = {
    CompactionVerb.FREE: Verb.FREE,
    CompactionVerb.PIN: Verb.GET,
    CompactionVerb.UNPIN: Verb.PUT,
}
"""What takes a reference or drops one."""

GIVING = frozenset({CompactionVerb.ALLOC, CompactionVerb.DIRECT})
"""The verbs that give out a block of the order that is asked for."""


class Due(NamedTuple):
    """How things must stand: the frames that are nobody's, the blocks held, and what is said of
    them."""

    open_frames: int
    held: Mapping[Pfn, Held]
    lru: set[Pfn]
    strays: Mapping[Pfn, int]


def open_frames(compaction: Compaction) -> int:
    """The frames that are free, in a guard, or on a CPU's list."""
    seen = swept_of(compaction)
    return seen.free | seen.guards | seen.kept


def after_moves(step: CompactionStep) -> Due:
    """How the moves alone must have left it: what a block is, it is in its new place.

    A move whose source is not held, or that was none, changes nothing here: it breaks a law about
    moves.
    """
    machine = step.before.zone.machine
    frames, held = open_frames(step.before), dict(step.before.zone.held)
    lru, strays = set(step.before.lru), dict(step.before.strays)
    for source, target, order in step.after.moves:
        holding = held.pop(source, None)
        if holding is None:
            continue
        held[target] = holding
        frames &= ~frames_of(machine, Block(target, order))
        frames |= frames_of(machine, Block(source, order))
        if source in lru:
            lru.remove(source)
            lru.add(target)
        if source in strays:
            strays[target] = strays.pop(source)
    return Due(frames, held, lru, strays)


def due_effect(step: CompactionStep) -> Due:
    """How a legal request must have left it all."""
    machine, op, outcome = step.before.zone.machine, step.op, step.outcome
    frames, moved, lru, said = after_moves(step)
    held, strays = dict(moved), dict(said)
    if op.verb in GIVING and outcome != NO_MEMORY:
        frames &= ~frames_of(machine, Block(outcome, op.order))
        mt = UNMOVABLE if machine.pageblock is None else op.mt
        held[outcome] = Held(op.order, 1, compound=op.order > 0, mt=mt)
        if op.lru and op.mt is MOVABLE:
            lru.add(outcome)
    elif op.verb is CompactionVerb.CLAIM and outcome != NO_MEMORY:
        frames &= ~frames_of_run(machine, op.pfn, op.pfn + op.pages)
        held |= dict.fromkeys(range(op.pfn, op.pfn + op.pages), Held(0, 1, compound=False))
    elif op.verb in DROPS:
        freed, kept = release(step)
        frames |= freed
        held.pop(op.pfn)
        if kept is not None:
            held[op.pfn] = kept
        else:
            lru.discard(op.pfn)
            strays.pop(op.pfn, None)
    elif op.verb is CompactionVerb.STRAY:
        strays[op.pfn] = op.order
    return Due(frames, held, lru, strays)


def release(step: CompactionStep) -> Release:
    """What the request about a block must do to it."""
    return due_release(step.before.zone, DROPS[step.op.verb], step.op.pfn)
