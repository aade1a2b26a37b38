"""Slabs in lockstep, as a Hypothesis state machine.

Single requests give Hypothesis something to shrink; a burst puts many in one step, since slabs
fill and empty only after several. Both are judged after every request.
"""

from collections.abc import Callable, Sequence
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from pagefuzz.machines.judged import WHICH, Tally, telling
from pagefuzz.machines.running import run_examples
from pagefuzz.slabs.draws import caches_of, held_in
from pagefuzz.slabs.lockstep import SlabLockstep, failure_of
from pagefuzz.slabs.strategies import slab_machines
from pagefuzz.slabs.target import SlabFactory
from pagespec.era import Era
from pagespec.laws.law import LawBroken
from pagespec.slab.machine import SlabMachine
from pagespec.slab.sizes import PAGE
from pagespec.slab.state import Slabs
from pagespec.slab.trace import SlabTrace
from pagespec.slab.verbs import MAX_BULK, SlabOp, SlabVerb

CPUS, GROUPS, CACHES = st.integers(0, 7), st.integers(0, 4), st.integers(1, 3)
"""Who asks, who is charged, and of which cache."""

OBJECTS = st.sampled_from((1, 2, 3, 4, 16))
"""How many objects a slab has."""

BULKS = st.sampled_from((2, 0, 1, 3, 5, 12, MAX_BULK))
"""How many objects a bulk request is about."""


class SlabLedger(Tally):
    """What the examples of one Hypothesis run have in common; found is as in `Ledger`."""

    def __init__(self, factory: SlabFactory, found: Callable[[SlabTrace], None]) -> None:
        super().__init__()
        self.factory, self.found = factory, found


