"""What all state machines of Hypothesis have in common: an allocator judged after each request."""

from collections import Counter
from collections.abc import Callable
from typing import ClassVar

from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

from pagefuzz.coverage import Reached, verbs_served
from pagefuzz.lockstep import Lockstep
from pagefuzz.machines.failure import failure_of
from pagefuzz.plainer import plainer
from pagefuzz.target.protocol import Factory
from pagespec.laws.law import LawBroken, Level
from pagespec.machine import Machine
from pagespec.trace import Trace
from pagespec.types import DomainError, Pfn
from pagespec.verbs import Op

WHICH = st.integers(0, 1 << 16)
"""Chooses among the held blocks, whatever their number, and with its upper bits who asks."""

WHICH_BITS = 11
"""The bits of WHICH below those that say who asks."""


class Ledger:
    """What the examples of one Hypothesis run have in common.

    operations, reached: over all examples. found: takes the trace of each example that breaks a
    law, as soon as it is there; the last one, after shrinking, is the smallest. declined: machines
    that the allocator takes in no form.
    """

    def __init__(self, factory: Factory, level: Level, found: Callable[[Trace], None]) -> None:
        self.factory, self.level, self.found = factory, level, found
        self.operations = self.declined = 0
        self.reached: Reached = Counter()


class Judged(RuleBasedStateMachine):
    """An allocator in lockstep, to which rules put requests; each example reports to the ledger."""

    ledger: ClassVar[Ledger]
    machine: Machine
    lockstep: Lockstep | None = None
    broke = False

    def begin(self, machine: Machine) -> None:
        """Boot the machine in the first form that the allocator takes; in none it is no example."""
        for form in plainer(machine):
            self.machine = form
            try:
                self.lockstep = Lockstep(form, self.ledger.factory, self.ledger.level)
            except DomainError:
                continue
            except LawBroken as broken:
                self._failed(broken)
                raise
            return
        self.ledger.declined += 1
        # Hypothesis draws another.
        assume(False)

    def step(self, op: Op) -> None:
        """Put a request, if the allocator takes such requests at all."""
        assert self.lockstep is not None
        if op.verb in self.lockstep.target.verbs:
            try:
                self.lockstep.step(op)
            except LawBroken as broken:
                self._failed(broken)
                raise

    def _failed(self, broken: LawBroken) -> None:
        self.broke = True
        self.ledger.found(failure_of(self.machine, self.lockstep, broken))

    def held(self, which: int) -> Pfn:
        """One of the held blocks."""
        assert self.lockstep is not None
        held = list(self.lockstep.book.held)
        return held[which % len(held)]

    def something_is_held(self) -> bool:
        """Whether there is a block to give back."""
        return self.lockstep is not None and bool(self.lockstep.book.held)

    def teardown(self) -> None:
        """Give everything back, unless a law is broken already, and enter what was done."""
        if self.lockstep is None:
            return
        try:
            if not self.broke:
                self.lockstep.finish()
        except LawBroken as broken:
            self._failed(broken)
            raise
        finally:
            self.ledger.operations += len(self.lockstep.done)
            self.ledger.reached += self.lockstep.reached + verbs_served(self.lockstep.done)
