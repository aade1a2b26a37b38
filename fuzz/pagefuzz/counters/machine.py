"""Counters in lockstep, as a Hypothesis state machine.

Single requests give Hypothesis something to shrink; a burst puts many in one step, since cells
reach their thresholds only after several. Both are judged after every request.
"""

from collections.abc import Callable, Sequence
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from pagefuzz.counters.events import number_of
from pagefuzz.counters.lockstep import CounterLockstep
from pagefuzz.counters.record import counter_trace_of
from pagefuzz.counters.strategies import counter_machines
from pagefuzz.counters.target import CounterFactory
from pagefuzz.machines.judged import Tally, telling
from pagefuzz.machines.running import run_examples
from pagespec.era import Era
from pagespec.laws.law import LawBroken
from pagespec.vmstat.counters import threshold_of
from pagespec.vmstat.machine import NUMA_ITEMS, CounterMachine
from pagespec.vmstat.trace import CounterTrace
from pagespec.vmstat.verbs import ALL, LEVELS, CounterOp, CounterVerb, Level

WHICH, CPUS = st.integers(0, 255), st.integers(0, 7)
"""Chooses among the counters, zones or updates that there are, whatever their number; and a CPU."""

STEPS = (1, -1, 2, -2, 7, -31, 512)
REPEATS = (1, 2, 5, 40)
"""How many pages a change adds, and how often a step of one is repeated."""

SIZES = (64, 1000, 40_000, 1)
"""The frames that a zone gets, and KiB that are kept."""


class CounterLedger(Tally):
    """What the examples of one Hypothesis run have in common; found is as in `Ledger`."""

    def __init__(self, factory: CounterFactory, found: Callable[[CounterTrace], None]) -> None:
        super().__init__()
        self.factory, self.found = factory, found


