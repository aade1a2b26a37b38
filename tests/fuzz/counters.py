"""Counters with faults, and walks for tests."""

from random import Random

from pagefuzz.counters.draw import random_counters
from pagefuzz.counters.lockstep import CounterLockstep
from pagefuzz.counters.record import counter_trace_of
from pagefuzz.counters.target import CounterFactory, SpecCounters
from pagefuzz.counters.walk import WALK_REQUESTS, walk
from pagespec.era import ERAS
from pagespec.laws.law import LawBroken
from pagespec.types import CpuBusy
from pagespec.verbs import Outcome
from pagespec.vmstat.machine import NUMA_ITEMS
from pagespec.vmstat.trace import CounterTrace
from pagespec.vmstat.verbs import CounterOp, CounterVerb

NAMES = [name for name, era in ERAS.items() if era.bounds == "zone"]


def walked(
    seed: str, factory: CounterFactory = SpecCounters, era: str | None = None
) -> CounterLockstep:
    """One walk on a random machine. Raises LawBroken."""
    rng = Random(seed)
    machine = random_counters(rng, ERAS[era or rng.choice(NAMES)])
    lockstep = CounterLockstep(machine, factory)
    walk(lockstep, rng, WALK_REQUESTS)
    return lockstep


def failure(factory: CounterFactory, era: str) -> CounterTrace:
    """The trace of the first walk that breaks a law."""
    for number in range(200):
        rng = Random(f"{era} {number}")
        machine = random_counters(rng, ERAS[era])
        lockstep = CounterLockstep(machine, factory)
        try:
            walk(lockstep, rng, WALK_REQUESTS)
        except LawBroken as broken:
            return counter_trace_of(machine, lockstep.done, broken)
    raise AssertionError("no law broke in 200 walks")


class LosesOnUnplug(SpecCounters):
    """What a CPU kept when it goes is lost."""

    def perform(self, op: CounterOp) -> Outcome:
        """See `CounterTarget`."""
        counters = self.counters
        places = counters.places
        before = counters.told.copy()
        totals = counters.totals.copy()
        outcome = super().perform(op)
        if op.verb is CounterVerb.UNPLUG and outcome == 0:
            for number, place in enumerate(places):
                if place.item not in NUMA_ITEMS:
                    counters.told[number] = before[number]
                    counters.totals[place.item] = totals[place.item]
        return outcome


class TellsTwice(SpecCounters):
    """A refresh tells the machine's total of free frames one too many."""

    def perform(self, op: CounterOp) -> Outcome:
        """See `CounterTarget`."""
        outcome = super().perform(op)
        if op.verb is CounterVerb.REFRESH and outcome > 0:
            self.counters.totals[op.item] += 1
        return outcome


class NeverBusy(SpecCounters):
    """A CPU that holds an update up refuses with another reason."""

    def perform(self, op: CounterOp) -> Outcome:
        """See `CounterTarget`."""
        outcome = super().perform(op)
        return outcome + 1 if outcome == CpuBusy.refusal else outcome


class ReadsCheaply(SpecCounters):
    """Nobody looks at what CPUs keep, below a drift mark or not."""

    def perform(self, op: CounterOp) -> Outcome:
        """See `CounterTarget`."""
        if op.verb is CounterVerb.CHECK:
            marks = self.counters.drift_marks
            self.counters.drift_marks = [0] * len(marks)
            outcome = super().perform(op)
            self.counters.drift_marks = marks
            return outcome
        return super().perform(op)


class Raises(SpecCounters):
    """Whoever unplugs a CPU falls over."""

    def perform(self, op: CounterOp) -> Outcome:
        """See `CounterTarget`."""
        if op.verb is CounterVerb.UNPLUG:
            raise RuntimeError("no such thread")
        return super().perform(op)
