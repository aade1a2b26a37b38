"""A zone as four values that can be compared and kept, each by a number of its own.

Most steps change one or two of them, so that the others keep their numbers, and a state is a few
small integers. The zone is made to stand again as a number says. Whoever adds a field to a zone
adds it here: a test counts them.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from pagespec.migratetype import MigrateType
from pagespec.pcp.state import Load
from pagespec.types import Order, Pfn
from pagespec.vmstat.kept import Cells
from pagespec.watermark.levels import Levels
from pagespec.watermark.marks import Marks
from pagespec.zone import Held, Zone

S = TypeVar("S")
V = TypeVar("V", bound=Hashable)


class Aspect(ABC, Generic[S, V]):
    """One side of something that changes in place.

    values: those that it has had, by number. stands: the number of the one that it has.
    """

    def __init__(self, of: S) -> None:
        self.of = of
        self.values: list[V] = []
        self.numbers: dict[V, int] = {}
        self.stands = -1

    @abstractmethod
    def look(self) -> V:
        """The value as it is now."""

    @abstractmethod
    def put(self, value: V, before: V | None) -> None:
        """Make it so again. before: what it is now, if that is known."""

    def freeze(self) -> int:
        """The number of the value as it is now."""
        value = self.look()
        if self.stands >= 0 and value == self.values[self.stands]:
            return self.stands
        self.stands = self.number(value)
        return self.stands

    def number(self, value: V) -> int:
        """The number of a value, whether or not it is the one now."""
        number = self.numbers.get(value)
        if number is None:
            number = self.numbers[value] = len(self.values)
            self.values.append(value)
            self.enter(value)
        return number

    def enter(self, value: V) -> None:
        """Remember what goes with a value that is new."""

    def thaw(self, number: int) -> None:
        """Make it as that number says."""
        if number != self.stands:
            before = self.values[self.stands] if self.stands >= 0 else None
            self.stands = number
            self.put(self.values[number], before)


class Freezable(Protocol):
    """An aspect, whatever its values are."""

    stands: int

    def freeze(self) -> int:
        """The number of the value as it is now."""

    def thaw(self, number: int) -> None:
        """Make it as that number says."""

    def look(self) -> Hashable:
        """The value as it is now."""


class FrozenLists(NamedTuple):
    """The free lists, and what is written of them elsewhere."""

    heads: tuple[tuple[Pfn, ...], ...]
    nr_free: tuple[int, ...]
    pair_bits: tuple[frozenset[int], ...]
    tag: frozenset[tuple[Pfn, Order]]


class Lists(Aspect[Zone, FrozenLists]):
    """The free lists."""

    def __init__(self, zone: Zone) -> None:
        super().__init__(zone)
        self.lists = [blocks for listed in zone.free_area for blocks in listed.values()]

    def look(self) -> FrozenLists:
        """The lists in their order; bits and tags have none."""
        zone = self.of
        return FrozenLists(
            tuple([tuple(blocks) if blocks else () for blocks in self.lists]),
            tuple(zone.nr_free),
            tuple(map(frozenset, zone.pair_bits)),
            frozenset(zone.tag.items()),
        )

    def put(self, value: FrozenLists, before: FrozenLists | None) -> None:
        """Fill the lists anew that differ."""
        zone = self.of
        for blocks, heads in zip(self.lists, value.heads, strict=True):
            if tuple(blocks) != heads:
                blocks.clear()
                blocks.update(dict.fromkeys(heads))
        zone.nr_free[:] = value.nr_free
        if before is None or value.pair_bits != before.pair_bits:
            for bits, pairs in zip(zone.pair_bits, value.pair_bits, strict=True):
                bits.clear()
                bits.update(pairs)
        if before is None or value.tag != before.tag:
            zone.tag.clear()
            zone.tag.update(value.tag)


KeptItems: TypeAlias = tuple[tuple[Pfn, MigrateType], ...]
"""The blocks of one list of a CPU, in their order, each with its type."""


class FrozenPcps(NamedTuple):
    """All CPUs' lists, and per CPU and set the frames in them and their sizes."""

    lists: tuple[KeptItems, ...]
    pages: tuple[int, ...]
    loads: tuple[Load, ...]


class Pcps(Aspect[Zone, FrozenPcps]):
    """The CPUs' lists."""

    def __init__(self, zone: Zone) -> None:
        super().__init__(zone)
        self.pcps = [pcp for pcps in zone.pcps for pcp in pcps]
        self.lists = [blocks for pcp in self.pcps for blocks in pcp.lists]

    def look(self) -> FrozenPcps:
        """CPU by CPU."""
        return FrozenPcps(
            tuple([tuple(blocks.items()) if blocks else () for blocks in self.lists]),
            tuple([pcp.count for pcp in self.pcps]),
            tuple([pcp.load for pcp in self.pcps]),
        )

    def put(self, value: FrozenPcps, before: FrozenPcps | None) -> None:
        """Fill the lists anew that differ."""
        for pcp, pages, load in zip(self.pcps, value.pages, value.loads, strict=True):
            pcp.count, pcp.load = pages, load
        for blocks, items in zip(self.lists, value.lists, strict=True):
            if (blocks or items) and tuple(blocks.items()) != items:
                blocks.clear()
                blocks.update(items)


