"""A host of 1 to 4 CPUs and 1 or 2 nodes in lockstep, as a Hypothesis state machine.

Single requests give Hypothesis something to shrink; a burst puts many in one step, since zones and
lists run dry only after many. Both are judged after every request.
"""

from collections.abc import Callable, Sequence
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from pagefuzz.hosts.lockstep import HostLockstep
from pagefuzz.hosts.record import host_trace_of
from pagefuzz.hosts.strategies import hosts
from pagefuzz.hosts.target import HostFactory
from pagefuzz.machines.judged import WHICH, Tally, telling
from pagefuzz.machines.lists import OF_ALL_CPUS, OF_ONE_CPU, SLOTS
from pagefuzz.machines.running import run_examples
from pagespec.era import Era
from pagespec.host import Host
from pagespec.host_trace import HostTrace
from pagespec.laws.law import LawBroken
from pagespec.migratetype import MOVABLE, REQUESTED, MigrateType
from pagespec.types import Pfn, ZoneClass
from pagespec.verbs import Op, Verb

PLACES = st.integers(0, (1 << 12) - 1)
"""Where a request would have memory and who asks: see `HostRules.placed`."""


class HostLedger(Tally):
    """What the examples of one Hypothesis run have in common; found is as in `Ledger`."""

    def __init__(self, factory: HostFactory, found: Callable[[HostTrace], None]) -> None:
        super().__init__()
        self.factory, self.found = factory, found


class HostRules(RuleBasedStateMachine):
    """Blocks taken near any node and given back on any CPU, and what is done to whole CPUs."""

    ledger: ClassVar[HostLedger]
    host: Host
    lockstep: HostLockstep | None = None
    broke = False

    def begin(self, host: Host) -> None:
        """Boot the host."""
        self.host = host
        with telling(self._failed):
            self.lockstep = HostLockstep(host, self.ledger.factory)

    def step(self, op: Op) -> None:
        """Put a request."""
        assert self.lockstep is not None
        with telling(self._failed):
            self.lockstep.step(op)

    def _failed(self, broken: LawBroken) -> None:
        self.broke = True
        done, filled = (self.lockstep.done, self.lockstep.filled) if self.lockstep else ([], {})
        self.ledger.found(host_trace_of(self.host, done, broken, filled))

    def placed(self, op: Op, how: int) -> Op:
        """The request by twelve bits: two the CPU, one the node, two the class, one its strictness.

        Then interrupt, lost lock, cold frames, and three for urgency: twice atomic, once emergency.
        """
        assert self.lockstep is not None
        cpus = self.host.cpus
        cpu = how % 4 % len(cpus)
        while cpu in self.lockstep.out_of_use[0].unplugged:
            cpu = (cpu + 1) % len(cpus)
        node = self.host.nodes[(how >> 2) % 2 % len(self.host.nodes)]
        highest = (ZoneClass.NORMAL, ZoneClass.DMA32, ZoneClass.DMA, ZoneClass.NORMAL)[how >> 3 & 3]
        if highest is ZoneClass.NORMAL and op.mt is MOVABLE:
            highest = ZoneClass.MOVABLE
        urgency = how >> 9
        op = op._replace(cpu=cpu, irq=how & 64 > 0, contended=how & 128 > 0)
        if op.verb in (Verb.ALLOC, Verb.BULK):
            op = op._replace(node=node, highest=highest, only_node=how & 32 > 0)
            op = op._replace(atomic=urgency in (1, 2))
        if op.verb is not Verb.BULK:
            op = op._replace(cold=how & 256 > 0)
        return op._replace(emergency=op.verb is Verb.ALLOC and urgency == 3)

    def held(self) -> list[Pfn]:
        """The blocks that are held, zone by zone."""
        books = [] if self.lockstep is None else self.lockstep.books
        return [pfn for book in books for pfn in book.held]

    def something_is_held(self) -> bool:
        """Whether there is a block to give back."""
        return bool(self.held())

    @rule(order=st.integers(0, 3), mt=st.sampled_from(REQUESTED), how=PLACES)
    def alloc(self, order: int, mt: MigrateType, how: int) -> None:
        """Ask for a block near a node."""
        self.step(self.placed(Op(Verb.ALLOC, order, mt=mt), how))

    @precondition(something_is_held)
    @rule(which=WHICH, how=PLACES)
    def free(self, which: int, how: int) -> None:
        """Give a block back."""
        self._free(which, how)

    def _free(self, which: int, how: int) -> None:
        assert self.lockstep is not None
        held = self.held()
        pfn = held[which % len(held)]
        order = next(book.held[pfn].order for book in self.lockstep.books if pfn in book.held)
        self.step(self.placed(Op(Verb.FREE, order, pfn), how))

    @rule(pages=st.sampled_from(SLOTS), mt=st.sampled_from(REQUESTED), how=PLACES)
    def bulk(self, pages: int, mt: MigrateType, how: int) -> None:
        """Fill slots near a node."""
        self.step(self.placed(Op(Verb.BULK, mt=mt, pages=pages), how))

    @rule(verb=st.sampled_from((*OF_ONE_CPU, *OF_ALL_CPUS)), cpu=st.integers(0, 3), which=WHICH)
    def on_cpus(self, verb: Verb, cpu: int, which: int) -> None:
        """Do something to a CPU or to all, or to the lists of one zone."""
        part = self.host.parts[which % len(self.host.parts)]
        of_zone = verb in (Verb.DISABLE, Verb.ENABLE)
        cpu = cpu if verb in OF_ONE_CPU else 0
        self.step(Op(verb, pfn=part.machine.start if of_zone else 0, cpu=cpu))

    @rule(bursts=st.binary(min_size=4, max_size=40), how=PLACES)
    def burst(self, bursts: bytes, how: int) -> None:
        """A byte is a request: below 160 an allocation of a small order, above it a free."""
        for byte in bursts:
            if byte < 160 or not self.something_is_held():
                order, mt = (0, 0, 0, 0, 1, 1, 2, 3)[byte % 8], REQUESTED[byte // 8 % 3]
                self.step(self.placed(Op(Verb.ALLOC, order, mt=mt), how))
            else:
                self._free(byte, how)

    def teardown(self) -> None:
        """Give everything back, unless a law is broken already, and enter what was done."""
        if self.lockstep is not None:
            with telling(self._failed):
                self.ledger.close(self.lockstep, broke=self.broke)


def host_machine(of: HostLedger, eras: Sequence[Era]) -> type[HostRules]:
    """The state machine class whose examples report to the ledger."""

    class HostMachine(HostRules):
        ledger = of

        @initialize(host=hosts(eras))
        def boot(self, host: Host) -> None:
            self.begin(host)

    return HostMachine


def run_host_machine(
    ledger: HostLedger,
    eras: Sequence[Era],
    draw_seed: int,
    *,
    examples: int,
    steps: int = 40,
    shrink: bool = True,
) -> None:
    """Run so many examples, and shrink the first failure. Raises LawBroken."""
    machine = host_machine(ledger, eras)
    run_examples(machine, draw_seed, examples=examples, steps=steps, shrink=shrink)
