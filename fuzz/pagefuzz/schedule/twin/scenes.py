"""What contexts do to one buffer, and what must hold of it whenever all of them are at rest."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from pageimpl.allocator import Allocator
from pageimpl.layout import share
from pageimpl.memory import lists_first_of, pgalloc_of, pgfree_of, zone_lock_of
from pageimpl.pcp.state import AREA_SLOTS, lists_lock_of
from pageimpl.refine import TornList, zone_of
from pageimpl.source import Kernels
from pageimpl.vmstat.layout import share as share_counters
from pageimpl.vmstat.refine import counters_of
from pageimpl.vmstat.twin import CounterTwin
from pagespec.frames import SIZES
from pagespec.laws.law import LawBroken
from pagespec.laws.state import STATE_LAWS
from pagespec.laws.swept import swept
from pagespec.machine import Machine
from pagespec.types import Block
from pagespec.verbs import Op, Verb
from pagespec.vmstat.counters import boot_counters
from pagespec.vmstat.machine import CounterMachine
from pagespec.vmstat.ops import perform as perform_counter
from pagespec.vmstat.reads import in_truth
from pagespec.vmstat.verbs import CounterOp


class Ask(NamedTuple):
    """A request about the block of that name: one that is given, or one that was given before."""

    op: Op
    block: str = ""


class Scene(Protocol):
    """A buffer that contexts share.

    names: per context, what its requests are called.
    """

    names: Sequence[Sequence[str]]

    def reset(self) -> None:
        """Go back to where all contexts begin."""

    def step(self, context: int, number: int) -> int:
        """Serve a context's request of that number, and return what came of it."""

    def broken(self, *, ended: bool) -> LawBroken | None:
        """The first law that is broken, all contexts being at rest. ended: none will go on."""


class ZoneScene:
    """A zone, and requests for blocks.

    before: what is asked by one context alone, before the others share the zone. tasks: what each
    context asks, in its order.
    """

    def __init__(
        self,
        machine: Machine,
        before: Sequence[Ask],
        tasks: Sequence[Sequence[Ask]],
        kernels: Kernels,
    ) -> None:
        self.tasks = tasks
        self.names: Sequence[Sequence[str]] = [
            [f"{ask.op.verb.value} {ask.block}".strip() for ask in asks] for asks in tasks
        ]
        self.allocator = Allocator(machine, modules=kernels)
        self.refs: dict[str, int] = {}
        self.blocks: dict[str, Block] = {}
        self.given = self.returned = 0
        for ask in before:
            self._serve(ask)
        share(self.allocator.memory)
        memory = self.allocator.memory
        self._start = memory.array.copy(), dict(self.refs), dict(self.blocks)
        self._counts = pgalloc_of(memory), pgfree_of(memory)

    def reset(self) -> None:
        """Go back to where all contexts begin."""
        start, refs, blocks = self._start
        self.allocator.memory.array[:] = start
        self.refs, self.blocks = dict(refs), dict(blocks)
        self.given = self.returned = 0

    def step(self, context: int, number: int) -> int:
        """Serve a context's request of that number, and return what came of it."""
        return self._serve(self.tasks[context][number])

    def _serve(self, ask: Ask) -> int:
        op, name = ask
        if op.verb is Verb.ALLOC:
            pfn = self.allocator.perform(op)
            if pfn >= 0:
                self.refs[name], self.blocks[name] = 1, Block(pfn, op.order)
                self.given += SIZES[op.order]
            return pfn
        if op.verb is Verb.BULK:
            return self._fill(op)
        if not name:
            return self.allocator.perform(op)
        if name not in self.blocks:
            # Its allocation had no success.
            return 0
        block = self.blocks[name]
        order = block.order if op.verb is Verb.FREE else op.order
        outcome = self.allocator.perform(op._replace(pfn=block.pfn, order=order))
        self.refs[name] += 1 if op.verb is Verb.GET else -1
        if self.refs[name] == 0:
            self.returned += SIZES[block.order]
            del self.refs[name], self.blocks[name]
        return outcome

    def _fill(self, op: Op) -> int:
        """Fill the array, whose frames are then called by their slots."""
        outcome = self.allocator.perform(op)
        for pfn, slot in self.allocator.slots().items():
            name = f"slot {slot}"
            if name not in self.blocks:
                self.refs[name], self.blocks[name] = 1, Block(pfn, 0)
                self.given += 1
        return outcome

    def broken(self, *, ended: bool) -> LawBroken | None:
        """The first law that is broken, all contexts being at rest."""
        memory, era = self.allocator.memory, self.allocator.machine.era
        complaint = self._overlap()
        if complaint:
            return LawBroken("OUT-disjoint", complaint)
        first, end = lists_first_of(memory), memory.slots
        areas = range(first, end, AREA_SLOTS) if self.allocator.machine.cpus else ()
        if zone_lock_of(memory) or any(lists_lock_of(memory, q) for q in areas):
            return LawBroken("LOCK-released", "a lock is taken, and nobody is at work")
        try:
            zone = zone_of(self.allocator)
        except TornList as torn:
            return LawBroken("BUD-links", str(torn))
        for broken in STATE_LAWS.broken(era, swept(zone)):
            return broken
        theirs = {block.pfn: (block.order, self.refs[name]) for name, block in self.blocks.items()}
        held = {pfn: (block.order, block.refs) for pfn, block in zone.held.items()}
        if held != theirs:
            return LawBroken(
                "BUD-partition", f"held with order and references: {held}; contexts have {theirs}"
            )
        return None if era.counts_operations else self._miscounted()

    def _overlap(self) -> str | None:
        taken: dict[int, str] = {}
        for name, block in self.blocks.items():
            for pfn in range(block.pfn, block.pfn + SIZES[block.order]):
                if pfn in taken:
                    return f"frame {pfn} is in block {taken[pfn]} and in block {name}"
                taken[pfn] = name
        return None

    def _miscounted(self) -> LawBroken | None:
        memory, (alloc, free) = self.allocator.memory, self._counts
        counted = pgalloc_of(memory) - alloc, pgfree_of(memory) - free
        if counted == (self.given, self.returned):
            return None
        return LawBroken(
            "EVT-count",
            f"counted {counted[0]} frames given and {counted[1]} returned, "
            f"expected {self.given} and {self.returned}",
        )