class SlabRules(RuleBasedStateMachine):
    """Objects taken on any CPU for any group, and given back on any other."""

    ledger: ClassVar[SlabLedger]
    machine: SlabMachine
    lockstep: SlabLockstep | None = None
    broke = False

    def begin(self, machine: SlabMachine) -> None:
        """Boot the machine, and create a cache: nothing can be asked for without."""
        self.machine = machine
        with telling(self._failed):
            self.lockstep = SlabLockstep(machine, self.ledger.factory)
        self.create(1, 4, 0, 1)

    def step(self, op: SlabOp) -> None:
        """Put a request."""
        assert self.lockstep is not None
        with telling(self._failed):
            self.lockstep.step(op)

    @property
    def known(self) -> Slabs:
        """What the spec has by now."""
        assert self.lockstep is not None
        return self.lockstep.spec

    def _failed(self, broken: LawBroken) -> None:
        self.broke = True
        self.ledger.found(failure_of(self.machine, self.lockstep, broken))

    def _cpu(self, cpu: int) -> int:
        return cpu % self.machine.cpus

    def _cache(self, cache: int) -> int:
        """A cache that there is; from 3 up it is taken as it comes, so that some are refused."""
        caches = caches_of(self.known)
        return caches[cache % len(caches)] if caches and cache < 3 else cache

    def _group(self, group: int) -> int:
        """One that has come, or nobody; 4 is taken as it comes, so that some are refused."""
        return group if group in self.known.groups or group == 4 else 0

    @rule(cache=CACHES, objects=OBJECTS, kept=st.integers(0, 4), partials=st.integers(0, 2))
    def create(self, cache: int, objects: int, kept: int, partials: int) -> None:
        """Create a cache of slabs of one frame."""
        size = PAGE // objects // 8 * 8
        op = SlabOp(SlabVerb.CREATE, cache=cache, size=size, order=0, partials=partials)
        if self.machine.design == "slub":
            self.step(op._replace(objects_kept=kept))
        else:
            self.step(op._replace(objects_kept=kept + 1, batch=1 + kept // 2, shared=partials))

    @rule(cpu=CPUS, cache=CACHES, group=GROUPS)
    def alloc(self, cpu: int, cache: int, group: int) -> None:
        """Take an object."""
        whose = self._group(group)
        self.step(SlabOp(SlabVerb.ALLOC, self._cpu(cpu), self._cache(cache), group=whose))

    @rule(cpu=CPUS, cache=CACHES, group=GROUPS, objects=BULKS)
    def alloc_bulk(self, cpu: int, cache: int, group: int, objects: int) -> None:
        """Take several."""
        op = SlabOp(SlabVerb.ALLOC_BULK, self._cpu(cpu), self._cache(cache), objects=objects)
        self.step(op._replace(group=self._group(group)))

    def something_is_held(self) -> bool:
        """Whether there is an object to give back."""
        return self.lockstep is not None and bool(held_in(self.known))

    @precondition(something_is_held)
    @rule(which=WHICH, cpu=CPUS, withheld=st.booleans())
    def free(self, which: int, cpu: int, withheld: bool) -> None:
        """Give an object back."""
        held = held_in(self.known)
        given = (held[which % len(held)],)
        kept = given if withheld else ()
        self.step(SlabOp(SlabVerb.FREE, self._cpu(cpu), addresses=given, withheld=kept))

    @precondition(something_is_held)
    @rule(which=WHICH, cpu=CPUS, objects=BULKS, stride=st.integers(1, 3), any_cache=st.booleans())
    def free_bulk(self, which: int, cpu: int, objects: int, stride: int, any_cache: bool) -> None:
        """Give several back, neighbours or such as lie apart, of any cache or of one."""
        held = held_in(self.known)
        first = which % len(held)
        given = [*held[first::stride], *held[:first:stride]][:objects]
        cache = 0
        if given and not any_cache and given[0] in self.known.held:
            cache = self.known.held[given[0]].cache
            of_it = {each for each, one in self.known.held.items() if one.cache == cache}
            given = [each for each in given if each in of_it]
        self.step(
            SlabOp(SlabVerb.FREE_BULK, self._cpu(cpu), cache, addresses=tuple(dict.fromkeys(given)))
        )

    @rule(address=st.integers(0, 1 << 17), cpu=CPUS)
    def free_any(self, address: int, cpu: int) -> None:
        """Give back whatever lies there, if anything does."""
        self.step(SlabOp(SlabVerb.FREE, self._cpu(cpu), addresses=(address & ~7,)))

    @rule(order=st.integers(0, 4), cpu=CPUS)
    def large(self, order: int, cpu: int) -> None:
        """Take whole frames."""
        self.step(SlabOp(SlabVerb.LARGE, self._cpu(cpu), order=order))

    @rule(
        verb=st.sampled_from((SlabVerb.FLUSH, SlabVerb.REAP, SlabVerb.RELEASE)),
        cpu=CPUS,
        times=st.integers(1, 2),
    )
    def of_cpu(self, verb: SlabVerb, cpu: int, times: int) -> None:
        """Give back what a CPU keeps or withholds."""
        for _ in range(times):
            self.step(SlabOp(verb, self._cpu(cpu)))

    @rule(verb=st.sampled_from((SlabVerb.SHRINK, SlabVerb.DESTROY)), cache=CACHES)
    def of_cache(self, verb: SlabVerb, cache: int) -> None:
        """Give back what a cache can spare, or all of it."""
        self.step(SlabOp(verb, cache=self._cache(cache)))

    @rule(verb=st.sampled_from((SlabVerb.GROUP, SlabVerb.GROUP, SlabVerb.OFFLINE)), group=GROUPS)
    def of_group(self, verb: SlabVerb, group: int) -> None:
        """Let a group come, or go."""
        self.step(SlabOp(verb, group=group))

    @rule(burst=st.binary(min_size=4, max_size=30), cache=CACHES, cpu=CPUS, group=GROUPS)
    def burst(self, burst: bytes, cache: int, cpu: int, group: int) -> None:
        """A byte takes an object below 150, or gives one back; a bit says on which of two CPUs."""
        for byte in burst:
            where = cpu + byte % 2
            if byte < 150:
                self.alloc(where, cache, group)
            elif self.something_is_held():
                self.free(byte, where, False)

    def teardown(self) -> None:
        """Give everything back, unless a law is broken already, and enter what was done."""
        if self.lockstep is not None:
            with telling(self._failed):
                self.ledger.close(self.lockstep, broke=self.broke)


def slab_machine(of: SlabLedger, eras: Sequence[Era]) -> type[SlabRules]:
    """The state machine class whose examples report to the ledger."""

    class SlabStateMachine(SlabRules):
        ledger = of

        @initialize(machine=slab_machines(eras))
        def boot(self, machine: SlabMachine) -> None:
            self.begin(machine)

    return SlabStateMachine


def run_slab_machine(
    ledger: SlabLedger,
    eras: Sequence[Era],
    draw_seed: int,
    *,
    examples: int,
    steps: int = 40,
    shrink: bool = True,
) -> None:
    """Run so many examples, and shrink the first failure. Raises LawBroken."""
    machine = slab_machine(ledger, eras)
    run_examples(machine, draw_seed, examples=examples, steps=steps, shrink=shrink)
