"""The fast twin as an allocator of a host."""

from dataclasses import dataclass

from pagefuzz.target.protocol import TornList
from pageimpl import refine
from pageimpl.host import HostAllocator
from pageimpl.source import Kernels
from pagespec.host import Host
from pagespec.system import System
from pagespec.verbs import Op, Outcome


class TwinHost:
    """The twin, which promises to be Linux of the era, frame for frame."""

    def __init__(self, host: Host, kernels: Kernels | None = None) -> None:
        self.allocator = HostAllocator(host, modules=kernels)

    def serve(self, op: Op) -> Outcome:
        """See `HostTarget`."""
        return self.allocator.perform(op)

    def state(self) -> System:
        """See `HostTarget`."""
        try:
            zones = [refine.zone_of(zone) for zone in self.allocator.zones]
        except refine.TornList as torn:
            raise TornList(str(torn)) from None
        return System(self.allocator.host, zones, self.allocator.numa())


@dataclass(frozen=True, slots=True)
class TwinHostFactory:
    """Makes twins, of the installed kernels or of a set with a planted fault."""

    kernels: Kernels | None = None

    def __call__(self, host: Host) -> TwinHost:
        """A fresh twin on the host."""
        return TwinHost(host, self.kernels)
