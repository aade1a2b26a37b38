"""The machine description: one zone, its holes, its pageblocks, its top order and its era."""

from dataclasses import dataclass

from pagespec.era import Era
from pagespec.frames import SIZES
from pagespec.migratetype import (
    CMA,
    HIGHATOMIC,
    ISOLATE,
    LETTER_OF,
    MOVABLE,
    UNMOVABLE,
    MigrateType,
)
from pagespec.types import MAX_TOP, DomainError, Order, Pfn

MAX_PAGES = 2**24
"""The longest zone: 64 GiB of 4 KiB frames."""

MAX_CPUS = 1024
"""The most CPUs that keep page lists."""

MAX_SLOTS = 256
"""The slots of the array that bulk requests fill."""

MAX_PFN = 2**40
"""One past the last frame number that a zone may reach: 4 PiB of 4 KiB frames."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A zone of `pages` frames from `start`, with blocks up to order `top`, in an era.

    holes: runs [first, end) of frames, in ascending order and apart, that have no memory.
    Any start and any length are allowed: what alignment means is the era's index base, and frames
    that fit no larger block are handed over as smaller ones.

    pageblock: the order of a pageblock. None is what the kernel calls grouping by mobility
        disabled: there is one free list per order, and every request is UNMOVABLE.
    types: the type of each pageblock before boot, lowest first; all MOVABLE if empty.
    guard: free halves below that order become guard pages (debug_guardpage_minorder).
    cpus: how many CPUs keep page lists of the zone; with 0 the buddy stands alone. far: those of
        them that belong to another node than the zone; only hosts of several nodes have any.
    batch, high: the sizes of those lists, in place of what follows from the zone's size.
    cells: whether each of them keeps a part of the count of free frames to itself.
    min_free: min_free_kbytes, from which the zone's watermarks follow; None for a zone without.

    Raises DomainError for a description outside this domain.
    """

    pages: int
    top: Order
    era: Era
    start: Pfn = 0
    holes: tuple[tuple[Pfn, Pfn], ...] = ()
    pageblock: Order | None = None
    types: tuple[MigrateType, ...] = ()
    guard: Order = 0
    cpus: int = 0
    far: frozenset[int] = frozenset()
    batch: int | None = None
    high: int | None = None
    min_free: int | None = None
    cells: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.pages <= MAX_PAGES:
            raise DomainError(f"pages={self.pages}: a zone has 1 to {MAX_PAGES} frames")
        if not 0 <= self.top <= MAX_TOP:
            raise DomainError(f"top={self.top}: the top order is 0 to {MAX_TOP}")
        if not 0 <= self.start <= MAX_PFN - self.pages:
            raise DomainError(
                f"start={self.start}: a zone lies between frame 0 and frame {MAX_PFN}"
            )
        beyond = self.start
        for first, end in self.holes:
            if not beyond <= first < end <= self.end:
                raise DomainError(
                    f"hole {first}..{end}: holes are not empty, ascend, lie apart and stay in "
                    f"the zone {self.start}..{self.end}"
                )
            beyond = end + 1
        # A guard over two pageblocks would outlive the isolation of either, and merge across.
        largest = self.top if self.pageblock is None else self.pageblock
        if not 0 <= self.guard <= (largest if self.era.guards else 0):
            raise DomainError(
                f"guard={self.guard}: guard pages are below order 0 to {largest} in the eras that "
                f"count them, and era {self.era.name} {'does' if self.era.guards else 'does not'}"
            )
        self._check_lists()
        if self.pageblock is not None:
            self._check_pageblocks(self.pageblock)
        elif self.types:
            raise DomainError("types: only a machine with pageblocks has any; say pageblock=ORDER")

    def _check_lists(self) -> None:
        if self.min_free is not None and not 0 <= self.min_free <= 4 * MAX_PAGES:
            raise DomainError(
                f"min_free={self.min_free}: expected 0 to {4 * MAX_PAGES} KiB, a frame has 4"
            )
        if not 0 <= self.cpus <= MAX_CPUS:
            raise DomainError(f"cpus={self.cpus}: page lists are kept by 0 to {MAX_CPUS} CPUs")
        if any(not 0 <= cpu < self.cpus for cpu in self.far):
            raise DomainError(f"far={sorted(self.far)}: expected CPUs below cpus={self.cpus}")
        for name, size in (("batch", self.batch), ("high", self.high)):
            if size is None:
                continue
            if not self.cpus:
                raise DomainError(f"{name}={size}: only a machine with cpus=N has lists to size")
            if not 0 <= size <= MAX_PAGES:
                raise DomainError(f"{name}={size}: the size of a list is 0 to {MAX_PAGES} frames")
        if self.cells and self.era.cells == "none":
            raise DomainError(f"cells=1: era {self.era.name} counts without cells")
        if self.cells and not self.cpus:
            raise DomainError(
                "cells=1: only a machine with cpus=N has CPUs to keep parts of counts"
            )
        if self.high is not None and self.era.tuning == "pair":
            raise DomainError(
                f"high={self.high}: era {self.era.name} sizes its hot and cold lists by the batch"
            )

    def _check_pageblocks(self, pageblock: Order) -> None:
        era = self.era
        if era.numbering is None:
            raise DomainError(f"pageblock={pageblock}: era {era.name} has no pageblocks")
        # A merged block of 6.12 that is larger than two pageblocks would keep a type that its list
        # does not have: real configurations never have a larger gap.
        least = max(1, self.top - 1) if era.retypes_on_merge else 1
        if not least <= pageblock <= self.top:
            raise DomainError(
                f"pageblock={pageblock}: a pageblock of era {era.name} has order {least} to the "
                f"top order, {self.top}"
            )
        if not self.types:
            return
        count = self.pageblocks
        if len(self.types) != count:
            raise DomainError(f"types: {len(self.types)} types for {count} pageblocks")
        for number, mt in enumerate(self.types):
            if mt not in era.types:
                raise DomainError(
                    f"types: pageblock {number} is {mt.name}; era {era.name} has none"
                )
        for number, mt in enumerate(self.types):
            if mt is HIGHATOMIC and self._is_cut(number):
                raise DomainError(
                    f"types: pageblock {number} is {mt.name} and reaches over an end of the zone"
                )
        size = SIZES[self.isolation_order]
        for mt in (CMA, ISOLATE):
            for pfn in range(self.start // size * size, self.end, size):
                inside = {self.types[number] is mt for number in self._pageblocks_of(pfn, size)}
                if len(inside) > 1:
                    raise DomainError(
                        f"types: the largest block at frame {pfn} is {LETTER_OF[mt]} in part; era "
                        f"{era.name} would merge it with the rest"
                    )

    def _is_cut(self, number: int) -> bool:
        size = SIZES[self.pageblock or 0]
        first = (self.start // size + number) * size
        return first < self.start or first + size > self.end

    def _pageblocks_of(self, pfn: Pfn, pages: int) -> range:
        first, end = max(pfn, self.start), min(pfn + pages, self.end)
        return range(self.pageblock_number(first), self.pageblock_number(end - 1) + 1)

    def pageblock_number(self, pfn: Pfn) -> int:
        """Which pageblock of the zone the frame lies in; the lowest, which may be cut, is 0."""
        size = SIZES[self.pageblock or 0]
        return pfn // size - self.start // size

    @property
    def huge(self) -> Order:
        """The order of huge pages, which some eras keep in lists too; none without pageblocks."""
        return -1 if self.pageblock is None else self.pageblock

    @property
    def pageblocks(self) -> int:
        """How many pageblocks the zone has, those that are cut by its ends included."""
        return 0 if self.pageblock is None else self.pageblock_number(self.end - 1) + 1

    @property
    def first_types(self) -> tuple[MigrateType, ...]:
        """The type of each pageblock before boot."""
        return self.types or (MOVABLE,) * self.pageblocks

    @property
    def types_listed(self) -> tuple[MigrateType, ...]:
        """The types that have free lists of their own."""
        return (UNMOVABLE,) if self.pageblock is None else self.era.types

    @property
    def isolation_order(self) -> Order:
        """The order of the blocks that a range to isolate must be made of."""
        whole = self.pageblock is None or not self.era.isolates_pageblocks
        return self.top if whole else self.pageblock or 0

    @property
    def end(self) -> Pfn:
        """One past the zone's last frame."""
        return self.start + self.pages

    @property
    def base(self) -> Pfn:
        """The frame that has index 0: the zone's start or frame zero, as the era counts."""
        return self.start if self.era.index_base == "zone" else 0

    @property
    def chunks(self) -> tuple[tuple[Pfn, Pfn], ...]:
        """The runs [first, end) of frames that exist: the zone without its holes."""
        edges = [self.start, *(edge for hole in self.holes for edge in hole), self.end]
        pairs = zip(edges[::2], edges[1::2], strict=True)
        return tuple((first, end) for first, end in pairs if first < end)

    @property
    def managed(self) -> tuple[tuple[Pfn, Pfn], ...]:
        """The runs [first, end) of frames that boot hands over: all that exist, but for victims.

        One way of 2004 keeps back for ever the last frame of each chunk with an unaligned end. No
        block that holds the victim is ever free, so no free block reaches the chunk's end, and an
        upper buddy always starts at a frame that exists.
        Source: the second posting of the 2004 series, 31 August.
        """
        if self.era.bounds != "buddyend":
            return self.chunks
        size = SIZES[self.top]
        cut = ((first, end - ((end - self.base) % size != 0)) for first, end in self.chunks)
        return tuple((first, end) for first, end in cut if first < end)

    @property
    def managed_pages(self) -> int:
        """How many frames boot hands over."""
        return sum(end - first for first, end in self.managed)
