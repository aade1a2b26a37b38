"""What a run passed through, in the kernel's own words where the kernel has one.

The first four are tracepoints; the others are the branches that a run must have taken before its
silence means anything.
"""

from enum import Enum
from typing import NamedTuple

from pagespec.migratetype import UNMOVABLE, MigrateType
from pagespec.types import Order, Pfn


class Kind(Enum):
    """One kind of event. The value is its name in reports."""

    # Enum would hash the name anew each time, in Python; each member is there once.
    __hash__ = object.__hash__

    ALLOC = "mm_page_alloc"
    FREE = "mm_page_free"
    ZONE_LOCKED = "mm_page_alloc_zone_locked"
    EXTFRAG = "mm_page_alloc_extfrag"
    SPLIT = "split"
    MERGE = "merge"
    HEAD = "placed at head"
    TAIL = "placed at tail"
    FAIL = "request failed"
    GET = "reference taken"
    KEPT = "reference dropped, block kept"
    TAILS = "tail blocks freed under a reference"
    PIECES = "held block split into pages"
    REFUSE = "request refused"
    # What follows needs CPUs with page lists.
    PCPU_DRAIN = "mm_page_pcpu_drain"
    REFILL = "list refilled"
    FROM_LIST = "taken from a CPU's list"
    TO_LIST = "put on a CPU's list"
    BULK = "given out in bulk"
    FILLED = "slots filled from a list"
    BARRED = "CPU's lists not used"
    BELOW_MARK = "zone below its mark"
    KSWAPD = "kswapd woken"
    BOOSTED = "watermarks boosted"
    UNPLUGGED = "CPU unplugged"
    PLUGGED = "CPU plugged in"
    # What follows needs CPUs that keep parts of counts.
    TOLD_MORE = "count told that it grew"
    TOLD_LESS = "count told that it fell"
    READ_OUT = "CPU told what it kept"
    LOWERED = "threshold lowered"
    RAISED = "threshold raised"
    # What follows needs hosts of several zones.
    RESTED = "lists of a far zone used no more"
    LOWER = "served by a lower zone of the node"
    FAR = "served by another node"
    # What follows needs pageblocks.
    BARRIER = "merge stopped by types"
    RETYPE = "buddy's pageblock retyped by a merge"
    MOVED = "block moved to another list"
    TAKEN = "whole pageblocks taken"
    CLAIMED = "pageblock claimed"
    MIXED = "pageblock used without claiming it"
    SINGLE = "one block of another type used"
    SMALLEST = "smallest block of another type sought"
    CMA_FIRST = "CMA memory used first"
    CMA_LAST = "CMA memory used last"
    RESERVE_USED = "reserve used"
    RESERVE_LAST = "reserve used last"
    RESERVED = "pageblock reserved"
    UNRESERVED = "pageblock no longer reserved"
    ISOLATED = "pageblock isolated"
    RESTORED = "pageblock restored"
    REMERGED = "restored block merged"
    CUT = "free block cut at a pageblock"
    RANGE = "range allocated"
    UNDONE = "range given up"
    # Places of frames.
    GUARDED = "half made a guard"
    UNGUARDED = "guard absorbed by a merge"
    POISONED = "frame poisoned"
    HEALED = "frame healed"
    OFFLINE = "pageblock taken offline"
    ONLINE = "pageblock brought online"


class Event(NamedTuple):
    """Something happened to the block at pfn.

    SPLIT carries the order of the block that was split, MERGE that of the two halves; REFUSE
    carries the refusal's code in place of an order. In place of a frame REFILL and FILLED carry how
    many blocks came, TOLD_MORE and TOLD_LESS by how many frames, UNPLUGGED, PLUGGED, READ_OUT and
    RESTED the CPU, LOWERED and RAISED the threshold, LOWER and FAR the zone's number, and what is
    about no block 0. mt: the type of the list, pageblock or request, and CMA for what is told of
    CMA's frames alone.
    For EXTFRAG, order and mt are the request's; from_order and from_mt those of the block that
    served, and owned says whether its pageblock has the request's type by now.
    """

    kind: Kind
    pfn: Pfn
    order: Order
    mt: MigrateType = UNMOVABLE
    from_order: Order = 0
    from_mt: MigrateType = UNMOVABLE
    owned: bool = False
