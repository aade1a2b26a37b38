"""A host: the zones of one or more nodes, and the CPUs that belong to them.

Source: include/linux/mmzone.h, mm/page_alloc.c (build_zonelists, calculate_totalreserve_pages).
"""

from dataclasses import dataclass
from enum import IntEnum

from pagespec.era import Era
from pagespec.machine import Machine
from pagespec.types import DomainError


class ZoneClass(IntEnum):
    """The kinds of zones of a node, lowest first; a request names the highest that it may use."""

    DMA = 0
    DMA32 = 1
    NORMAL = 2
    MOVABLE = 3


RATIOS = (256, 256, 32, 0)
"""One frame in so many of what lies above is kept by each class of zone, by default."""


@dataclass(frozen=True, slots=True)
class Part:
    """One zone of a host: its class, its node, and its frames."""

    zone_class: ZoneClass
    node: int
    machine: Machine


@dataclass(frozen=True, slots=True)
class Host:
    """Zones, and the node of each CPU.

    parts: lowest frames first, apart, all of one era; one zone of each class at most a node.
    cpus: per CPU, its node. min_free: min_free_kbytes in KiB; None for zones without watermarks.

    Raises DomainError for a description outside this domain.
    """

    parts: tuple[Part, ...]
    cpus: tuple[int, ...] = ()
    min_free: int | None = None

    def __post_init__(self) -> None:
        if not self.parts:
            raise DomainError("a host has a zone at least")
        beyond = 0
        for part in self.parts:
            if part.machine.start < beyond:
                raise DomainError(
                    f"zone at frame {part.machine.start}: zones ascend and lie apart; the one "
                    f"before ends at {beyond}"
                )
            beyond = part.machine.end
            if part.machine.era != self.era:
                raise DomainError("all zones of a host are of one era")
            if part.machine.cpus != len(self.cpus):
                raise DomainError(
                    f"zone at frame {part.machine.start} has cpus={part.machine.cpus}; the host "
                    f"has {len(self.cpus)}"
                )
        places = [(part.node, part.zone_class) for part in self.parts]
        if len(set(places)) != len(places):
            raise DomainError("a node has one zone of each class at most")
        if set(self.cpus) - {part.node for part in self.parts}:
            raise DomainError(f"cpus={self.cpus}: every CPU's node has a zone")
        if self.min_free is not None and not 0 <= self.min_free <= 2**32:
            raise DomainError(f"min_free={self.min_free}: expected KiB from 0 up")

    @property
    def era(self) -> Era:
        """The era of every zone."""
        return self.parts[0].machine.era

    @property
    def nodes(self) -> tuple[int, ...]:
        """The nodes that have memory, in order."""
        return tuple(sorted({part.node for part in self.parts}))


def zonelist(host: Host, node: int, highest: ZoneClass) -> list[int]:
    """The numbers of the zones that a request near a node tries, in order.

    All of the own node first, from the highest class that the request allows down; then the other
    nodes', which are taken for equally far.
    """
    others = sorted(host.nodes, key=lambda other: (other != node, other < node, other))
    return [
        number
        for near in others
        for zone_class in range(highest, -1, -1)
        for number, part in enumerate(host.parts)
        if (part.node, part.zone_class) == (near, zone_class)
    ]
