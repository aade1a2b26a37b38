"""Zones with faults in how they are compacted, and walks for tests."""

from random import Random

from pagefuzz.compaction.draw import random_compaction
from pagefuzz.compaction.lockstep import CompactionLockstep
from pagefuzz.compaction.record import failure_of
from pagefuzz.compaction.target import CompactionFactory, SpecCompaction
from pagefuzz.compaction.walk import WALK_REQUESTS, walk
from pagespec.compaction.state import Compaction
from pagespec.compaction.trace import CompactionTrace
from pagespec.compaction.verbs import CompactionOp, CompactionVerb
from pagespec.era import ERAS
from pagespec.frames import SIZES
from pagespec.laws.law import LawBroken
from pagespec.migratetype import MOVABLE
from pagespec.verbs import Outcome
from pagespec.zone import account, list_del, list_of


def walked(
    seed: str, factory: CompactionFactory = SpecCompaction, era: str = "5.15"
) -> CompactionLockstep:
    """One walk on a random machine. Raises LawBroken."""
    rng = Random(seed)
    lockstep = CompactionLockstep(random_compaction(rng, ERAS[era]), factory)
    walk(lockstep, rng, WALK_REQUESTS)
    return lockstep


def failure(factory: CompactionFactory, era: str) -> CompactionTrace:
    """The trace of the first walk that breaks a law."""
    for number in range(200):
        rng = Random(f"failure {number}")
        machine = random_compaction(rng, ERAS[era])
        lockstep = CompactionLockstep(machine, factory)
        try:
            walk(lockstep, rng, WALK_REQUESTS)
        except LawBroken as broken:
            return failure_of(machine, lockstep, broken)
    raise AssertionError("no law broke in 200 walks")


class LosesTargets(SpecCompaction):
    """A run that moved something keeps a free block for itself."""

    def perform(self, op: CompactionOp) -> Outcome:
        """See `CompactionTarget`."""
        outcome = super().perform(op)
        if op.verb is CompactionVerb.COMPACT and self.compaction.moves:
            _lose(self.compaction)
        return outcome


def _lose(compaction: Compaction) -> None:
    zone = compaction.zone
    if zone.tag:
        pfn, order = max(zone.tag.items())
        mt = list_of(zone, pfn, order)
        list_del(zone, pfn, order, mt)
        del zone.tag[pfn]
        account(zone, -SIZES[order], mt)


class MovesPinned(SpecCompaction):
    """Whether somebody has a reference is not asked."""

    def perform(self, op: CompactionOp) -> Outcome:
        """See `CompactionTarget`."""
        held = self.compaction.zone.held
        if op.verb is not CompactionVerb.COMPACT:
            return super().perform(op)
        pinned = {pfn: holding.refs for pfn, holding in held.items() if holding.refs > 1}
        for pfn in pinned:
            held[pfn] = held[pfn]._replace(refs=1)
        outcome = super().perform(op)
        for source, target, _ in self.compaction.moves:
            if source in pinned:
                pinned[target] = pinned.pop(source)
        for pfn, refs in pinned.items():
            held[pfn] = held[pfn]._replace(refs=refs)
        return outcome


class ForgetsToReset(SpecCompaction):
    """When the scanners have met, the next run begins where they did."""

    def perform(self, op: CompactionOp) -> Outcome:
        """See `CompactionTarget`."""
        outcome = super().perform(op)
        if op.verb is CompactionVerb.COMPACT and outcome in (2, 3):
            self.compaction.cached_free = self.compaction.machine.zone.start
        return outcome


class DropsTheLru(SpecCompaction):
    """A moved block is not put back on the LRU."""

    def perform(self, op: CompactionOp) -> Outcome:
        """See `CompactionTarget`."""
        outcome = super().perform(op)
        for move in self.compaction.moves:
            self.compaction.lru.discard(move.target)
        return outcome


class Raises(SpecCompaction):
    """It cannot compact for movable memory."""

    def perform(self, op: CompactionOp) -> Outcome:
        """See `CompactionTarget`."""
        if op.verb is CompactionVerb.COMPACT and op.mt is MOVABLE:
            raise IndexError("no such pageblock")
        return super().perform(op)