class CounterRules(RuleBasedStateMachine):
    """Counters changed on any CPU, told, read and retuned."""

    ledger: ClassVar[CounterLedger]
    machine: CounterMachine
    lockstep: CounterLockstep | None = None
    broke = False

    def begin(self, machine: CounterMachine) -> None:
        """Boot the machine."""
        self.machine = machine
        with telling(self._failed):
            self.lockstep = CounterLockstep(machine, self.ledger.factory)

    def step(self, op: CounterOp) -> None:
        """Put a request."""
        with telling(self._failed):
            self.running.step(op)

    @property
    def running(self) -> CounterLockstep:
        """The lockstep, once it is there."""
        assert self.lockstep is not None
        return self.lockstep

    def _failed(self, broken: LawBroken) -> None:
        self.broke = True
        done = self.lockstep.done if self.lockstep else []
        self.ledger.found(counter_trace_of(self.machine, done, broken))

    def _cpu(self, cpu: int) -> int:
        """A CPU of the machine; one that is gone or busy hands over to the next, if there is one.

        From 6 up it is taken as it comes, so that some requests are refused.
        """
        count = len(self.machine.cpus)
        spec = self.running.spec
        held_up = {update.cpu for update in spec.updates if update.left is not None}
        free = [each for each in range(count) if each in spec.running and each not in held_up]
        return free[cpu % len(free)] if free and cpu < 6 else cpu % count

    def _about(self, verb: CounterVerb, which: int) -> CounterOp:
        """A request about a counter that may be changed."""
        places = [place for place in self.machine.places if place.item not in NUMA_ITEMS]
        place = places[which % len(places)]
        return CounterOp(verb, item=place.item, where=place.where)

    def _zone(self, which: int) -> int:
        return which % len(self.machine.zones)

    @rule(by=st.sampled_from(STEPS), which=WHICH, cpu=CPUS, how=st.integers(0, 15))
    def mod(self, by: int, which: int, cpu: int, how: int) -> None:
        """Change a counter by any amount: see `_how`."""
        op = self._about(CounterVerb.MOD, which)._replace(cpu=self._cpu(cpu), by=by)
        self.step(_how(op, how))

    @rule(up=st.booleans(), beyond=st.booleans(), which=WHICH, cpu=CPUS, how=st.integers(0, 15))
    def fill(self, up: bool, beyond: bool, which: int, cpu: int, how: int) -> None:
        """Change a counter so that its cell just reaches the threshold, or just passes it."""
        op = self._about(CounterVerb.MOD, which)._replace(cpu=self._cpu(cpu))
        spec = self.running.spec
        at = number_of(spec, op)
        size = threshold_of(spec, spec.places[at]) + beyond
        op = op._replace(by=(size if up else -size) - spec.cells[op.cpu][at])
        self.step(_how(op, how))

    @rule(
        up=st.booleans(),
        times=st.sampled_from(REPEATS),
        which=WHICH,
        cpu=CPUS,
        how=st.integers(0, 15),
    )
    def one(self, up: bool, times: int, which: int, cpu: int, how: int) -> None:
        """Change a counter by one, or by one several times."""
        verb = CounterVerb.INC if up else CounterVerb.DEC
        op = _how(self._about(verb, which)._replace(cpu=self._cpu(cpu)), how)
        self.step(op if op.open else op._replace(times=times))

    def something_is_under_way(self) -> bool:
        """Whether an update is still to end."""
        return self.lockstep is not None and bool(self.lockstep.spec.updates)

    @precondition(something_is_under_way)
    @rule(which=WHICH, steps=st.integers(1, 3))
    def land(self, which: int, steps: int) -> None:
        """Let an update take its next steps."""
        for _ in range(steps):
            if self.something_is_under_way():
                number = which % len(self.running.spec.updates)
                self.step(CounterOp(CounterVerb.LAND, number=number))

    @rule(cpu=CPUS, opened=st.booleans())
    def refresh(self, cpu: int, opened: bool) -> None:
        """Let a CPU tell what it keeps, half of the time not yet to the machine."""
        self.step(CounterOp(CounterVerb.REFRESH, self._cpu(cpu), open=opened))

    @rule(cpu=CPUS, goes=st.booleans())
    def plug(self, cpu: int, goes: bool) -> None:
        """Let a CPU go, or one that is gone come back."""
        gone = sorted(set(range(len(self.machine.cpus))) - self.running.spec.running)
        if goes or not gone:
            self.step(CounterOp(CounterVerb.UNPLUG, self._cpu(cpu)))
        else:
            self.step(CounterOp(CounterVerb.PLUG, gone[cpu % len(gone)]))

    @rule(which=WHICH, wakes=st.booleans())
    def kswapd(self, which: int, wakes: bool) -> None:
        """Let a node's kswapd wake or go to sleep."""
        verb = CounterVerb.WAKE if wakes else CounterVerb.REST
        self.step(CounterOp(verb, where=self.machine.nodes[which % len(self.machine.nodes)]))

    @rule(which=WHICH, size=st.sampled_from(SIZES), how=st.integers(0, 3))
    def retune(self, which: int, size: int, how: int) -> None:
        """Set min_free_kbytes, or give a zone other frames, now and then without a word."""
        if how < 2:
            self.step(CounterOp(CounterVerb.MIN_FREE, pages=size))
        else:
            zone = self._zone(which)
            self.step(CounterOp(CounterVerb.RESIZE, where=zone, pages=size, silent=how == 3))

    @rule(which=WHICH, how=st.integers(0, 3))
    def read(self, which: int, how: int) -> None:
        """Read a counter: as it is told, closely, or in all."""
        place = self.machine.places[which % len(self.machine.places)]
        where = ALL if how == 3 else place.where
        close = how == 2 and place.item not in NUMA_ITEMS
        self.step(CounterOp(CounterVerb.READ, item=place.item, where=where, close=close))

    @rule(which=WHICH, level=st.sampled_from(LEVELS), reclaim=st.booleans())
    def check(self, which: int, level: Level, reclaim: bool) -> None:
        """Ask for a mark."""
        order, zone = which >> 6, self._zone(which)
        self.step(
            CounterOp(CounterVerb.CHECK, where=zone, level=level, order=order, reclaim=reclaim)
        )

    @rule(
        which=WHICH,
        cpu=CPUS,
        level=st.sampled_from(LEVELS),
        blocks=st.integers(1, 6),
        near=st.integers(0, 5),
    )
    def take(self, which: int, cpu: int, level: Level, blocks: int, near: int) -> None:
        """Take blocks from a zone, mostly from one that has hardly more than its mark."""
        zone, spec = self._zone(which), self.running.spec
        cpu = self._cpu(cpu)
        if near:
            told = spec.told[zone] + spec.cells[cpu][zone]
            by = getattr(spec.marks[zone], level) + near - told
            self.step(CounterOp(CounterVerb.MOD, cpu, where=zone, by=by))
        for _ in range(blocks):
            self.step(CounterOp(CounterVerb.TAKE, cpu, where=zone, level=level, order=which >> 7))

    @rule(which=WHICH, cpu=CPUS, times=st.sampled_from(REPEATS))
    def count(self, which: int, cpu: int, times: int) -> None:
        """Count allocations of a zone that some other zone may have been preferred to."""
        zones = len(self.machine.zones)
        self.step(
            CounterOp(
                CounterVerb.COUNT,
                self._cpu(cpu),
                where=which % zones,
                preferred=which // zones % zones,
                times=times,
                interleave=which >= 192,
            )
        )

    @rule(times=st.integers(1, 3))
    def switch(self, times: int) -> None:
        """Turn NUMA statistics off, or on again, or count some and read them."""
        for at in range(times):
            on = self.running.spec.numa_on
            if at == 1:
                self.step(CounterOp(CounterVerb.COUNT, self._cpu(0)))
            else:
                self.step(CounterOp(CounterVerb.NUMA_OFF if on else CounterVerb.NUMA_ON))

    @rule(burst=st.binary(min_size=4, max_size=30), which=WHICH, cpu=CPUS)
    def burst(self, burst: bytes, which: int, cpu: int) -> None:
        """A byte is a step of one, up below 150; two bits say on which of two CPUs, and how."""
        cpus = (self._cpu(cpu), self._cpu(cpu + 1 if cpu < 5 else 0))
        for byte in burst:
            verb = CounterVerb.INC if byte < 150 else CounterVerb.DEC
            op = self._about(verb, which)._replace(cpu=cpus[byte % 2], irqs_on=byte & 2 > 0)
            self.step(op)

    def teardown(self) -> None:
        """Let everything be told, unless a law is broken already, and enter what was done."""
        if self.lockstep is not None:
            with telling(self._failed):
                self.ledger.close(self.lockstep, broke=self.broke)


def _how(op: CounterOp, how: int) -> CounterOp:
    """The change with interrupts on by one bit, and left open if two others are set."""
    return op._replace(irqs_on=how & 1 > 0, open=how & 6 == 6)


def counter_machine(of: CounterLedger, eras: Sequence[Era]) -> type[CounterRules]:
    """The state machine class whose examples report to the ledger."""

    class CounterStateMachine(CounterRules):
        ledger = of

        @initialize(machine=counter_machines(eras))
        def boot(self, machine: CounterMachine) -> None:
            self.begin(machine)

    return CounterStateMachine


def run_counter_machine(
    ledger: CounterLedger,
    eras: Sequence[Era],
    draw_seed: int,
    *,
    examples: int,
    steps: int = 40,
    shrink: bool = True,
) -> None:
    """Run so many examples, and shrink the first failure. Raises LawBroken."""
    machine = counter_machine(ledger, eras)
    run_examples(machine, draw_seed, examples=examples, steps=steps, shrink=shrink)
