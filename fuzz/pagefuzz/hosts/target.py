"""What stands for a host under test: its requests and its state. The spec itself is one."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

from pagespec.host import Host
from pagespec.system import System, boot_system, copy_of_system, perform
from pagespec.verbs import Op, Outcome


class HostTarget(Protocol):
    """An allocator of all zones of a host."""

    def serve(self, op: Op) -> Outcome:
        """What comes of the request, by the numbers of `pagespec.verbs.Outcome`."""

    def state(self) -> System:
        """The state as it is now, which later requests do not change.

        Raises TornList if its memory does not read as lists.
        """


HostFactory: TypeAlias = Callable[[Host], HostTarget]
"""Makes a fresh allocator with all memory of the host free."""


class SpecHost:
    """The spec as an allocator of a host: slow, and right by definition."""

    def __init__(self, host: Host) -> None:
        self.system = boot_system(host)

    def serve(self, op: Op) -> Outcome:
        """See `HostTarget`."""
        outcome = perform(self.system, op)
        for zone in self.system.zones:
            zone.log.clear()
            zone.visited = 0
        return outcome

    def state(self) -> System:
        """See `HostTarget`."""
        return copy_of_system(self.system)
