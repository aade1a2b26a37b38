"""The fast twin as an allocator of objects under test."""

from dataclasses import dataclass

from pageimpl.slab.refine import slabs_of
from pageimpl.slab.twin import SlabTwin
from pageimpl.source import Kernels
from pagespec.slab.machine import SlabMachine
from pagespec.slab.state import Slabs
from pagespec.slab.verbs import SlabOp
from pagespec.verbs import Outcome


class TwinSlabs:
    """The twin, which promises to be Linux of the era, object for object."""

    def __init__(self, machine: SlabMachine, kernels: Kernels | None = None) -> None:
        self.twin = SlabTwin(machine, modules=kernels)

    def perform(self, op: SlabOp) -> Outcome:
        """See `SlabTarget`."""
        return self.twin.perform(op)

    def state(self) -> Slabs:
        """See `SlabTarget`."""
        return slabs_of(self.twin)


@dataclass(frozen=True, slots=True)
class TwinSlabFactory:
    """Makes twins, of the installed kernels or of a set with a planted fault."""

    kernels: Kernels | None = None

    def __call__(self, machine: SlabMachine) -> TwinSlabs:
        """A fresh allocator of the machine."""
        return TwinSlabs(machine, self.kernels)
