"""Compaction in lockstep, as a Hypothesis state machine.

Single requests give Hypothesis something to shrink; a rule that fills the zone and one that thins
it out put many in one step, since else there would seldom be anything to move.
"""

from collections.abc import Callable, Sequence
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from pagefuzz.compaction.lockstep import CompactionLockstep
from pagefuzz.compaction.record import failure_of
from pagefuzz.compaction.requests import NUMBERS
from pagefuzz.compaction.strategies import compaction_machines
from pagefuzz.compaction.target import CompactionFactory
from pagefuzz.machines.judged import WHICH, Tally, telling
from pagefuzz.machines.running import run_examples
from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.state import Compaction
from pagespec.compaction.trace import CompactionTrace
from pagespec.compaction.verbs import MODES, CompactionOp, CompactionVerb, Mode
from pagespec.era import Era
from pagespec.laws.law import LawBroken
from pagespec.migratetype import MOVABLE, UNMOVABLE

CPUS, ORDERS = st.integers(0, 2), st.integers(0, 4)
"""Who asks, and for what."""

ABOUT = (CompactionVerb.PIN, CompactionVerb.UNPIN, CompactionVerb.STRAY)
"""What is asked of a held block that stays one."""


class CompactionLedger(Tally):
    """What the examples of one Hypothesis run have in common; found is as in `Ledger`."""

    def __init__(
        self, factory: CompactionFactory, found: Callable[[CompactionTrace], None]
    ) -> None:
        super().__init__()
        self.factory, self.found = factory, found


