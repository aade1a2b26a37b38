"""The gear for volume: compiled random requests to the twin, replayed by the spec in batches.

The twin draws and serves a batch in compiled code; the spec serves the same requests and must give
the same outcome to each. After every batch the lists must agree, block by block, the pageblocks'
types and the count of free frames; after every tenth and at the end the whole states must, and at
the end the state laws hold.
"""

from collections import Counter
from random import Random

from pagefuzz.coverage import Reached, events_in_crowd, events_of, is_crowded
from pageimpl.allocator import Allocator, Stream
from pageimpl.refine import TornList, zone_of
from pageimpl.source import Kernels
from pageimpl.stream import op_of
from pagespec.boot import boot
from pagespec.laws.exact import EXACT_LAWS, TWIN_LAWS, Placed, Twins
from pagespec.laws.law import LawBroken
from pagespec.laws.state import READING_LAWS, STATE_LAWS
from pagespec.laws.swept import swept
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.types import Pfn
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import lists_of

BATCH = 100
"""Requests between two comparisons of all lists."""

WHOLE = 10
"""Batches between two comparisons of whole states, what CPUs keep included."""

LARGE_TOP = 10
"""The top order from which on all orders are drawn alike."""


class Replay:
    """One stream on one machine, and the spec that follows it.

    done: every request so far and the twin's outcome. filled: the array of bulk requests after each
    that was served, by its place in done. reached: the events so far.
    """

    def __init__(self, machine: Machine, rng: Random, kernels: Kernels | None = None) -> None:
        self.machine = machine
        self.allocator = Allocator(machine, modules=kernels)
        top = machine.top
        uniform = [1] * (top + 1)
        self.stream = Stream(
            self.allocator,
            rng.getrandbits(63),
            # A short stream on a large zone meets its large blocks only if it asks for them.
            weights=uniform if top >= LARGE_TOP else rng.choice(((), uniform, [1])),
            illegal=rng.choice((16, 128)),
            references=rng.choice((32, 192)),
            typed=rng.choice((16, 64, 256)),
            atomic=rng.choice((64, 128, 512)),
            nofragment=rng.choice((0, 64, 512)),
            listed=rng.choice((0, 32, 128)),
            emergency=rng.choice((0, 32, 256)),
            irq=rng.choice((0, 64, 256)),
            contended=rng.choice((0, 64, 256)),
            cold=rng.choice((0, 64, 256)),
        )
        self.zone = boot(machine)
        self.managed = machine.managed_pages
        self.done: list[tuple[Op, Outcome]] = []
        self.filled: dict[int, dict[Pfn, int]] = {}
        self.reached: Reached = Counter()

    def run(self, count: int) -> None:
        """Serve so many requests, rounded up to whole batches. Raises LawBroken."""
        self._compare_lists()
        for number in range(1, -(-count // BATCH) + 1):
            self._batch()
            self._compare_lists()
            if number % WHOLE == 0:
                TWIN_LAWS.check(self.machine.era, Twins(self.zone, zone_of(self.allocator)))
        view = zone_of(self.allocator)
        STATE_LAWS.check(self.machine.era, swept(view))
        TWIN_LAWS.check(self.machine.era, Twins(self.zone, view))

    def _batch(self) -> None:
        zone, done = self.zone, self.done
        for row in self.stream.run(BATCH).tolist():
            op, outcome = op_of(row)
            done.append((op, outcome))
            crowded, told = self._is_crowded(), len(zone.log)
            due = perform(zone, op)
            if due != outcome:
                raise LawBroken("TWIN-equal", f"{op} gave {outcome}, the spec answers {due}")
            if crowded:
                self.reached.update(events_in_crowd(outcome, zone.log[told:]))
            if op.verb is Verb.BULK and outcome > 0:
                self.filled[len(done) - 1] = zone.slots.copy()
        self.reached.update(events_of(zone.log))
        zone.log.clear()

    def _is_crowded(self) -> bool:
        """Whether nine tenths of the memory or more are given out."""
        left = self.managed - self.zone.free_pages
        if not is_crowded(self.managed, left):
            return False
        listed = sum(pcp.count for pcps in self.zone.pcps for pcp in pcps)
        return is_crowded(self.managed, left - listed)

    def _compare_lists(self) -> None:
        era, zone, allocator = self.machine.era, self.zone, self.allocator
        try:
            lists = allocator.free_area()
        except TornList as torn:
            READING_LAWS.check(era, str(torn))
            raise
        EXACT_LAWS.check(era, Placed(f"{len(self.done)} requests", 0, 0, lists, lists_of(zone)))
        shown = allocator.pageblocks(), allocator.free_frames()
        due = zone.pageblocks, zone.free_pages
        if shown != due:
            raise LawBroken("TWIN-equal", f"types and free frames are {shown}, the spec's {due}")
