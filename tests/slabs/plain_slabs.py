"""A second opinion about slabs, written from the facts alone: slow, and built another way.

Objects are addresses throughout; there are no chains of numbers, no counts of objects in use and no
steps. Every free object stands in one list of its slab or of its CPU, and where a slab is follows
from one word. What is in use is what callers were told.

Facts: mm/slub.c, mm/slab.c and mm/memcontrol.c as they were in each of the eras.
"""

from collections.abc import Callable

from tests.slabs.plain_keeper import Keeper
from tests.slabs.plain_parts import FRAME, LATE, Store
from tests.slabs.plain_purses import Payer, Purses

from pagespec.slab.machine import SlabMachine
from pagespec.slab.verbs import SlabOp, SlabVerb
from pagespec.types import NO_MEMORY

BEFORE = ("5.8", "5.15", "6.1")


class PlainSlabs(Keeper):
    """The same requests as the spec's, for machines without groups' own caches, legal ones only."""

    def __init__(self, machine: SlabMachine) -> None:
        super().__init__(machine)
        self.held: dict[int, tuple[Store | None, int]] = {}
        self.blocks: dict[int, int] = {}
        self.purses = Purses(machine)
        self.slots: list[int] = []

    def ask(self, op: SlabOp) -> int:
        """What comes of a request."""
        self.cpu = op.cpu
        if op.verb in ANSWERED:
            return ANSWERED[op.verb](self, op)
        DONE[op.verb](self, op)
        return 0

    def alloc(self, op: SlabOp) -> int:
        got = self._get(op, 1)
        return got[0] if got else NO_MEMORY

    def allocbulk(self, op: SlabOp) -> int:
        self.slots = self._get(op, op.objects) if op.objects else []
        return len(self.slots)

    def _get(self, op: SlabOp, count: int) -> list[int]:
        store = self.stores[op.cache]
        price = store.size + 8
        pays = op.group if self.machine.scheme == "objects" else 0
        if pays and self.era in BEFORE and not self.purses.charge(self.cpu, pays, count * price):
            return []
        got: list[int] = []
        while len(got) < count:
            address = self.take(store)
            if address is None:
                self._fail(op, store, pays, got)
                return []
            got.append(address)
        if (
            pays
            and self.era not in BEFORE
            and not self.purses.charge(self.cpu, pays, count * price)
        ):
            for chain in self._rounds(got)[0] if len(got) > 1 else [got]:
                self.back(store, chain)
            return []
        self._hand_out(store, pays, got)
        return got

    def _hand_out(self, store: Store, pays: int, got: list[int]) -> None:
        for address in got:
            self.held[address] = (store, pays)
            if pays:
                self.purses.payers[pays].refs += 1

    def _fail(self, op: SlabOp, store: Store, pays: int, got: list[int]) -> None:
        """What a request does with what it got before there was no more."""
        price = store.size + 8
        single = op.verb is SlabVerb.ALLOC
        if single and pays and self.era in BEFORE:
            self.purses.uncharge(self.cpu, pays, price)
        if self.era in ("5.8", "5.15") or self.machine.design == "slab":
            chains = [[address] for address in got]
        else:
            chains = self._rounds(got)[0]
        if self.era == "6.12":
            chains = [chain[::-1] for chain in chains]
        if pays and self.era in BEFORE and not single:
            self.purses.payers[pays].lost += (op.objects - len(got)) * price
        for chain in chains:
            if pays and self.era in BEFORE and not single:
                for _ in chain:
                    self.purses.uncharge(self.cpu, pays, price)
            self.back(store, chain)

    def large(self, op: SlabOp) -> int:
        order = op.order or 0
        frame = self.new_frames(order)
        if frame == NO_MEMORY:
            return NO_MEMORY
        self.blocks[frame] = order
        self.held[frame * FRAME] = (None, 0)
        return frame * FRAME

    def free(self, op: SlabOp) -> None:
        self._free_chain([op.addresses[0]], op.withheld)

    def _free_chain(
        self, chain: list[int], withheld: tuple[int, ...], *, paid: bool = True
    ) -> None:
        """Objects of one slab, as they lie in the array from the lowest slot up."""
        store, _ = self.held[chain[0]]
        if store is None:
            del self.held[chain[0]]
            frame = chain[0] // FRAME
            self.free_frames(frame, self.blocks.pop(frame))
            return
        if paid:
            self._pay_back(chain)
        free: list[int] = []
        for address in chain:
            del self.held[address]
            if address in withheld:
                self.withheld[self.cpu].append((address, store))
            else:
                free.insert(0, address)
        if free:
            self.back(store, free)

    def _pay_back(self, addresses: list[int]) -> None:
        for address in addresses:
            store, pays = self.held[address]
            if store is not None and pays:
                self.purses.uncharge(self.cpu, pays, store.size + 8)
                self.purses.unref(pays)

    def freebulk(self, op: SlabOp) -> None:
        given = [*op.addresses]
        if self.machine.design == "slab":
            for address in given:
                self._free_chain([address], op.withheld)
            self.slots = given
            return
        at_once = self.era in ("5.8", "5.15")
        if at_once:
            self._pay_back([address for address in given if address])
        chains, left = self._rounds(given)
        for chain in chains:
            self._free_chain(chain[::-1], op.withheld, paid=not at_once)
        self.slots = left

    def _rounds(self, slots: list[int]) -> tuple[list[list[int]], list[int]]:
        """What goes back together, the highest slot first; and what is left in the slots."""
        array = slots.copy()
        chains = []
        if self.era in LATE:
            size = len(array)
            while size:
                home, same, misses = self._home(array[size - 1]), size - 1, 0
                chain = [array[size - 1]]
                at = size - 2
                while at >= 0:
                    if self._home(array[at]) == home:
                        same -= 1
                        chain.append(array[at])
                        array[at], array[same] = array[same], array[at]
                    else:
                        misses += 1
                        if misses == 3:
                            break
                    at -= 1
                chains.append(chain)
                size = same
            return chains, array
        while any(array):
            last = max(at for at, address in enumerate(array) if address)
            home, misses, chain = self._home(array[last]), 0, []
            for at in range(last, -1, -1):
                if array[at] and self._home(array[at]) == home:
                    chain.append(array[at])
                    array[at] = 0
                elif array[at]:
                    misses += 1
                    if misses == 3:
                        break
            chains.append(chain)
        return chains, array

    def _home(self, address: int) -> int:
        for store in self.stores.values():
            for page in store.pages.values():
                if address in page.objects:
                    return page.frame
        return address // FRAME

    def release(self, op: SlabOp) -> None:
        waiting, self.withheld[op.cpu] = self.withheld[op.cpu], []
        for address, store in waiting:
            self.back(store, [address])

    def group(self, op: SlabOp) -> None:
        self.purses.payers[op.group] = Payer()

    def offline(self, op: SlabOp) -> None:
        self.purses.close(op.group)


ANSWERED: dict[SlabVerb, Callable[[PlainSlabs, SlabOp], int]] = {
    SlabVerb.ALLOC: PlainSlabs.alloc,
    SlabVerb.ALLOC_BULK: PlainSlabs.allocbulk,
    SlabVerb.LARGE: PlainSlabs.large,
}

DONE: dict[SlabVerb, Callable[[PlainSlabs, SlabOp], None]] = {
    SlabVerb.CREATE: PlainSlabs.create,
    SlabVerb.DESTROY: PlainSlabs.destroy,
    SlabVerb.SHRINK: PlainSlabs.shrink,
    SlabVerb.FREE: PlainSlabs.free,
    SlabVerb.FREE_BULK: PlainSlabs.freebulk,
    SlabVerb.RELEASE: PlainSlabs.release,
    SlabVerb.FLUSH: PlainSlabs.flush,
    SlabVerb.REAP: PlainSlabs.reap,
    SlabVerb.GROUP: PlainSlabs.group,
    SlabVerb.OFFLINE: PlainSlabs.offline,
}
