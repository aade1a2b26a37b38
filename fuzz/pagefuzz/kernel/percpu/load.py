"""What the sizes of a CPU's lists may be, as far as events and zoneinfo tell.

Sizes adapt, and nothing prints what they have learnt. So they are known as a set of possible
states: what an event shows excludes those that would have done otherwise, and an event that all of
them exclude breaks a law. What each state would do is asked of the spec.
"""

from typing import NamedTuple, Protocol

from pagefuzz.kernel.snapshots import Sizes
from pagespec.frames import SIZES
from pagespec.pcp.tuning import Pressure
from pagespec.types import Order


class Counts(NamedTuple):
    """How many frames the lists hold: at least and at most, for what may have left unseen."""

    least: int
    most: int


class Drain(NamedTuple):
    """What a drain took: frames in all, and the order of the last block."""

    pages: int
    last: Order

    def is_of(self, wanted: int) -> bool:
        """Whether it is a drain of so many frames: blocks go until these are reached."""
        return self.pages - SIZES[self.last] < wanted <= self.pages


CALM = "by the sizes"
DOUBLED = "a batch doubled by earlier refills"
CLAMPED = "up to what the lists may keep"
FLUSH = "higher orders flush the lists"
RECLAIMING = "while kswapd may be at work"
BELOW_HIGH = "while the zone may be below its high mark"


class Load(Protocol):
    """The possible sizes of one CPU's lists of one zone."""

    def resize(self, sizes: list[Sizes], cpu: int) -> None:
        """Take the sizes of the snapshots before and after."""

    def requested(self) -> None:
        """Let a block be asked for."""

    def refilled(self, order: Order, blocks: int, counts: Counts) -> str | None:
        """Return why a refill is so long, or None if it cannot be."""

    def kept(self, order: Order, counts: Counts, pressures: list[Pressure]) -> bool:
        """Return whether a free may have left all on the lists, which hold so much with it."""

    def may_be_freed(self, order: Order) -> None:
        """Let a block be freed now or later, and all that follows from it be open."""

    def drained(
        self, order: Order, counts: Counts, drain: Drain, pressures: list[Pressure]
    ) -> str | None:
        """Return why a free drained so much, or None if it cannot have."""

    def ages(self, counts: Counts, drain: Drain) -> bool:
        """Return whether the periodic worker may have drained so much."""

    def empties(self, drain: Drain) -> bool:
        """Return whether a flush of so much leaves nothing."""

    def shown(self) -> str:
        """Return the sizes in words."""
