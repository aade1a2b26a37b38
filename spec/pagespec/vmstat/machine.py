"""Where counters are kept: the CPUs, the zones of each node, and the designs that they follow."""

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from pagespec.era import CellsRule, Era
from pagespec.host import MAX_NODES
from pagespec.machine import MAX_CPUS, MAX_PAGES
from pagespec.types import DomainError
from pagespec.vmstat.numa import NEVER, NUMA_DESIGNS, NumaDesign, NumaName
from pagespec.vmstat.threshold import MOST


class Item(Enum):
    """What is counted. The value is its word in traces."""

    __hash__ = object.__hash__

    FREE = "free"
    CMA = "cma"
    ISOLATED = "isolated"
    HIT = "hit"
    MISS = "miss"
    FOREIGN = "foreign"
    INTERLEAVE = "interleave"
    LOCAL = "local"
    OTHER = "other"


ZONE_ITEMS = (Item.FREE, Item.CMA)
"""Frames that are free, and those of them that are CMA's: counted by zone."""

NODE_ITEMS = (Item.ISOLATED,)
"""Frames that are taken off their lists for a while: counted by node since 4.8."""

NUMA_ITEMS = (*(Item.HIT, Item.MISS, Item.FOREIGN), *(Item.INTERLEAVE, Item.LOCAL, Item.OTHER))
"""Allocations by whose memory they were given, by zone or by node."""


class Place(NamedTuple):
    """One counter of one zone or node: `where` is the zone's number, or the node."""

    item: Item
    where: int
    of_node: bool = False


class CountedZone(NamedTuple):
    """A zone as far as counters go: its node and how many frames it manages."""

    node: int
    pages: int


MAX_ZONES = 4 * MAX_NODES


@dataclass(frozen=True, slots=True)
class CounterMachine:
    """CPUs and zones whose counters are kept as an era does.

    cpus: per CPU, its node. zones: in the order of their numbers. min_free: min_free_kbytes of the
    whole host, from which the marks follow. numa: how NUMA statistics are kept, the era's way
    unless said otherwise. normal, pressure, numa_threshold: thresholds in place of those that
    follow, for small searches.

    Raises DomainError for a description outside this domain.
    """

    era: Era
    cpus: tuple[int, ...]
    zones: tuple[CountedZone, ...]
    min_free: int = 0
    numa: NumaName | None = None
    normal: int | None = None
    pressure: int | None = None
    numa_threshold: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= len(self.cpus) <= MAX_CPUS:
            raise DomainError(f"{len(self.cpus)} CPUs: counters are kept by 1 to {MAX_CPUS}")
        if not 1 <= len(self.zones) <= MAX_ZONES:
            raise DomainError(f"{len(self.zones)} zones: expected 1 to {MAX_ZONES}")
        for cpu, node in enumerate(self.cpus):
            if not 0 <= node < MAX_NODES:
                raise DomainError(f"CPU {cpu} is of node {node}; expected 0 to {MAX_NODES - 1}")
        for number, zone in enumerate(self.zones):
            if not 0 <= zone.node < MAX_NODES:
                raise DomainError(
                    f"zone {number} is of node {zone.node}; expected 0 to {MAX_NODES - 1}"
                )
            if not 1 <= zone.pages <= MAX_PAGES:
                raise DomainError(
                    f"zone {number} has {zone.pages} frames; expected 1 to {MAX_PAGES}"
                )
        if not 0 <= self.min_free < 2**32:
            raise DomainError(f"min_free={self.min_free}: expected KiB from 0 to {2**32 - 1}")
        self._check_thresholds()

    def _check_thresholds(self) -> None:
        era, own = self.era, self.design.threshold
        for name, size in (("normal", self.normal), ("pressure", self.pressure)):
            if size is None:
                continue
            if era.cells == "none":
                raise DomainError(f"{name}={size}: era {era.name} counts without cells")
            if not 0 <= size <= MOST:
                raise DomainError(f"{name}={size}: a cell of 8 bits allows 0 to {MOST}")
        if self.pressure is not None and not era.lowers_thresholds:
            raise DomainError(f"pressure={self.pressure}: era {era.name} lowers no thresholds")
        if self.numa_threshold is None:
            return
        if own is None or own == NEVER:
            raise DomainError(
                f"numa_threshold={self.numa_threshold}: only the designs u16 and s16-draft have one"
            )
        if not 0 <= self.numa_threshold <= own:
            raise DomainError(f"numa_threshold={self.numa_threshold}: expected 0 to {own}")

    @property
    def numa_name(self) -> NumaName:
        """The name of the NUMA design."""
        return self.era.numa if self.numa is None else self.numa

    @property
    def design(self) -> NumaDesign:
        """How NUMA statistics are kept."""
        return NUMA_DESIGNS[self.numa_name]

    @property
    def nodes(self) -> tuple[int, ...]:
        """The nodes that have memory, lowest first."""
        return tuple(sorted({zone.node for zone in self.zones}))

    @property
    def places(self) -> tuple[Place, ...]:
        """Every counter of every zone and node, in the order of their numbers."""
        return _places_of(len(self.zones), self.nodes, self.era.cells, self.design.of_node)


@lru_cache(maxsize=64)
def _places_of(
    zones: int, nodes: tuple[int, ...], cells: CellsRule, numa_of_node: bool
) -> tuple[Place, ...]:
    of_nodes = NODE_ITEMS if cells == "nodes" else ()
    wheres = nodes if numa_of_node else range(zones)
    return (
        *(Place(item, zone) for item in ZONE_ITEMS for zone in range(zones)),
        *(Place(item, node, of_node=True) for item in of_nodes for node in nodes),
        *(Place(item, where, numa_of_node) for item in NUMA_ITEMS for where in wheres),
    )
