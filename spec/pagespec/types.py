"""The words that every room shares: blocks, and the facts that refuse a request."""

from enum import IntEnum
from typing import ClassVar, NamedTuple, TypeAlias

Pfn: TypeAlias = int
"""A page frame number: the position of a 4 KiB frame in physical memory."""

Order: TypeAlias = int
"""A count of doublings: a block of order o has 2**o frames."""

MAX_TOP: Order = 15
"""The largest TOP that a machine may have; Linux uses 10."""

NO_MEMORY = -1
"""What the fast twin returns where the spec returns None: no block can serve the request."""

FAULT = -99
"""The outcome of a request that did not return: an allocator from outside crashed or hung."""


class Block(NamedTuple):
    """A run of 2**order frames that starts at pfn."""

    pfn: Pfn
    order: Order

    def __str__(self) -> str:
        return f"pfn {self.pfn} order {self.order}"


class DomainError(ValueError):
    """A description lies outside the domain that the spec speaks about."""


class Refusal(IntEnum):
    """Why a request is refused; the values are the twin's return codes, so all are below -1."""

    BAD_ORDER = -2
    OUTSIDE = -3
    MISALIGNED = -4
    HOLE = -5
    WRONG_ORDER = -6
    INTERIOR = -7
    DOUBLE = -8
    NEVER_GIVEN = -9
    UNSAID = -10
    """An allocator from outside refused and gave no reason; the spec always gives one."""


class Refused(ValueError):
    """A request breaks the caller's side of the contract; nothing has changed.

    Why a type of its own per fact: a double free and a free of a frame that was never given out
    are different faults of the caller, and historical bugs confuse them.
    """

    refusal: ClassVar[Refusal]
    fact: ClassVar[str]

    def __init__(self, block: Block) -> None:
        super().__init__(f"{block}: {self.fact}")
        self.block = block


class BadOrder(Refused):
    """The order is not one that the zone has."""

    refusal = Refusal.BAD_ORDER
    fact = "no block of this zone has that order; expected 0 to the zone's top order"


class OutsideZone(Refused):
    """The block does not lie in the zone."""

    refusal = Refusal.OUTSIDE
    fact = "lies outside the zone; expected a block that the zone gave out"


class MisalignedBlock(Refused):
    """The frame cannot head a block of that order."""

    refusal = Refusal.MISALIGNED
    fact = "starts off its alignment; expected an index that is a multiple of the block's size"


class FrameInHole(Refused):
    """The frame has no memory behind it."""

    refusal = Refusal.HOLE
    fact = "lies in a hole of the zone; expected a frame that exists"


class WrongOrder(Refused):
    """The frame heads a block that was given out with another order."""

    refusal = Refusal.WRONG_ORDER
    fact = "was given out with another order; expected the order of the allocation"


class InteriorFrame(Refused):
    """The frame lies inside a block that is held, not at its head."""

    refusal = Refusal.INTERIOR
    fact = "lies inside a block that is held; expected the block's first frame"


class DoubleFree(Refused):
    """The block was given out once and is free by now."""

    refusal = Refusal.DOUBLE
    fact = "has been given back before; expected a block that is held"


class NeverGiven(Refused):
    """The frame never headed a block that was given out."""

    refusal = Refusal.NEVER_GIVEN
    fact = "was never given out; expected a block that is held"


REFUSED: dict[Refusal, type[Refused]] = {
    error.refusal: error
    for error in (
        BadOrder,
        OutsideZone,
        MisalignedBlock,
        FrameInHole,
        WrongOrder,
        InteriorFrame,
        DoubleFree,
        NeverGiven,
    )
}
"""The error of each refusal, for callers that hold a return code of the twin."""
