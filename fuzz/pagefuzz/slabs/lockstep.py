"""An allocator of objects beside the spec, judged after every request."""

from collections import Counter

from pagefuzz.coverage import Reached
from pagefuzz.slabs.draws import held_in
from pagefuzz.slabs.record import slab_trace_of
from pagefuzz.slabs.target import SlabFactory, perform_quietly
from pagefuzz.slabs.watch import events_of_step
from pagespec.laws.law import LawBroken
from pagespec.slab.laws.book import book_of
from pagespec.slab.laws.judge import judge_slabs
from pagespec.slab.laws.step import SlabStep
from pagespec.slab.laws.wording import wording
from pagespec.slab.machine import SlabMachine
from pagespec.slab.ops import start
from pagespec.slab.state import Cache, Slabs
from pagespec.slab.trace import SlabTrace
from pagespec.slab.verbs import Address, SlabOp, SlabVerb
from pagespec.types import FAULT
from pagespec.verbs import Outcome


class SlabLockstep:
    """The slabs of one machine, from boot on.

    done: every request so far and its outcome. filled: the objects that each bulk request gave, by
    its place there. spec: what the spec has by now. book: what requests
    have made of the truth. reached: how often each event has happened. fault: what the allocator
    raised last.

    Raises LawBroken as soon as a law is broken, also from the constructor; after that it is of no
    more use.
    """

    def __init__(self, machine: SlabMachine, factory: SlabFactory) -> None:
        self.machine = machine
        self.done: list[tuple[SlabOp, Outcome]] = []
        self.filled: dict[int, list[Address]] = {}
        self.spec = start(machine)
        self.book = book_of(machine)
        self.fault: BaseException | None = None
        self.target = factory(machine)
        self.seen = self._look("boot")
        self.reached: Reached = Counter()

    def step(self, op: SlabOp) -> Outcome:
        """Put one request to the allocator and judge what comes of it."""
        outcome = self._serve(op)
        self.done.append((op, outcome))
        if outcome == FAULT:
            raise LawBroken("OUT-fault", f"{wording(op)} raised {self.fault!r}") from self.fault
        before, self.seen = self.seen, self._look(wording(op))
        if op.objects:
            self.filled[len(self.done) - 1] = self.seen.slots
        due = perform_quietly(self.spec, op)
        judge_slabs(SlabStep(before, op, outcome, self.seen, self.book, self.spec, due))
        # The states are equal by now, so those under test tell what the spec met.
        self.reached.update(events_of_step(before, op, outcome, self.seen))
        return outcome

    def _serve(self, op: SlabOp) -> Outcome:
        """Put the request to the allocator; whatever it raises becomes an outcome."""
        try:
            return self.target.perform(op)
        except KeyboardInterrupt:
            raise
        except BaseException as fault:
            self.fault = fault
            return FAULT

    def _look(self, request: str) -> Slabs:
        """The state now; memory that does not read as slabs is a finding, too."""
        try:
            return self.target.state()
        except Exception as fault:
            complaint = f"after {request} the state does not read as slabs: {fault!r}"
            raise LawBroken("OUT-fault", complaint) from fault

    def finish(self) -> None:
        """Give everything back: objects, what is withheld, what CPUs keep, groups and caches."""
        for address in held_in(self.spec):
            self.step(SlabOp(SlabVerb.FREE, addresses=(address,)))
        for cpu in range(self.machine.cpus):
            if self.spec.withheld[cpu]:
                self.step(SlabOp(SlabVerb.RELEASE, cpu))
            # A look at all that there is follows each request: those that change nothing cost most.
            if any(_keeps(cache, cpu) for cache in self.spec.caches.values()):
                self.step(SlabOp(SlabVerb.FLUSH, cpu))
        for number, group in list(self.spec.groups.items()):
            if group.online:
                self.step(SlabOp(SlabVerb.OFFLINE, group=number))
        for number in sorted({number for number, _ in self.spec.caches}):
            self.step(SlabOp(SlabVerb.DESTROY, cache=number))


def _keeps(cache: Cache, cpu: int) -> bool:
    """Whether the CPU keeps a slab or objects of the cache to itself."""
    if cache.arrays:
        return bool(cache.arrays[cpu].entries)
    mine = cache.cpus[cpu]
    return mine.slab is not None or bool(mine.partial)


def failure_of(machine: SlabMachine, lockstep: SlabLockstep | None, broken: LawBroken) -> SlabTrace:
    """The trace of a run that broke a law, be it before the first request."""
    if lockstep is None:
        return slab_trace_of(machine, (), {}, broken)
    return slab_trace_of(machine, lockstep.done, lockstep.filled, broken)
