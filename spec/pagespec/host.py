"""A host: the zones of its nodes, the CPUs of each node, and which zones a request tries in turn.

Source: include/linux/mmzone.h and mm/page_alloc.c (build_zonelists, find_next_best_node), 2.6.11 to
6.12; the order by zones was the default of small nodes from 2.6.22 to 3.17 and went in 4.14.
"""

from dataclasses import dataclass

from pagespec.era import Era
from pagespec.machine import Machine
from pagespec.types import DomainError, ZoneClass

RATIOS = (256, 256, 32, 0)
"""One frame in so many of what lies above is kept by each class of zone, by default."""

MAX_NODES = 64
"""The most nodes of a host."""


@dataclass(frozen=True, slots=True)
class Part:
    """One zone of a host: its class, its node, and its frames."""

    zone_class: ZoneClass
    node: int
    machine: Machine


@dataclass(frozen=True, slots=True)
class Host:
    """Zones, and the node of each CPU.

    parts: lowest frames first, apart, all of one era; at most one zone of each class a node. Their
        machines say cpus=N for all CPUs of the host, and which of these are far.
    cpus: per CPU, its node.
    min_free: min_free_kbytes of the whole host; None for zones without watermarks.
    by_zone: whether all nodes' higher zones are tried before any lower one, to spare low memory.
    numa: whether the kernel is built for more than one node, and counts whose memory was given.

    Raises DomainError for a description outside this domain.
    """

    parts: tuple[Part, ...]
    cpus: tuple[int, ...] = ()
    min_free: int | None = None
    by_zone: bool = False
    numa: bool = True

    def __post_init__(self) -> None:
        if not self.parts:
            raise DomainError("a host has no zone; expected one at least")
        beyond = 0
        for part in self.parts:
            self._check_part(part, beyond)
            beyond = part.machine.end
        places = [(part.node, part.zone_class) for part in self.parts]
        for node, zone_class in places:
            if places.count((node, zone_class)) > 1:
                raise DomainError(f"node {node} has two zones {zone_class.name}; expected one")
        if all(part.zone_class is ZoneClass.MOVABLE for part in self.parts):
            raise DomainError("all zones are MOVABLE; expected one for the kernel's own use")
        for cpu, node in enumerate(self.cpus):
            if not 0 <= node < MAX_NODES:
                raise DomainError(f"CPU {cpu} is of node {node}; expected 0 to {MAX_NODES - 1}")
        if self.min_free is not None and not 0 <= self.min_free < 2**32:
            raise DomainError(f"min_free={self.min_free}: expected KiB from 0 to {2**32 - 1}")
        if self.by_zone and not self.era.zonelists_by_zone:
            raise DomainError(f"era {self.era.name} tries zones by node only; expected no by_zone")
        if not self.numa and len(self.nodes) > 1:
            raise DomainError(f"{len(self.nodes)} nodes without NUMA; expected one")

    def _check_part(self, part: Part, beyond: int) -> None:
        first = self.parts[0].machine
        machine, where = part.machine, f"zone at frame {part.machine.start}"
        if machine.start < beyond:
            raise DomainError(f"{where}: expected {beyond} or more, where the one before ends")
        if machine.era != self.era:
            raise DomainError(f"{where} is of era {machine.era.name}; expected {self.era.name}")
        if not 0 <= part.node < MAX_NODES:
            raise DomainError(f"{where} is of node {part.node}; expected 0 to {MAX_NODES - 1}")
        if (machine.top, machine.pageblock) != (first.top, first.pageblock):
            raise DomainError(
                f"{where} has top={machine.top}, pageblock={machine.pageblock}; expected "
                f"top={first.top}, pageblock={first.pageblock} as in the first"
            )
        if machine.min_free is not None:
            raise DomainError(f"{where} says min_free; expected the host to")
        far = frozenset(cpu for cpu, node in enumerate(self.cpus) if node != part.node)
        if machine.cpus != len(self.cpus) or machine.far != far:
            raise DomainError(
                f"{where} has cpus={machine.cpus}, far={sorted(machine.far)}; expected "
                f"cpus={len(self.cpus)}, far={sorted(far)} as the host's CPUs lie"
            )
        young = part.zone_class in (ZoneClass.DMA32, ZoneClass.MOVABLE)
        if young and self.era.numbering is None:
            raise DomainError(f"{where}: era {self.era.name} has no zone {part.zone_class.name}")

    @property
    def era(self) -> Era:
        """The era of every zone."""
        return self.parts[0].machine.era

    @property
    def nodes(self) -> tuple[int, ...]:
        """The nodes that have memory, in order."""
        return tuple(sorted({part.node for part in self.parts}))


def zonelist(host: Host, node: int, highest: ZoneClass, *, only_node: bool = False) -> list[int]:
    """The numbers of the zones that a request near a node tries, in order.

    All of the own node first, from the highest class that the request allows down; then the other
    nodes', which are taken for equally far: those without CPUs and those that follow first. Ordered
    by zone, every node's zone of a class comes before any of a lower class.

    >>> from pagespec.era import ERAS
    >>> starts = [(ZoneClass.DMA32, 0, 0), (ZoneClass.NORMAL, 0, 64), (ZoneClass.NORMAL, 1, 128)]
    >>> def part(zone_class, node, start, era="4.10"):
    ...     return Part(zone_class, node, Machine(pages=64, top=3, start=start, era=ERAS[era]))
    >>> parts = tuple(part(*start) for start in starts)
    >>> zonelist(Host(parts), 0, ZoneClass.NORMAL)
    [1, 0, 2]
    >>> zonelist(Host(parts, by_zone=True), 0, ZoneClass.NORMAL)
    [1, 2, 0]
    """

    def remoteness(other: int) -> tuple[bool, int, int]:
        return other != node, (other < node) + (other in host.cpus), other

    near = [node] if only_node else sorted(host.nodes, key=remoteness)
    classes = range(highest, -1, -1)
    places = [(other, zone_class) for other in near for zone_class in classes]
    if host.by_zone:
        places.sort(key=lambda place: -place[1])
    number_at = {(part.node, part.zone_class): at for at, part in enumerate(host.parts)}
    return [number_at[place] for place in places if place in number_at]
