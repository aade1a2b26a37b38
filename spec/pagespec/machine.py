"""The machine description: one zone's frames, its holes, its top order and its era."""

from dataclasses import dataclass

from pagespec.era import Era
from pagespec.frames import SIZES
from pagespec.types import MAX_TOP, DomainError, Order, Pfn

MAX_PAGES = 2**24
"""The longest zone: 64 GiB of 4 KiB frames."""

MAX_PFN = 2**40
"""One past the last frame number that a zone may reach: 4 PiB of 4 KiB frames."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A zone of `pages` frames from `start`, with blocks up to order `top`, in an era.

    holes: runs [first, end) of frames, in ascending order and apart, that have no memory.
    Any start and any length are allowed: what alignment means is the era's index base, and frames
    that fit no larger block are handed over as smaller ones.

    Raises DomainError for a description outside this domain.
    """

    pages: int
    top: Order
    era: Era
    start: Pfn = 0
    holes: tuple[tuple[Pfn, Pfn], ...] = ()

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
