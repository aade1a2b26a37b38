"""Small allocators in Python: lazy ones, and ones that offer or promise this and that."""

from collections.abc import Sequence

from pagespec.boot import boot
from pagespec.frames import SIZES, canonical, head_of
from pagespec.laws.outside import Promises
from pagespec.machine import Machine
from pagespec.migratetype import UNMOVABLE
from pagespec.ops import perform
from pagespec.types import NO_MEMORY, REFUSED, Block, Order, Pfn, Refusal
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import Zone, copy_of, free_blocks


class Called:
    """The spec as an allocator that is asked by calls, as a user's own is, and shows its state."""

    promises = Promises(exact=True)

    def __init__(self, machine: Machine) -> None:
        self.zone = boot(machine)

    def _perform(self, op: Op) -> Outcome:
        outcome = perform(self.zone, op)
        if outcome <= max(Refusal):
            raise REFUSED[Refusal(outcome)](Block(op.pfn, op.order))
        return outcome

    def alloc(self, order: Order) -> Pfn | None:
        outcome = self._perform(Op(Verb.ALLOC, order))
        return None if outcome == NO_MEMORY else outcome

    def alloc_compound(self, order: Order) -> Pfn | None:
        outcome = self._perform(Op(Verb.ALLOC, order, compound=True))
        return None if outcome == NO_MEMORY else outcome

    def free(self, pfn: Pfn, order: Order) -> None:
        self._perform(Op(Verb.FREE, order, pfn))

    def get(self, pfn: Pfn) -> None:
        self._perform(Op(Verb.GET, 0, pfn))

    def put(self, pfn: Pfn) -> None:
        self._perform(Op(Verb.PUT, 0, pfn))

    def state(self) -> Zone:
        return copy_of(self.zone)


class Lists(Called):
    """A spec that shows lists and no state, with what it is made of in plain sight."""

    promises = Promises(exact=False)
    state = None  # type: ignore[assignment]

    def free_lists(self) -> Sequence[Sequence[Pfn]]:
        return [list(blocks[UNMOVABLE]) for blocks in self.zone.free_area]


class ExactLists(Lists):
    """The same, with the promise that its lists are those of Linux."""

    promises = Promises(exact=True)


class Lazy:
    """Merges nothing until everything has come back and a request fails, and says so."""

    promises = Promises(merges_eagerly=False)

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.free_blocks = free_blocks(boot(machine))
        self.held: dict[Pfn, Order] = {}

    def alloc(self, order: Order) -> Pfn | None:
        if not 0 <= order <= self.machine.top:
            raise ValueError("no such order")
        pfn = self._take(order)
        if pfn is None and not self.held:
            self.merge()
            pfn = self._take(order)
        return pfn

    def free(self, pfn: Pfn, order: Order) -> None:
        if self.held.get(pfn) != order:
            raise ValueError("not given out with this order")
        del self.held[pfn]
        self.free_blocks.append(Block(pfn, order))

    def _take(self, order: Order) -> Pfn | None:
        fitting = [block for block in self.free_blocks if block.order >= order]
        if not fitting:
            return None
        pfn, have = min(fitting, key=lambda block: block.order)
        self.free_blocks.remove(Block(pfn, have))
        self.free_blocks += [Block(pfn + SIZES[half], half) for half in range(order, have)]
        self.held[pfn] = order
        return pfn

    def merge(self) -> None:
        base, top = self.machine.base, self.machine.top
        frames = [
            block.pfn - base + at for block in self.free_blocks for at in range(SIZES[block.order])
        ]
        self.free_blocks = [Block(base + pfn, order) for pfn, order in canonical(frames, top)]


class LazyForGood(Lazy):
    """Forgets to merge at all."""

    def merge(self) -> None:
        pass


class LazyInSecret(Lazy):
    """Claims to merge eagerly."""

    promises = Promises()


class LazyOverlap(Lazy):
    """Merges too much: the block that it takes for free reaches to the end of its parent."""

    def free(self, pfn: Pfn, order: Order) -> None:
        super().free(pfn, order)
        index = pfn - self.machine.base
        if order < self.machine.top and index == head_of(index, order + 1):
            self.free_blocks[-1] = Block(pfn, order + 1)


class Trusting(Lazy):
    """Believes every free, and would lose its mind over an illegal one."""

    promises = Promises(merges_eagerly=False, refuses=False)

    def free(self, pfn: Pfn, order: Order) -> None:
        assert self.held.get(pfn) == order
        super().free(pfn, order)