class CounterScene:
    """A machine's counters, and requests that change them."""

    def __init__(
        self,
        machine: CounterMachine,
        before: Sequence[CounterOp],
        tasks: Sequence[Sequence[CounterOp]],
        kernels: Kernels,
    ) -> None:
        self.tasks = tasks
        self.names: Sequence[Sequence[str]] = [
            [f"{op.verb.value} {op.item.value}" for op in ops] for ops in tasks
        ]
        self.twin = CounterTwin(machine, modules=kernels)
        for op in before:
            self.twin.perform(op)
        share_counters(self.twin.memory)
        self._start = self.twin.memory.array.copy()
        # What is true in the end does not depend on who comes first.
        counters = boot_counters(machine)
        for op in [*before, *(op for ops in tasks for op in ops)]:
            perform_counter(counters, op)
        self._truths = [in_truth(counters, place) for place in range(len(self.twin.places))]

    def reset(self) -> None:
        """Go back to where all contexts begin."""
        self.twin.memory.array[:] = self._start

    def step(self, context: int, number: int) -> int:
        """Serve a context's request of that number, and return what came of it."""
        return self.twin.perform(self.tasks[context][number])

    def broken(self, *, ended: bool) -> LawBroken | None:
        """The first law that is broken, all contexts being at rest."""
        counters = counters_of(self.twin)
        for item, total in counters.totals.items():
            places = [at for at, place in enumerate(counters.places) if place.item is item]
            told = sum(counters.told[at] for at in places)
            if told != total:
                return LawBroken(
                    "VM-conserve", f"{item.value}: the machine was told {total}, its parts {told}"
                )
        for at, truth in enumerate(self._truths if ended else ()):
            if in_truth(counters, at) != truth:
                place = counters.places[at]
                return LawBroken(
                    "VM-conserve",
                    f"{place.item.value} {place.where}: told and kept are "
                    f"{in_truth(counters, at)}, expected {truth}",
                )
        return None


MakeScene = Callable[[Kernels], Scene]
