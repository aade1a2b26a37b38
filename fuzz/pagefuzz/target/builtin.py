"""The allocators that come with the project: the fast twin, and the spec itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pagefuzz.target.kernels import load_kernels
from pagefuzz.target.protocol import Serves, TornList
from pagespec.boot import boot
from pagespec.guards import GuardName
from pagespec.laws.outside import Promises
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.types import Pfn
from pagespec.verbs import Op, Outcome
from pagespec.zone import Zone, copy_of

if TYPE_CHECKING:
    from pageimpl.source import Kernels


class Twin:
    """The compiled twin, which promises to be Linux of the era, frame for frame."""

    promises = Promises(exact=True)
    serves = Serves(lists=True, marks=True, cells=True)

    def __init__(self, machine: Machine, kernels: "Kernels | None" = None) -> None:
        # Numba takes a third of a second to import; whoever tests another allocator need not wait.
        from pageimpl.allocator import Allocator

        if kernels is None:
            load_kernels()
        self.allocator = Allocator(machine, modules=kernels)
        self.serve, self.slots = self.allocator.perform, self.allocator.slots

    def state(self) -> Zone:
        """See `ShowsState`."""
        from pageimpl import refine

        try:
            return refine.zone_of(self.allocator)
        except refine.TornList as torn:
            raise TornList(str(torn)) from None


@dataclass(frozen=True, slots=True)
class TwinFactory:
    """Makes twins, of the installed kernels or of a set with a planted fault.

    guard: a planted fault of schedules: what keeps contexts off lists in place of the era's guard.
    """

    kernels: "Kernels | None" = None
    guard: GuardName | None = None

    def __call__(self, machine: Machine) -> Twin:
        """A fresh twin on the machine."""
        return Twin(machine, self.kernels)


class Spec:
    """The spec as an allocator: slow, and right by definition."""

    promises = Promises(exact=True)
    serves = Serves(lists=True, marks=True, cells=True)

    def __init__(self, machine: Machine) -> None:
        self.zone = boot(machine)

    def serve(self, op: Op) -> Outcome:
        """See `ServesAll`."""
        outcome = perform(self.zone, op)
        self.zone.log.clear()
        return outcome

    def state(self) -> Zone:
        """See `ShowsState`."""
        return copy_of(self.zone)

    def slots(self) -> Mapping[Pfn, int]:
        """See `ShowsSlots`."""
        return self.zone.slots.copy()
