"""What stands for counters under test: their requests and their state. The spec itself is one."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

from pagespec.verbs import Outcome
from pagespec.vmstat.counters import Counters, boot_counters, copy_of_counters
from pagespec.vmstat.machine import CounterMachine
from pagespec.vmstat.ops import perform
from pagespec.vmstat.verbs import CounterOp


class CounterTarget(Protocol):
    """The counters of a machine."""

    def perform(self, op: CounterOp) -> Outcome:
        """What comes of the request: a number of its own, or the code of its refusal."""

    def state(self) -> Counters:
        """The state as it is now, which later requests do not change."""


CounterFactory: TypeAlias = Callable[[CounterMachine], CounterTarget]
"""Makes fresh counters of the machine, as they stand at boot."""


class SpecCounters:
    """The spec as counters under test: slow, and right by definition."""

    def __init__(self, machine: CounterMachine) -> None:
        self.counters = boot_counters(machine)

    def perform(self, op: CounterOp) -> Outcome:
        """See `CounterTarget`."""
        return perform(self.counters, op)

    def state(self) -> Counters:
        """See `CounterTarget`."""
        return copy_of_counters(self.counters)
