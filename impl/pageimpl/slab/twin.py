"""A machine's caches with their memory: the class by which Python drives the twin."""

import numpy as np
import numpy.typing as npt

from pageimpl.allocator import Allocator
from pageimpl.jitcache import entry_of
from pageimpl.memory import Words
from pageimpl.slab.layout import empty_slabs, with_more_room
from pageimpl.slab.state import Pages, SlabMemory, lacking_of, nr_slots_of, slot_at
from pageimpl.slab.verbs import COLUMN_RESULT, COLUMNS, rows_of
from pageimpl.source import Kernels
from pagespec.slab.machine import SlabMachine
from pagespec.slab.verbs import Address, SlabOp
from pagespec.verbs import Outcome


def _pages_of(kernels: Kernels) -> Pages:
    """The page allocator of a set of kernels."""
    alloc, free = kernels.alloc_pages, kernels.free_pages
    if not kernels.compiled:
        return Pages(alloc, free, 0, 0)
    return Pages(alloc, free, entry_of(alloc, 3), entry_of(free, 4))


class SlabTwin:
    """The caches of a machine, of which there are none at first.

    jit: whether to run the compiled kernels. modules: a set of kernels from `source` to run
    instead. zone: the allocator from which slabs are taken. memory: the buffer as it is now, for
    `refine`; another one once there are more caches than it had room for.
    """

    def __init__(
        self, machine: SlabMachine, *, jit: bool = True, modules: Kernels | None = None
    ) -> None:
        self.machine = machine
        self.zone = Allocator(machine.zone, jit=jit, modules=modules)
        self.kernels = self.zone.kernels
        self.memory: SlabMemory = empty_slabs(machine, self.zone.memory, _pages_of(self.kernels))
        self._mem = self.kernels.operand(self.memory)

    def perform(self, op: SlabOp) -> Outcome:
        """Serve any request: the outcome that the spec gives it, refusals as their codes."""
        outcome: int = perform_all(self, rows_of((op,)), 1)[0]
        return int(outcome)

    def perform_rows(self, rows: Words, count: int) -> None:
        """Serve the requests of the first rows in their order, and write their results."""
        operand = self.kernels.operand(rows)
        served = self.kernels.perform_slab_rows(self._mem, operand, 0, count)
        while served < count:
            self._make_room()
            served = self.kernels.perform_slab_rows(self._mem, operand, served, count)

    def slots(self) -> list[Address]:
        """The array of the latest bulk request, as that left it."""
        memory = self.memory
        return [slot_at(memory, number) for number in range(nr_slots_of(memory))]

    def _make_room(self) -> None:
        self.memory = with_more_room(self.memory, lacking_of(self.memory))
        self._mem = self.kernels.operand(self.memory)


def perform_all(twin: SlabTwin, rows: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
    """Serve so many requests in their order, and return the outcomes.

    rows: as `rows_of` makes them. They stay as they are.
    """
    words = Words(len(rows))
    words.array[:] = rows
    twin.perform_rows(words, count)
    return words.array[: count * COLUMNS].reshape(count, COLUMNS)[:, COLUMN_RESULT].copy()
