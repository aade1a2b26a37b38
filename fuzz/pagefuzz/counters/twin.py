"""The fast twin as counters under test."""

from dataclasses import dataclass

from pageimpl.source import Kernels
from pageimpl.vmstat.refine import counters_of
from pageimpl.vmstat.twin import CounterTwin
from pagespec.verbs import Outcome
from pagespec.vmstat.counters import Counters
from pagespec.vmstat.machine import CounterMachine
from pagespec.vmstat.verbs import CounterOp


class TwinCounters:
    """The twin, which promises to count as the era does, cell for cell."""

    def __init__(self, machine: CounterMachine, kernels: Kernels | None = None) -> None:
        self.twin = CounterTwin(machine, modules=kernels)

    def perform(self, op: CounterOp) -> Outcome:
        """See `CounterTarget`."""
        return self.twin.perform(op)

    def state(self) -> Counters:
        """See `CounterTarget`."""
        return counters_of(self.twin)


@dataclass(frozen=True, slots=True)
class TwinCounterFactory:
    """Makes twins, of the installed kernels or of a set with a planted fault."""

    kernels: Kernels | None = None

    def __call__(self, machine: CounterMachine) -> TwinCounters:
        """Fresh counters of the machine."""
        return TwinCounters(machine, self.kernels)
