"""A zone that is compacted with its memory: the class by which Python drives the twin."""

import numpy as np
import numpy.typing as npt

from pageimpl.allocator import Allocator
from pageimpl.compaction.layout import empty_compaction
from pageimpl.compaction.state import (
    Calls,
    CompactionMemory,
    nr_sources_of,
    waits_of,
)
from pageimpl.compaction.verbs import COLUMN_RESULT, COLUMNS, rows_of
from pageimpl.jitcache import entry_of
from pageimpl.memory import Words
from pageimpl.source import Kernels
from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.verbs import CompactionOp
from pagespec.verbs import Outcome


def _calls_of(kernels: Kernels) -> Calls:
    """The zone's kernels that compaction calls."""
    drain = kernels.modules["pcp.cpus"].drain_every_cpu
    free = kernels.modules["compaction.calls"].return_block
    alloc, put = kernels.alloc_pages, kernels.put_page
    if not kernels.compiled:
        return Calls(alloc, put, drain, free, (0, 0, 0, 0))
    entries = (entry_of(alloc, 3), entry_of(put, 3), entry_of(drain, 2), entry_of(free, 4))
    return Calls(alloc, put, drain, free, entries)


class CompactionTwin:
    """A zone that has just been handed over, and has never been compacted.

    jit: whether to run the compiled kernels. modules: a set of kernels from `source` to run
    instead. zone: the zone's allocator. memory: what compaction knows, for `refine`.
    """

    def __init__(
        self, machine: CompactionMachine, *, jit: bool = True, modules: Kernels | None = None
    ) -> None:
        self.machine = machine
        self.zone = Allocator(machine.zone, jit=jit, modules=modules)
        self.kernels = self.zone.kernels
        calls = _calls_of(self.kernels)
        self.memory: CompactionMemory = empty_compaction(machine, self.zone.memory, calls)
        self._mem = self.kernels.operand(self.memory)

    def perform(self, op: CompactionOp) -> Outcome:
        """Serve any request: the outcome that the spec gives it, refusals as their codes."""
        outcome: int = perform_all(self, rows_of((op,)), 1)[0]
        return int(outcome)

    def perform_rows(self, rows: Words, count: int) -> None:
        """Serve the requests of the first rows in their order, and write their results."""
        self.kernels.perform_compaction_rows(self._mem, self.kernels.operand(rows), count)
        assert nr_sources_of(self.memory) == waits_of(self.memory) == 0, "a run has not ended"


def perform_all(
    twin: CompactionTwin, rows: npt.NDArray[np.int64], count: int
) -> npt.NDArray[np.int64]:
    """Serve so many requests in their order, and return the outcomes.

    rows: as `rows_of` makes them. They stay as they are.
    """
    words = Words(len(rows))
    words.array[:] = rows
    twin.perform_rows(words, count)
    return words.array[: count * COLUMNS].reshape(count, COLUMNS)[:, COLUMN_RESULT].copy()
