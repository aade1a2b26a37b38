"""A host: the zones of its nodes, the CPUs of each node, and what each zone counts.

Source: include/linux/mmzone.h (struct zonelist, enum numa_stat_item), 2.6.11 to 6.12.
"""

from dataclasses import dataclass
from typing import NamedTuple

from pagespec.era import Era
from pagespec.machine import Machine
from pagespec.types import DomainError, ZoneClass

RATIOS = (256, 256, 32)
"""One frame in so many of what lies above is kept by each class of zone, by default: by DMA, DMA32
and NORMAL. Above MOVABLE nothing lies."""

MAX_NODES = 64
"""The most nodes of a host."""


@dataclass(frozen=True, slots=True)
class Part:
    """One zone of a host: its class, its node, and its frames."""

    zone_class: ZoneClass
    node: int
    machine: Machine


class PartError(DomainError):
    """A zone does not fit into its host; says which one, and why."""

    def __init__(self, number: int, sentence: str) -> None:
        super().__init__(sentence)
        self.number = number


@dataclass(frozen=True, slots=True)
class Host:
    """Zones, and the node of each CPU.

    parts: lowest frames first, apart, all of one era; at most one zone of each class a node. Their
        machines say cpus=N for all CPUs of the host, and which of these are far.
    cpus: per CPU, its node.
    min_free: min_free_kbytes of the whole host; None for zones without watermarks.
    ratios: one frame in so many of the higher zones of its node is kept by a zone of each class.
    by_zone: whether all nodes' higher zones are tried before any lower one, to spare low memory.
    numa: whether the kernel is built for more than one node, and counts whose memory was given.

    Raises DomainError for a description outside this domain, PartError if a zone is to blame.
    """

    parts: tuple[Part, ...]
    cpus: tuple[int, ...] = ()
    min_free: int | None = None
    ratios: tuple[int, ...] = RATIOS
    by_zone: bool = False
    numa: bool = True

    def __post_init__(self) -> None:
        if not self.parts:
            raise DomainError("a host has no zone; expected one at least")
        beyond = 0
        for number, part in enumerate(self.parts):
            self._check_part(number, part, beyond)
            beyond = part.machine.end
        places = [(part.node, part.zone_class) for part in self.parts]
        for number, (node, zone_class) in enumerate(places):
            if (node, zone_class) in places[:number]:
                raise PartError(
                    number, f"node {node} has two zones {zone_class.name}; expected one"
                )
        if all(part.zone_class is ZoneClass.MOVABLE for part in self.parts):
            raise DomainError("all zones are MOVABLE; expected one for the kernel's own use")
        for cpu, node in enumerate(self.cpus):
            if not 0 <= node < MAX_NODES:
                raise DomainError(f"CPU {cpu} is of node {node}; expected 0 to {MAX_NODES - 1}")
        if self.min_free is not None and not 0 <= self.min_free < 2**32:
            raise DomainError(f"min_free={self.min_free}: expected KiB from 0 to {2**32 - 1}")
        if len(self.ratios) != len(RATIOS) or not all(1 <= one < 2**31 for one in self.ratios):
            said = ",".join(map(str, self.ratios))
            raise DomainError(
                f"ratios={said}: expected {len(RATIOS)} numbers from 1 to {2**31 - 1}"
            )
        if self.ratios != RATIOS and not self.era.keeps_low_memory:
            raise DomainError(f"era {self.era.name} keeps no low memory; expected no ratios")
        if self.by_zone and not self.era.zonelists_by_zone:
            raise DomainError(f"era {self.era.name} tries zones by node only; expected no byzone=1")
        if not self.numa and len(self.nodes) > 1:
            raise DomainError(f"{len(self.nodes)} nodes without NUMA; expected one")

    def _check_part(self, number: int, part: Part, beyond: int) -> None:
        first = self.parts[0].machine
        machine, where = part.machine, f"zone at frame {part.machine.start}"
        if machine.start < beyond:
            raise PartError(
                number, f"{where}: expected {beyond} or more, where the one before ends"
            )
        if machine.era != self.era:
            raise PartError(
                number, f"{where} is of era {machine.era.name}; expected {self.era.name}"
            )
        if not 0 <= part.node < MAX_NODES:
            raise PartError(
                number, f"{where} is of node {part.node}; expected 0 to {MAX_NODES - 1}"
            )
        if (machine.top, machine.pageblock) != (first.top, first.pageblock):
            raise PartError(
                number,
                f"{where} has top={machine.top}, pageblock={machine.pageblock}; expected "
                f"top={first.top}, pageblock={first.pageblock} as in the first",
            )
        if machine.cells != first.cells:
            raise PartError(
                number, f"{where} has cells={machine.cells:d}; expected all zones to have the same"
            )
        if machine.min_free is not None:
            raise PartError(number, f"{where} says min_free; expected the host to")
        far = frozenset(cpu for cpu, node in enumerate(self.cpus) if node != part.node)
        if machine.cpus != len(self.cpus) or machine.far != far:
            raise PartError(
                number,
                f"{where} has cpus={machine.cpus}, far={sorted(machine.far)}; expected "
                f"cpus={len(self.cpus)}, far={sorted(far)} as the host's CPUs lie",
            )
        young = part.zone_class in (ZoneClass.DMA32, ZoneClass.MOVABLE)
        if young and self.era.numbering is None:
            raise PartError(
                number, f"{where}: era {self.era.name} has no zone {part.zone_class.name}"
            )

    @property
    def era(self) -> Era:
        """The era of every zone."""
        return self.parts[0].machine.era

    @property
    def nodes(self) -> tuple[int, ...]:
        """The nodes that have memory, in order."""
        return tuple(sorted({part.node for part in self.parts}))


class Numa(NamedTuple):
    """What a zone counts of the allocations that it served, or should have.

    hit, miss: served for its own node, or for another. foreign: meant for it, served elsewhere.
    local, other: asked by a CPU of its node, or of another.
    """

    hit: int = 0
    miss: int = 0
    foreign: int = 0
    local: int = 0
    other: int = 0
