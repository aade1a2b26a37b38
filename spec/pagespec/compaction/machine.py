"""What is compacted: a zone with pageblocks, and how its free scanner holds the lock."""

from dataclasses import dataclass

from pagespec.compaction.design import SCANS, CompactionDesign, Scan
from pagespec.era import Era
from pagespec.machine import Machine
from pagespec.types import DomainError


@dataclass(frozen=True, slots=True)
class CompactionMachine:
    """A zone whose movable blocks are moved together, so that large ones can form.

    zone: the frames, with pageblocks. scan: how the free scanner holds the zone's lock, the era's
    way unless said otherwise; all else stays the era's, so that ways can be told apart.

    Raises DomainError for a description outside this domain.
    """

    zone: Machine
    scan: Scan | None = None

    def __post_init__(self) -> None:
        era = self.zone.era
        if era.compaction is None:
            raise DomainError(f"era {era.name} compacts nothing; expected 2.6.37 or later")
        if self.zone.pageblock is None:
            raise DomainError("compaction goes by pageblocks; say pageblock=ORDER")
        if self.scan is not None and self.scan not in SCANS:
            raise DomainError(f"scan={self.scan}: expected one of {', '.join(SCANS)}")

    @property
    def era(self) -> Era:
        """The era of the zone."""
        return self.zone.era

    @property
    def design(self) -> CompactionDesign:
        """How this machine compacts."""
        design = self.zone.era.compaction
        assert design is not None, "no machine is made of an era without one"
        return design if self.scan is None else design._replace(scan=self.scan)