class FrozenHoldings(NamedTuple):
    """Who has which frames, and what is known of them."""

    held: frozenset[tuple[Pfn, Held]]
    given: frozenset[Pfn]
    guards: frozenset[tuple[Pfn, Order]]
    slots: frozenset[tuple[Pfn, int]]
    poisoned: frozenset[Pfn]
    offline: frozenset[Pfn]
    unplugged: frozenset[int]
    pageblocks: tuple[MigrateType, ...]


class Holdings(Aspect[Zone, FrozenHoldings]):
    """Who has which frames."""

    def look(self) -> FrozenHoldings:
        """What has no order is a set."""
        zone = self.of
        return FrozenHoldings(
            frozenset(zone.held.items()),
            frozenset(zone.given),
            frozenset(zone.guards.items()),
            frozenset(zone.slots.items()),
            frozenset(zone.poisoned),
            frozenset(zone.offline),
            frozenset(zone.unplugged),
            tuple(zone.pageblocks),
        )

    def put(self, value: FrozenHoldings, before: FrozenHoldings | None) -> None:
        """Hold again what was held."""
        zone = self.of
        if before is None or value.held != before.held:
            zone.held.clear()
            zone.held.update(value.held)
        if before is None or value.given != before.given:
            zone.given.clear()
            zone.given.update(value.given)
        if before is None or value[2:] != before[2:]:
            self.put_rare(value)

    def put_rare(self, value: FrozenHoldings) -> None:
        """Do the same with what few requests change."""
        zone = self.of
        for numbers, pairs in ((zone.guards, value.guards), (zone.slots, value.slots)):
            numbers.clear()
            numbers.update(pairs)
        for frames, frozen in (
            (zone.poisoned, value.poisoned),
            (zone.offline, value.offline),
            (zone.unplugged, value.unplugged),
        ):
            frames.clear()
            frames.update(frozen)
        zone.pageblocks[:] = value.pageblocks


class FrozenCounts(NamedTuple):
    """The plain numbers of a zone."""

    free_pages: int
    free_cma: int
    free_highatomic: int
    nr_reserved: int
    disabled: bool
    sized_low: int
    gathered: int | None
    pgallocs: tuple[int, ...]
    pgfrees: tuple[int, ...]


class FrozenLevels(NamedTuple):
    """The marks of a zone, and what is known by them."""

    marks: Marks
    reserve: tuple[int, ...]
    boost: int
    boosted: bool
    below_high: bool
    reclaiming: bool


class FrozenCells(NamedTuple):
    """What the CPUs keep of counts to themselves."""

    threshold: int
    drift_mark: int
    rest: tuple[int, ...]
    free_told: int
    free_kept: tuple[int, ...]
    cma_told: int
    cma_kept: tuple[int, ...]


class FrozenNumbers(NamedTuple):
    """Counts, marks and cells."""

    counts: FrozenCounts
    levels: FrozenLevels | None
    cells: FrozenCells | None


class Numbers(Aspect[Zone, FrozenNumbers]):
    """The counts, marks and cells."""

    def look(self) -> FrozenNumbers:
        """One after the other."""
        zone = self.of
        counts = FrozenCounts(
            zone.free_pages,
            zone.free_cma,
            zone.free_highatomic,
            zone.nr_reserved,
            zone.disabled,
            zone.sized_low,
            zone.gathered,
            tuple(zone.pgallocs),
            tuple(zone.pgfrees),
        )
        return FrozenNumbers(counts, frozen_levels(zone.levels), frozen_cells(zone.cells))

    def put(self, value: FrozenNumbers, before: FrozenNumbers | None) -> None:
        """Set them again."""
        zone = self.of
        (
            zone.free_pages,
            zone.free_cma,
            zone.free_highatomic,
            zone.nr_reserved,
            zone.disabled,
            zone.sized_low,
            zone.gathered,
            zone.pgallocs[:],
            zone.pgfrees[:],
        ) = value.counts
        levels, cells = zone.levels, zone.cells
        if levels is not None and value.levels is not None:
            (
                levels.marks,
                levels.reserve,
                levels.boost,
                levels.boosted,
                levels.below_high,
                levels.reclaiming,
            ) = value.levels
        if cells is not None and value.cells is not None:
            (
                cells.threshold,
                cells.drift_mark,
                cells.rest[:],
                cells.free.told,
                cells.free.kept[:],
                cells.cma.told,
                cells.cma.kept[:],
            ) = value.cells


def frozen_levels(levels: Levels | None) -> FrozenLevels | None:
    """Marks as a value."""
    if levels is None:
        return None
    return FrozenLevels(
        levels.marks,
        levels.reserve,
        levels.boost,
        levels.boosted,
        levels.below_high,
        levels.reclaiming,
    )


def frozen_cells(cells: Cells | None) -> FrozenCells | None:
    """Cells as a value."""
    if cells is None:
        return None
    return FrozenCells(
        cells.threshold,
        cells.drift_mark,
        tuple(cells.rest),
        cells.free.told,
        tuple(cells.free.kept),
        cells.cma.told,
        tuple(cells.cma.kept),
    )
