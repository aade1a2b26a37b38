"""CPUs with page lists as a Hypothesis state machine: alone, on a small zone of 1 to 4 CPUs.

Single requests give Hypothesis something to shrink; a burst puts many in one step, since lists
overflow and run dry only after many. Both are judged after every request.
"""

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from pagefuzz.machines.judged import WHICH, WHICH_BITS, Judged, Ledger
from pagefuzz.machines.strategies import small_listed
from pagespec.era import Era
from pagespec.machine import Machine
from pagespec.migratetype import REQUESTED
from pagespec.verbs import Op, Verb

WANTED_BITS = 5
"""The bits of an allocation's draw below those that say who asks."""

OF_ONE_CPU = (Verb.DRAIN, Verb.AGE, Verb.EXPIRE, Verb.UNPLUG, Verb.PLUG, Verb.REFRESH)
OF_ALL_CPUS = (Verb.DRAIN_ALL, Verb.DISABLE, Verb.ENABLE, Verb.REST)

SLOTS = (2, 1, 3, 5, 8, 16)
"""How many slots bulk requests fill."""


class ListRules(Judged):
    """Blocks taken and given back on any CPU, in bulk too, and what is done to whole CPUs."""

    freed: Op | None = None

    def _from(self, op: Op, who: int) -> Op:
        """The request with who asks: two bits the CPU, then interrupt, lost lock and cold frames.

        A CPU that is unplugged hands over to the next one. Without lists none of it matters.
        """
        assert self.lockstep is not None
        cpus = self.machine.cpus
        if not cpus:
            return op
        unplugged = self.lockstep.out_of_use.unplugged
        cpu = who % 4 % cpus
        while cpu in unplugged:
            cpu = (cpu + 1) % cpus
        cold = who & 16 > 0 and op.verb is not Verb.BULK
        return op._replace(cpu=cpu, irq=who & 4 > 0, contended=who & 8 > 0, cold=cold)

    def _alloc(self, op: Op, who: int) -> None:
        """Ask for a type only where types are known."""
        assert self.lockstep is not None
        typed = Verb.ISOLATE in self.lockstep.target.verbs
        op = op if typed else Op(Verb.ALLOC, op.order, compound=op.compound)
        self.step(self._from(op, who))

    def _free(self, which: int, who: int) -> None:
        assert self.lockstep is not None
        pfn = self.held(which)
        op = Op(Verb.FREE, self.lockstep.book.held[pfn].order, pfn)
        self.freed = self._from(op, who)
        self.step(self.freed)

    @precondition(Judged.something_is_held)
    @rule(which=WHICH)
    def free(self, which: int) -> None:
        """Give a block back."""
        self._free(which, which >> WHICH_BITS)

    def something_was_freed(self) -> bool:
        """Whether there is a block to give back once more."""
        return self.freed is not None

    @precondition(something_was_freed)
    @rule()
    def free_again(self) -> None:
        """Give back the block that was given back last."""
        assert self.freed is not None
        self.step(self.freed)

    def has_lists(self) -> bool:
        """Whether CPUs keep lists."""
        return self.lockstep is not None and self.machine.cpus > 0

    @precondition(has_lists)
    @rule(verb=st.sampled_from((*OF_ONE_CPU, *OF_ALL_CPUS)), cpu=st.integers(0, 3))
    def on_cpus(self, verb: Verb, cpu: int) -> None:
        """Do something to a CPU or to all."""
        self.step(Op(verb, cpu=cpu) if verb in OF_ONE_CPU else Op(verb))

    @precondition(has_lists)
    @rule(pages=st.sampled_from(SLOTS), how=st.integers(0, 1023))
    def bulk(self, pages: int, how: int) -> None:
        """Fill slots, for a type and as urgently as three bits say, for whom the rest says."""
        mt = REQUESTED[how // 2 % 4 % 3]
        op = Op(Verb.BULK, mt=mt, atomic=how & 1 > 0, pages=pages)
        self.step(self._from(op, how >> WANTED_BITS))

    @rule(bursts=st.binary(min_size=4, max_size=40), who=st.integers(0, 31))
    def burst(self, bursts: bytes, who: int) -> None:
        """A byte is a request: below 128 an allocation of a small order, above it a free.

        Of the lower ones three bits choose the order, and the rest the type and the urgency. All
        come from one CPU.
        """
        for byte in bursts:
            if byte < 128 or not self.something_is_held():
                order, how = (0, 0, 0, 0, 1, 1, 2, 3)[byte % 8], byte // 8 % 16
                self._alloc(Op(Verb.ALLOC, order, mt=REQUESTED[how % 3], atomic=how > 11), who)
            else:
                self._free(byte, who)


def list_machine(of: Ledger, eras: Sequence[Era], pages: st.SearchStrategy[int]) -> type[ListRules]:
    """The state machine class for CPUs with lists and little else."""

    class ListMachine(ListRules):
        ledger = of

        @initialize(machine=small_listed(eras, pages))
        def boot(self, machine: Machine) -> None:
            self.begin(machine)

        @rule(order=st.integers(0, 4), how=st.integers(0, 1023))
        def alloc(self, order: int, how: int) -> None:
            """Ask for a block of an order that lists keep, 4 standing for that of huge pages."""
            if order > 3:
                order = max(0, self.machine.huge)
            op = Op(Verb.ALLOC, order, mt=REQUESTED[how % 4 % 3], atomic=how & 4 > 0)
            emergency = how & 24 == 24 and self.machine.min_free is not None
            self._alloc(op._replace(emergency=emergency), how >> WANTED_BITS)

    return ListMachine
