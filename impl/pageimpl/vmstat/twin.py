"""A machine's counters with their memory: the class by which Python drives the twin."""

from functools import cache

import numpy as np
import numpy.typing as npt

from pageimpl.memory import Words
from pageimpl.source import Kernels, installed_modules, plain_modules
from pageimpl.vmstat.layout import empty_counters, with_more_room
from pageimpl.vmstat.state import CounterMemory, room_of, updates_of
from pageimpl.vmstat.verbs import COLUMN_RESULT, COLUMNS, MOST_OPENED, numbers_of
from pagespec.verbs import Outcome
from pagespec.vmstat.machine import CounterMachine
from pagespec.vmstat.verbs import CounterOp

_plain = cache(plain_modules)

BATCH = 2048
"""Rows that one call serves: few enough to stay in a processor's cache."""


class CounterTwin:
    """The counters of a machine, as they stand at boot.

    jit: whether to run the compiled kernels. modules: a set of kernels from `source` to run
    instead. memory: the buffer as it is now, for `refine`; another one once there are more updates
    under way than it had room for.
    """

    def __init__(
        self, machine: CounterMachine, *, jit: bool = True, modules: Kernels | None = None
    ) -> None:
        self.machine = machine
        self.places = machine.places
        self.kernels = modules or (installed_modules() if jit else _plain())
        self.memory: CounterMemory = empty_counters(machine)
        self._mem = self.kernels.operand(self.memory)
        self.kernels.boot_counters(self._mem)

    def perform(self, op: CounterOp) -> Outcome:
        """Serve any request: the outcome that the spec gives it, refusals as their codes."""
        if op.open and updates_of(self.memory) + MOST_OPENED > room_of(self.memory):
            self._make_room()
        return self.kernels.perform_counter(self._mem, *numbers_of(op))

    def perform_rows(self, rows: Words, count: int) -> None:
        """Serve the requests of the first rows in their order, and write their results."""
        operand = self.kernels.operand(rows)
        served = self.kernels.perform_counter_rows(self._mem, operand, 0, count)
        while served < count:
            self._make_room()
            served = self.kernels.perform_counter_rows(self._mem, operand, served, count)

    def _make_room(self) -> None:
        self.memory = with_more_room(self.memory, 2 * room_of(self.memory))
        self._mem = self.kernels.operand(self.memory)


def perform_all(twin: CounterTwin, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Serve the requests of all rows in their order, and return the outcomes.

    rows: as `verbs` describes them, their verbs, items and flags being numbers that it has; of the
    other columns anything goes. They stay as they are.
    """
    outcomes = np.empty(len(rows), np.int64)
    words = Words(min(len(rows), BATCH) * COLUMNS)
    table = words.array.reshape(-1, COLUMNS)
    for first in range(0, len(rows), BATCH):
        batch = rows[first : first + BATCH]
        table[: len(batch)] = batch
        twin.perform_rows(words, len(batch))
        outcomes[first : first + BATCH] = table[: len(batch), COLUMN_RESULT]
    return outcomes
