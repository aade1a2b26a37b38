"""The words that every room shares: blocks, and the facts that refuse a request."""

from enum import IntEnum
from typing import ClassVar, NamedTuple, TypeAlias

Pfn: TypeAlias = int
"""A page frame number: the position of a 4 KiB frame in physical memory."""

Order: TypeAlias = int
"""A count of doublings: a block of order o has 2**o frames."""


class ZoneClass(IntEnum):
    """The kinds of zones of a node, lowest first; a request names the highest that it may use."""

    DMA = 0
    DMA32 = 1
    NORMAL = 2
    MOVABLE = 3


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


class EndlessWalk(RuntimeError):
    """A walk round the lists of a CPU would never end: it was to take more than they hold."""

    def __init__(self, pages: int, count: int) -> None:
        super().__init__(f"a drain asks for {pages} frames of lists that hold {count}")


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
    UNSUPPORTED = -11
    BAD_TYPE = -12
    BAD_RANGE = -13
    ISOLATED = -14
    NOT_ISOLATED = -15
    NOT_FREE = -16
    NOT_POISONED = -17
    COMPOUND = -18
    NOT_OFFLINE = -19
    BAD_CPU = -20
    BAD_NODE = -21
    NO_COUNTER = -22
    BUSY = -23
    NO_UPDATE = -24
    NO_CACHE = -25
    CACHE_EXISTS = -26
    CACHE_BUSY = -27
    BAD_SIZE = -28
    NOT_OBJECT = -29
    WRONG_CACHE = -30
    NO_GROUP = -31
    GROUP_EXISTS = -32
    GROUP_OFFLINE = -33


class Refused(ValueError):
    """A request breaks the caller's side of the contract; nothing has changed.

    Why a type of its own per fact: a double free and a free of a frame that was never given out
    are different faults of the caller, and historical bugs confuse them. subject: what the fact is
    about, if that is no block.
    """

    refusal: ClassVar[Refusal]
    fact: ClassVar[str]

    def __init__(self, block: Block, subject: str = "") -> None:
        super().__init__(f"{subject or block}: {self.fact}")
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


class UnsupportedRequest(Refused):
    """The era or the machine has no such operation."""

    refusal = Refusal.UNSUPPORTED
    fact = "this era or machine has no such operation; expected one with what it is about"


class BadType(Refused):
    """No request of that kind may have that migratetype."""

    refusal = Refusal.BAD_TYPE
    fact = "no such request may have that type; expected U, M or E, for a range M or C"


class BadRange(Refused):
    """The range is not made of whole blocks of existing frames, or of slots that an array has."""

    refusal = Refusal.BAD_RANGE
    fact = (
        "is no such range; expected whole pageblocks, until 5.15 whole largest blocks, no hole; "
        "of slots one at least, and no more than the array has"
    )


class AlreadyIsolated(Refused):
    """A pageblock of the range is isolated already."""

    refusal = Refusal.ISOLATED
    fact = "starts a range that is isolated in part; expected one that is not"


class NotIsolated(Refused):
    """A pageblock of the range is not isolated, or is offline."""

    refusal = Refusal.NOT_ISOLATED
    fact = "starts a range that is not all isolated and online; expected one that is"


class NotFree(Refused):
    """The frame, or a frame of the range, is not free."""

    refusal = Refusal.NOT_FREE
    fact = "is not free throughout; expected free frames"


class NotPoisoned(Refused):
    """The frame is not poisoned."""

    refusal = Refusal.NOT_POISONED
    fact = "is not poisoned; expected a frame that was"


class CompoundBlock(Refused):
    """A compound block stays one until it is freed."""

    refusal = Refusal.COMPOUND
    fact = "is compound; expected a block that may be split into pages"


class NotOffline(Refused):
    """A pageblock of the range is not offline."""

    refusal = Refusal.NOT_OFFLINE
    fact = "starts a range that is not all offline; expected one that is"


class BadCpu(Refused):
    """There is no such CPU, or it does not run; or does, and is to be plugged in or the last."""

    refusal = Refusal.BAD_CPU
    fact = (
        "no such request may name that CPU; expected one that runs, to plug in one that does not, "
        "to unplug not the last"
    )


class BadNode(Refused):
    """The host has no such node."""

    refusal = Refusal.BAD_NODE
    fact = "no such node has memory; expected one of the host's"


class NoCounter(Refused):
    """No such counter is kept."""

    refusal = Refusal.NO_COUNTER
    fact = "is no counter of this machine; expected one of its zones' or nodes'"


class CpuBusy(Refused):
    """The CPU has interrupts off, in the middle of an update."""

    refusal = Refusal.BUSY
    fact = "is in the middle of an update, with interrupts off; expected one that is not"


class NoUpdate(Refused):
    """No such update is under way."""

    refusal = Refusal.NO_UPDATE
    fact = "is not under way; expected the number of an update that is, the oldest being 0"


class NoCache(Refused):
    """There is no cache of that number."""

    refusal = Refusal.NO_CACHE
    fact = "does not exist; expected the number of a cache that was created"


class CacheExists(Refused):
    """The number is another cache's."""

    refusal = Refusal.CACHE_EXISTS
    fact = "exists already; expected a number from 1 to 256 that no cache has"


class CacheBusy(Refused):
    """Objects of the cache are held."""

    refusal = Refusal.CACHE_BUSY
    fact = "has objects that are held; expected one without"


class BadSize(Refused):
    """No cache may have that size, of its objects or of what it keeps."""

    refusal = Refusal.BAD_SIZE
    fact = (
        "is no such size; expected objects of whole words that fit on a slab, an order that the "
        "zone has, and no negative counts; arrays and batches hold one object at least, and only "
        "in SLAB"
    )


class NotObject(Refused):
    """The address is not the first byte of an object that is held."""

    refusal = Refusal.NOT_OBJECT
    fact = "is no object that is held; expected the address that was given out, once"


class WrongCache(Refused):
    """The object is one of another cache."""

    refusal = Refusal.WRONG_CACHE
    fact = "is an object of another cache; expected objects of the cache that is named"


class NoGroup(Refused):
    """There is no group of that number, or none may have it."""

    refusal = Refusal.NO_GROUP
    fact = "does not exist; expected a group of the machine's that has come"


class GroupExists(Refused):
    """The group has come already, or is not all gone yet."""

    refusal = Refusal.GROUP_EXISTS
    fact = "exists already; expected one that has not come, or is gone with all that it was charged"


class GroupOffline(Refused):
    """The group has gone, though something may still be charged to it."""

    refusal = Refusal.GROUP_OFFLINE
    fact = "is offline; expected one that can still be charged"


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
        UnsupportedRequest,
        BadType,
        BadRange,
        AlreadyIsolated,
        NotIsolated,
        NotFree,
        NotPoisoned,
        CompoundBlock,
        NotOffline,
        BadCpu,
        BadNode,
        NoCounter,
        CpuBusy,
        NoUpdate,
        NoCache,
        CacheExists,
        CacheBusy,
        BadSize,
        NotObject,
        WrongCache,
        NoGroup,
        GroupExists,
        GroupOffline,
    )
}
"""The error of each refusal, for callers that hold a return code of the twin."""