class CompactionRules(RuleBasedStateMachine):
    """Blocks taken, pinned and given back, and the zone compacted meanwhile."""

    ledger: ClassVar[CompactionLedger]
    machine: CompactionMachine
    lockstep: CompactionLockstep | None = None
    broke = False

    def begin(self, machine: CompactionMachine) -> None:
        """Boot the machine, and fill and thin it out once: else there is nothing to move."""
        self.machine = machine
        with telling(self._failed):
            self.lockstep = CompactionLockstep(machine, self.ledger.factory)
        self.fill(0, 32, 5)
        self.thin(0, 2)

    def step(self, op: CompactionOp) -> None:
        """Put a request."""
        assert self.lockstep is not None
        with telling(self._failed):
            self.lockstep.step(op)

    @property
    def known(self) -> Compaction:
        """What the spec has by now."""
        assert self.lockstep is not None
        return self.lockstep.spec

    def _failed(self, broken: LawBroken) -> None:
        self.broke = True
        self.ledger.found(failure_of(self.machine, self.lockstep, broken))

    def _cpu(self, cpu: int) -> int:
        return cpu % (self.machine.zone.cpus or 1)

    @rule(cpu=CPUS, blocks=st.integers(1, 64), every=st.integers(2, 9))
    def fill(self, cpu: int, blocks: int, every: int) -> None:
        """Take single frames, one of so many unmovable."""
        for number in range(1, min(blocks, self.known.zone.free_pages) + 1):
            mt = MOVABLE if number % every else UNMOVABLE
            self.step(CompactionOp(CompactionVerb.ALLOC, self._cpu(cpu), mt=mt))

    @rule(first=st.integers(0, 5), every=st.integers(2, 5))
    def thin(self, first: int, every: int) -> None:
        """Give back one of so many blocks."""
        for pfn in sorted(self.known.zone.held)[first::every]:
            order = self.known.zone.held[pfn].order
            self.step(CompactionOp(CompactionVerb.FREE, order=order, pfn=pfn))

    @rule(cpu=CPUS, order=ORDERS, movable=st.booleans(), lru=st.booleans())
    def alloc(self, cpu: int, order: int, movable: bool, lru: bool) -> None:
        """Take a block; of an order that the zone may not have."""
        mt = MOVABLE if movable else UNMOVABLE
        self.step(CompactionOp(CompactionVerb.ALLOC, self._cpu(cpu), order=order, mt=mt, lru=lru))

    def something_is_held(self) -> bool:
        """Whether there is a block to speak of."""
        return self.lockstep is not None and bool(self.known.zone.held)

    @precondition(something_is_held)
    @rule(which=WHICH, cpu=CPUS, irq=st.booleans())
    def free(self, which: int, cpu: int, irq: bool) -> None:
        """Give a block back."""
        held = sorted(self.known.zone.held)
        pfn = held[which % len(held)]
        order = self.known.zone.held[pfn].order
        self.step(CompactionOp(CompactionVerb.FREE, self._cpu(cpu), order, pfn, irq=irq))

    @precondition(something_is_held)
    @rule(which=WHICH, verb=st.sampled_from(ABOUT), number=st.sampled_from(NUMBERS))
    def about(self, which: int, verb: CompactionVerb, number: int) -> None:
        """Pin a block, drop a reference to it, or let its word for the order be something else."""
        held = sorted(self.known.zone.held)
        self.step(CompactionOp(verb, order=number, pfn=held[which % len(held)]))

    @rule(
        cpu=CPUS,
        order=ORDERS,
        movable=st.booleans(),
        mode=st.sampled_from(MODES),
        killed=st.booleans(),
        whole=st.booleans(),
    )
    def compact(
        self, cpu: int, order: int, movable: bool, mode: Mode, killed: bool, whole: bool
    ) -> None:
        """Compact for an order or the whole zone."""
        op = CompactionOp(CompactionVerb.COMPACT, self._cpu(cpu), order=order, mode=mode)
        mt = MOVABLE if movable else UNMOVABLE
        self.step(op._replace(mt=mt, killed=killed, whole=whole))

    @rule(
        cpu=CPUS,
        order=ORDERS,
        movable=st.booleans(),
        mode=st.sampled_from(MODES),
        killed=st.booleans(),
        whole=st.booleans(),
    )
    def direct(
        self, cpu: int, order: int, movable: bool, mode: Mode, killed: bool, whole: bool
    ) -> None:
        """Ask for a block, and compact if there is none."""
        op = CompactionOp(CompactionVerb.DIRECT, self._cpu(cpu), order=order, mode=mode)
        mt = MOVABLE if movable else UNMOVABLE
        self.step(op._replace(mt=mt, killed=killed, whole=whole))

    @rule(cpu=CPUS, order=ORDERS)
    def background(self, cpu: int, order: int) -> None:
        """Let the worker compact for an order."""
        self.step(CompactionOp(CompactionVerb.BACKGROUND, self._cpu(cpu), order=order))

    @rule(which=WHICH, pages=st.integers(1, 9))
    def claim(self, which: int, pages: int) -> None:
        """Claim a range, mostly one that begins with a free block."""
        zone = self.known.zone
        free = sorted(zone.tag) or [zone.machine.start]
        pfn = free[which % len(free)]
        self.step(CompactionOp(CompactionVerb.CLAIM, pfn=pfn, pages=pages))

    @rule(rests=st.booleans())
    def settle(self, rests: bool) -> None:
        """Let kswapd fall asleep, or CPUs give back what they keep."""
        self.step(CompactionOp(CompactionVerb.REST if rests else CompactionVerb.DRAIN_ALL))

    def teardown(self) -> None:
        """Give everything back, unless a law is broken already, and enter what was done."""
        if self.lockstep is not None:
            with telling(self._failed):
                self.ledger.close(self.lockstep, broke=self.broke)


def compaction_machine(of: CompactionLedger, eras: Sequence[Era]) -> type[CompactionRules]:
    """The state machine class whose examples report to the ledger."""

    class CompactionStateMachine(CompactionRules):
        ledger = of

        @initialize(machine=compaction_machines(eras))
        def boot(self, machine: CompactionMachine) -> None:
            self.begin(machine)

    return CompactionStateMachine


def run_compaction_machine(
    ledger: CompactionLedger,
    eras: Sequence[Era],
    draw_seed: int,
    *,
    examples: int,
    steps: int = 20,
    shrink: bool = True,
) -> None:
    """Run so many examples, and shrink the first failure. Raises LawBroken."""
    machine = compaction_machine(ledger, eras)
    run_examples(machine, draw_seed, examples=examples, steps=steps, shrink=shrink)
