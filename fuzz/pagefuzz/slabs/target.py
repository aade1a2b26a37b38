"""What stands for an allocator of objects under test: requests and state. The spec is one."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

from pagespec.slab.machine import SlabMachine
from pagespec.slab.ops import perform, start
from pagespec.slab.state import Slabs, copy_of_slabs
from pagespec.slab.verbs import SlabOp
from pagespec.verbs import Outcome


class SlabTarget(Protocol):
    """An allocator of objects with its zone."""

    def perform(self, op: SlabOp) -> Outcome:
        """What comes of the request: an address, a number, or the code of its refusal."""

    def state(self) -> Slabs:
        """The state as it is now, which later requests do not change."""


SlabFactory: TypeAlias = Callable[[SlabMachine], SlabTarget]
"""Makes a fresh allocator of the machine, without any cache."""


def perform_quietly(slabs: Slabs, op: SlabOp) -> Outcome:
    """Serve a request by the spec, which then has nothing to say of how it did."""
    outcome = perform(slabs, op)
    slabs.zone.log.clear()
    slabs.zone.visited = 0
    return outcome


class SpecSlabs:
    """The spec as an allocator of objects under test: slow, and right by definition."""

    def __init__(self, machine: SlabMachine) -> None:
        self.slabs = start(machine)

    def perform(self, op: SlabOp) -> Outcome:
        """See `SlabTarget`."""
        return perform_quietly(self.slabs, op)

    def state(self) -> Slabs:
        """See `SlabTarget`."""
        return copy_of_slabs(self.slabs)
