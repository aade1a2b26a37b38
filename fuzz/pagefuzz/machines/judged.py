"""What all state machines of Hypothesis have in common: an allocator judged after each request."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar, Protocol

from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

from pagefuzz.campaign.plan import Result, enter
from pagefuzz.coverage import Reached, verbs_served
from pagefuzz.lockstep import Lockstep
from pagefuzz.machines.failure import failure_of
from pagefuzz.plainer import plainer
from pagefuzz.target.protocol import Factory
from pagespec.compaction.verbs import CompactionOp
from pagespec.laws.law import LawBroken, Level
from pagespec.machine import Machine
from pagespec.slab.verbs import SlabOp
from pagespec.trace import Trace
from pagespec.types import DomainError, Pfn
from pagespec.verbs import Op, Outcome
from pagespec.vmstat.verbs import CounterOp

WHICH = st.integers(0, 1 << 16)
"""Chooses among the held blocks, whatever their number, and with its upper bits who asks."""

WHICH_BITS = 11
"""The bits of WHICH below those that say who asks."""


class Run(Protocol):
    """A lockstep as an example ends it: of one zone, a host, counters, slabs or compaction."""

    @property
    def done(self) -> Sequence[tuple[Op | CounterOp | SlabOp | CompactionOp, Outcome]]:
        """Every request so far and its outcome."""

    @property
    def reached(self) -> Reached:
        """How often each event has happened."""

    def finish(self) -> None:
        """Give everything back. Raises LawBroken."""


class Tally:
    """What all examples of one Hypothesis run came to: operations, and how often each event."""

    def __init__(self) -> None:
        self.operations = 0
        self.reached: Reached = Counter()

    def close(self, run: Run, *, broke: bool) -> None:
        """Give everything back, unless a law is broken already, and enter what was done."""
        try:
            if not broke:
                run.finish()
        finally:
            self.operations += len(run.done)
            self.reached += run.reached + verbs_served(run.done)


@contextmanager
def entered(result: Result, tally: Tally) -> Iterator[None]:
    """Enter what the examples within come to, and end them with the first that breaks a law.

    Its trace has been handed on by then.
    """
    try:
        yield
    except LawBroken:
        return
    finally:
        enter(result, tally.operations, tally.reached)


@contextmanager
def telling(failed: Callable[[LawBroken], None]) -> Iterator[None]:
    """Tell of a law that breaks within, before the example ends with it."""
    try:
        yield
    except LawBroken as broken:
        failed(broken)
        raise


class Ledger(Tally):
    """What the examples of one Hypothesis run have in common.

    found: takes the trace of each example that breaks a law, as soon as it is there; the last one,
    after shrinking, is the smallest. declined: machines that the allocator takes in no form.
    """

    def __init__(self, factory: Factory, level: Level, found: Callable[[Trace], None]) -> None:
        super().__init__()
        self.factory, self.level, self.found = factory, level, found
        self.declined = 0


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
                with telling(self._failed):
                    self.lockstep = Lockstep(form, self.ledger.factory, self.ledger.level)
            except DomainError:
                continue
            return
        self.ledger.declined += 1
        # Hypothesis draws another.
        assume(False)

    def step(self, op: Op) -> None:
        """Put a request, if the allocator takes such requests at all."""
        assert self.lockstep is not None
        if op.verb in self.lockstep.target.verbs:
            with telling(self._failed):
                self.lockstep.step(op)

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
        if self.lockstep is not None:
            with telling(self._failed):
                self.ledger.close(self.lockstep, broke=self.broke)
