"""The whole allocator of one zone in lockstep as a Hypothesis state machine.

Beside what `lists` asks of any machine: references, pieces, ranges, places of frames, and trouble.
"""

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from pagefuzz.machines.judged import WHICH, Judged, Ledger
from pagefuzz.machines.lists import WANTED_BITS, ListRules
from pagefuzz.machines.pageblocks import heads_of_ranges
from pagefuzz.machines.strategies import machines
from pagespec.era import Era
from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.migratetype import CMA, MOVABLE, REQUESTED, MigrateType
from pagespec.types import Pfn
from pagespec.verbs import Op, Verb

RANGE_VERBS = (Verb.ISOLATE, Verb.RESTORE, Verb.OFFLINE, Verb.ONLINE)


class BuddyRules(ListRules):
    """All that an allocator of one zone may be asked for."""

    heads: Sequence[Pfn] = ()
    range_pages = 0

    def begin(self, machine: Machine) -> None:
        """Boot the machine, of which the ranges that can be isolated are known."""
        super().begin(machine)
        self.heads = heads_of_ranges(self.machine)
        self.range_pages = SIZES[self.machine.isolation_order]

    @rule(order=st.integers(0, 13), how=st.integers(0, 2047))
    def alloc(self, order: int, how: int) -> None:
        """One draw says all but the order: compound, atomic, nofragment, type, who, emergency."""
        mt = (*REQUESTED, CMA)[how // 8 % 4]
        op = Op(Verb.ALLOC, order, 0, how & 1 > 0, mt, how & 2 > 0, how & 4 > 0)
        emergency = how > 1023 and self.machine.min_free is not None
        self._alloc(op._replace(emergency=emergency), how >> WANTED_BITS)

    @precondition(Judged.something_is_held)
    @rule(which=WHICH, verb=st.sampled_from((Verb.GET, Verb.PUT)))
    def reference(self, which: int, verb: Verb) -> None:
        self.step(Op(verb, 0, self.held(which)))

    @rule(
        verb=st.sampled_from((Verb.FREE, Verb.PUT, Verb.GET)),
        offset=st.integers(-2, 90),
        order=st.integers(0, 13),
    )
    def ask_for_trouble(self, verb: Verb, offset: int, order: int) -> None:
        pfn = max(0, self.machine.start + offset)
        self.step(Op(verb, order if verb is Verb.FREE else 0, pfn))

    @precondition(Judged.something_is_held)
    @rule(which=WHICH)
    def split(self, which: int) -> None:
        assert self.lockstep is not None
        pfn = self.held(which)
        self.step(Op(Verb.SPLIT, self.lockstep.book.held[pfn].order, pfn))

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
        self.step(Op(verb, pfn=pfn, pages=ranges * self.range_pages, mt=mt))

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
        self.step(Op(Verb.CONTIG, pfn=pfn, pages=pages, mt=CMA if which & 1 else MOVABLE))

    @rule(mt=st.sampled_from(REQUESTED), force=st.booleans())
    def unreserve(self, mt: MigrateType, force: bool) -> None:
        self.step(Op(Verb.UNRESERVE, mt=mt, force=force))

    @rule(offset=st.integers(0, 90))
    def poison(self, offset: int) -> None:
        self.step(Op(Verb.POISON, pfn=self.machine.start + offset))

    @rule(which=WHICH)
    def heal(self, which: int) -> None:
        """Heal what is poisoned, or a stranger."""
        assert self.lockstep is not None
        poisoned = sorted(self.lockstep.out_of_use.poisoned) or [self.machine.start]
        self.step(Op(Verb.HEAL, pfn=poisoned[which % len(poisoned)]))


def buddy_machine(
    of: Ledger, eras: Sequence[Era], pages: st.SearchStrategy[int]
) -> type[BuddyRules]:
    """The state machine class for the whole allocator of one zone."""

    class BuddyMachine(BuddyRules):
        ledger = of

        @initialize(machine=machines(eras, pages))
        def boot(self, machine: Machine) -> None:
            self.begin(machine)

    return BuddyMachine
