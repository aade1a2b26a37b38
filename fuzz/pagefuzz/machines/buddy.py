"""The buddy in lockstep as a Hypothesis state machine.

Single requests give Hypothesis something to shrink; a burst puts many in one step, since faults
that need a crowded zone are out of reach of fifty requests. Both are judged after every request.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from hypothesis import HealthCheck, Phase, assume, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from pagefuzz.coverage import Reached, verbs_served
from pagefuzz.lockstep import Lockstep
from pagefuzz.machines.failure import failure_of
from pagefuzz.machines.pageblocks import heads_of_ranges
from pagefuzz.machines.repeatable import without_constants
from pagefuzz.machines.strategies import machines
from pagefuzz.target.protocol import Factory
from pagespec.era import Era
from pagespec.frames import SIZES
from pagespec.laws.law import LawBroken, Level
from pagespec.machine import Machine
from pagespec.migratetype import CMA, MOVABLE, REQUESTED, MigrateType
from pagespec.trace import Trace
from pagespec.types import DomainError, Pfn
from pagespec.verbs import Op, Verb

WHICH = st.integers(0, 1 << 16)
"""Chooses among the held blocks, whatever their number."""

RANGE_VERBS = (Verb.ISOLATE, Verb.RESTORE, Verb.OFFLINE, Verb.ONLINE)


class Ledger:
    """What the examples of one Hypothesis run have in common.

    operations, reached: over all examples. found: takes the trace of each example that breaks a
    law, as soon as it is there; the last one, after shrinking, is the smallest.
    """

    def __init__(self, factory: Factory, level: Level, found: Callable[[Trace], None]) -> None:
        self.factory, self.level, self.found = factory, level, found
        self.operations = 0
        self.reached: Reached = Counter()


def buddy_machine(
    ledger: Ledger, eras: Sequence[Era], pages: st.SearchStrategy[int]
) -> type[RuleBasedStateMachine]:
    """The state machine class whose examples report to the ledger."""

    class BuddyMachine(RuleBasedStateMachine):
        lockstep: Lockstep | None = None
        heads: Sequence[Pfn] = ()
        freed: Op | None = None
        broke = False

        @initialize(machine=machines(eras, pages))
        def boot(self, machine: Machine) -> None:
            self.machine = machine
            self.heads = heads_of_ranges(machine)
            self.range_pages = SIZES[machine.isolation_order]
            try:
                self.lockstep = Lockstep(machine, ledger.factory, ledger.level)
            except DomainError:
                # An allocator need not take every machine; Hypothesis draws another.
                assume(False)
            except LawBroken as broken:
                self._failed(broken)
                raise

        def _step(self, op: Op) -> None:
            assert self.lockstep is not None
            if op.verb in self.lockstep.target.verbs:
                try:
                    self.lockstep.step(op)
                except LawBroken as broken:
                    self._failed(broken)
                    raise

        def _failed(self, broken: LawBroken) -> None:
            self.broke = True
            ledger.found(failure_of(self.machine, self.lockstep, broken))

        def _held(self, which: int) -> Pfn:
            assert self.lockstep is not None
            held = list(self.lockstep.book.held)
            return held[which % len(held)]

        def something_is_held(self) -> bool:
            return self.lockstep is not None and bool(self.lockstep.book.held)

        @rule(order=st.integers(0, 13), how=st.integers(0, 31))
        def alloc(self, order: int, how: int) -> None:
            """One draw says all but the order: a bit compound, a bit atomic, a bit nofragment."""
            mt = (*REQUESTED, CMA)[how // 8]
            self._alloc(Op(Verb.ALLOC, order, 0, how & 1 > 0, mt, how & 2 > 0, how & 4 > 0))

        def _alloc(self, op: Op) -> None:
            """Ask for a type only where types are known."""
            assert self.lockstep is not None
            typed = Verb.ISOLATE in self.lockstep.target.verbs
            self._step(op if typed else Op(Verb.ALLOC, op.order, compound=op.compound))

        @precondition(something_is_held)
        @rule(which=WHICH)
        def free(self, which: int) -> None:
            self._free(which)

        def _free(self, which: int) -> None:
            assert self.lockstep is not None
            pfn = self._held(which)
            self.freed = Op(Verb.FREE, self.lockstep.book.held[pfn].order, pfn)
            self._step(self.freed)

        def something_was_freed(self) -> bool:
            return self.freed is not None

        @precondition(something_was_freed)
        @rule()
        def free_again(self) -> None:
            assert self.freed is not None
            self._step(self.freed)

        @precondition(something_is_held)
        @rule(which=WHICH, verb=st.sampled_from((Verb.GET, Verb.PUT)))
        def reference(self, which: int, verb: Verb) -> None:
            self._step(Op(verb, 0, self._held(which)))

        @rule(
            verb=st.sampled_from((Verb.FREE, Verb.PUT, Verb.GET)),
            offset=st.integers(-2, 90),
            order=st.integers(0, 13),
        )
        def ask_for_trouble(self, verb: Verb, offset: int, order: int) -> None:
            pfn = max(0, self.machine.start + offset)
            self._step(Op(verb, order if verb is Verb.FREE else 0, pfn))

        @precondition(something_is_held)
        @rule(which=WHICH)
        def split(self, which: int) -> None:
            assert self.lockstep is not None
            pfn = self._held(which)
            self._step(Op(Verb.SPLIT, self.lockstep.book.held[pfn].order, pfn))

        def has_ranges(self) -> bool:
            return bool(self.heads)

        @precondition(has_ranges)
        @rule(
            verb=st.sampled_from(RANGE_VERBS),
            which=WHICH,
            ranges=st.integers(1, 3),
            mt=st.sampled_from((MOVABLE, MOVABLE, CMA)),
        )
        def change_range(self, verb: Verb, which: int, ranges: int, mt: MigrateType) -> None:
            """Of a range that is in the right state for the verb, if any is, and of its next."""
            pfn = self._head(verb, which)
            self._step(Op(verb, pfn=pfn, pages=ranges * self.range_pages, mt=mt))

        def _head(self, verb: Verb, which: int) -> Pfn:
            assert self.lockstep is not None
            out = self.lockstep.out_of_use
            state = {Verb.ISOLATE: set(self.heads) - out.isolated - out.offline}
            state |= {Verb.RESTORE: out.isolated, Verb.OFFLINE: out.isolated}
            right = [head for head in self.heads if head in state.get(verb, out.offline)]
            heads = right or self.heads
            return heads[which % len(heads)]

        @precondition(has_ranges)
        @rule(which=WHICH, skipped=st.integers(0, 3), pages=st.integers(1, 24))
        def gather(self, which: int, skipped: int, pages: int) -> None:
            pfn = self.heads[which % len(self.heads)] + skipped
            self._step(Op(Verb.CONTIG, pfn=pfn, pages=pages, mt=CMA if which & 1 else MOVABLE))

        @rule(mt=st.sampled_from(REQUESTED), force=st.booleans())
        def unreserve(self, mt: MigrateType, force: bool) -> None:
            self._step(Op(Verb.UNRESERVE, mt=mt, force=force))

        @rule(offset=st.integers(0, 90))
        def poison(self, offset: int) -> None:
            self._step(Op(Verb.POISON, pfn=self.machine.start + offset))

        @rule(which=WHICH)
        def heal(self, which: int) -> None:
            """Heal what is poisoned, or a stranger."""
            assert self.lockstep is not None
            poisoned = sorted(self.lockstep.out_of_use.poisoned) or [self.machine.start]
            self._step(Op(Verb.HEAL, pfn=poisoned[which % len(poisoned)]))

        @rule(bursts=st.binary(min_size=4, max_size=40))
        def burst(self, bursts: bytes) -> None:
            """A byte is a request: below 128 an allocation of a small order, above it a free.

            Of the lower ones three bits choose the order, and the rest the type and the urgency.
            """
            for byte in bursts:
                if byte < 128 or not self.something_is_held():
                    order, how = (0, 0, 0, 0, 1, 1, 2, 3)[byte % 8], byte // 8 % 16
                    self._alloc(Op(Verb.ALLOC, order, mt=REQUESTED[how % 3], atomic=how > 11))
                else:
                    self._free(byte)

        def teardown(self) -> None:
            if self.lockstep is None:
                return
            try:
                if not self.broke:
                    self.lockstep.finish()
            except LawBroken as broken:
                self._failed(broken)
                raise
            finally:
                ledger.operations += len(self.lockstep.done)
                ledger.reached += self.lockstep.reached + verbs_served(self.lockstep.done)

    return BuddyMachine


def run_machine(
    ledger: Ledger,
    eras: Sequence[Era],
    draw_seed: int,
    *,
    examples: int,
    steps: int = 50,
    pages: int | None = None,
    shrink: bool = True,
) -> None:
    """Run so many examples, and shrink the first failure. Raises LawBroken.

    pages: the length of every zone; any small one without it.
    Deadlines are off: the first call of a compiled kernel takes seconds. No database: what is
    found is a trace on disk, and the same seed must draw the same examples.
    """
    phases = (Phase.generate, Phase.shrink) if shrink else (Phase.generate,)
    machine = seed(draw_seed)(
        buddy_machine(ledger, eras, st.integers(1, 80) if pages is None else st.just(pages))
    )
    with without_constants():
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=examples,
                stateful_step_count=steps,
                deadline=None,
                database=None,
                phases=phases,
                suppress_health_check=list(HealthCheck),
                print_blob=False,
                report_multiple_bugs=False,
            ),
        )
