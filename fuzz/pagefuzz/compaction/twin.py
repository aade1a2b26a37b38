"""The fast twin as a zone that is compacted, under test."""

from dataclasses import dataclass

from pageimpl.compaction.refine import compaction_of
from pageimpl.compaction.twin import CompactionTwin
from pageimpl.source import Kernels
from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.state import Compaction
from pagespec.compaction.verbs import CompactionOp
from pagespec.verbs import Outcome


class TwinCompaction:
    """The twin, which promises to be Linux of the era, move for move."""

    def __init__(self, machine: CompactionMachine, kernels: Kernels | None = None) -> None:
        self.twin = CompactionTwin(machine, modules=kernels)

    def perform(self, op: CompactionOp) -> Outcome:
        """See `CompactionTarget`."""
        return self.twin.perform(op)

    def state(self) -> Compaction:
        """See `CompactionTarget`."""
        return compaction_of(self.twin)


@dataclass(frozen=True, slots=True)
class TwinCompactionFactory:
    """Makes twins, of the installed kernels or of a set with a planted fault."""

    kernels: Kernels | None = None

    def __call__(self, machine: CompactionMachine) -> TwinCompaction:
        """A fresh zone of the machine."""
        return TwinCompaction(machine, self.kernels)
