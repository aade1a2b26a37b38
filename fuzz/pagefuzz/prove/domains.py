"""The domains of small zones that are exhausted without pageblocks: eras, tops, lengths, starts."""

from typing import NamedTuple

from pagefuzz.prove.exhaust import Counts, exhaust
from pagefuzz.prove.twin import plain_twin_beside
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.types import MAX_TOP, Order, Pfn


class Domain(NamedTuple):
    """All zones of 1 to so many frames in one era, with one top order and one first frame.

    twin: whether the fast twin serves every request too.
    """

    era: str
    top: Order
    pages: int
    start: Pfn = 0
    twin: bool = False

    @property
    def lengths(self) -> range:
        """The lengths of its zones, in frames."""
        return range(1, self.pages + 1)

    def exhaust(self, pages: int) -> Counts:
        """The counts of the zone of so many frames. Raises LawBroken as `exhaust` does."""
        machine = Machine(pages, self.top, ERAS[self.era], self.start)
        beside = plain_twin_beside(machine) if self.twin else None
        return exhaust(machine, renaming=not self.twin, beside=beside)

    def __str__(self) -> str:
        beside = " beside the twin" if self.twin else ""
        return f"era {self.era} top {self.top} start {self.start} pages 1..{self.pages}{beside}"


PLACED = ("2.6.8", "2.6.11", "2.6.39", "4.10", "6.1")
"""One era for each design and each rule of where blocks enter their list."""

BY_PFN = ("2.6.39", "4.10")
"""The eras that count from frame zero, in which a start changes what is aligned."""

LAST_TOP = 4
"""The first top order that no zone here has a block of; above it all are alike."""

DOMAINS = (
    *(Domain(era, top, 11) for era in PLACED for top in range(LAST_TOP + 1)),
    *(Domain(era, top, 8) for era in PLACED for top in (LAST_TOP + 1, MAX_TOP)),
    *(Domain(era, top, 9, start) for era in BY_PFN for start in (1, 3) for top in (1, 2, 3)),
    *(Domain(era, top, 7, twin=True) for era in PLACED for top in range(LAST_TOP + 1)),
    *(Domain(era, 3, 7, 3, twin=True) for era in BY_PFN),
)
