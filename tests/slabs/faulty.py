"""Allocators of objects with faults, and walks for tests."""

from random import Random

from pagefuzz.slabs.draw import random_slabs
from pagefuzz.slabs.lockstep import SlabLockstep, failure_of
from pagefuzz.slabs.target import SlabFactory, SpecSlabs
from pagefuzz.slabs.walk import WALK_REQUESTS, walk
from pagespec.era import ERAS, SlabDesign
from pagespec.laws.law import LawBroken
from pagespec.slab.machine import Scheme
from pagespec.slab.trace import SlabTrace
from pagespec.slab.verbs import SlabOp, SlabVerb
from pagespec.types import NotObject
from pagespec.verbs import Outcome


def walked(
    seed: str,
    factory: SlabFactory = SpecSlabs,
    era: str = "5.15",
    design: SlabDesign | None = None,
    scheme: Scheme | None = None,
) -> SlabLockstep:
    """One walk on a random machine. Raises LawBroken."""
    rng = Random(seed)
    lockstep = SlabLockstep(random_slabs(rng, ERAS[era], design, scheme), factory)
    walk(lockstep, rng, WALK_REQUESTS)
    return lockstep


def failure(
    factory: SlabFactory, design: SlabDesign | None = None, scheme: Scheme | None = None
) -> SlabTrace:
    """The trace of the first walk that breaks a law."""
    for number in range(100):
        rng = Random(f"failure {number}")
        machine = random_slabs(rng, ERAS["5.15"], design, scheme)
        lockstep = SlabLockstep(machine, factory)
        try:
            walk(lockstep, rng, WALK_REQUESTS)
        except LawBroken as broken:
            return failure_of(machine, lockstep, broken)
    raise AssertionError("no law broke in 100 walks")


class LeaksInBulk(SpecSlabs):
    """A bulk request gives one object less back than it is asked to."""

    def perform(self, op: SlabOp) -> Outcome:
        """See `SlabTarget`."""
        if op.verb is SlabVerb.FREE_BULK and len(set(op.addresses)) > 1:
            held = [address in self.slabs.held for address in op.addresses]
            if all(held):
                op = op._replace(addresses=op.addresses[1:])
        return super().perform(op)


class ChargesNobody(SpecSlabs):
    """Objects are given to groups that pay nothing."""

    def perform(self, op: SlabOp) -> Outcome:
        """See `SlabTarget`."""
        asked = op.verb in (SlabVerb.ALLOC, SlabVerb.ALLOC_BULK)
        if asked and op.group in self.slabs.groups and self.slabs.groups[op.group].online:
            op = op._replace(group=0)
        return super().perform(op)


class FreesAnything(SpecSlabs):
    """Whoever gives back what is no object is told that all is well."""

    def perform(self, op: SlabOp) -> Outcome:
        """See `SlabTarget`."""
        outcome = super().perform(op)
        return 0 if outcome == NotObject.refusal else outcome


class Raises(SpecSlabs):
    """Whoever asks a CPU to give up what it keeps falls over."""

    def perform(self, op: SlabOp) -> Outcome:
        """See `SlabTarget`."""
        if op.verb is SlabVerb.FLUSH:
            raise RuntimeError("no such thread")
        return super().perform(op)
