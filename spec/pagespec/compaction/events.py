"""What a run of compaction passed through, beside what the allocator itself logs."""

from enum import Enum
from typing import NamedTuple

from pagespec.types import Pfn


class Kind(Enum):
    """One kind of event. The value is its name in reports."""

    __hash__ = object.__hash__

    TARGET = "free block isolated"
    REFUSED = "free block not isolated, since the zone is short of memory"
    UNSUITABLE = "pageblock no target"
    CHANGED = "pageblock or frame changed before the lock was had"
    PASSED_OVER = "pageblock passed over"
    ENOUGH = "pageblock left with enough frames"
    SOUGHT = "free block found on its list"
    AROUND = "rest of its pageblock walked"
    SOURCE = "held block isolated"
    PINNED = "held block left alone or put back, since somebody has a reference"
    THROTTLED = "too many blocks off the LRU"
    FULL = "enough blocks isolated"
    MOVED = "held block moved"
    FREED = "held block freed while it was isolated"
    CUT = "target larger than its block cut"
    NO_TARGET = "no frame to move a block to"
    GIVEN_BACK = "unused target given back"
    DRAINED = "CPU's lists drained"
    CAPTURED = "freed block captured"
    MET = "scanners met"
    KILLED = "run given up by a caller that is to die"
    SKIPPED = "no use in trying"
    FORGOTTEN = "what was remembered forgotten"
    CLAIMED = "range claimed"
    STRAY = "stray number taken for no order"


class Event(NamedTuple):
    """Something happened at the frame, or to so many frames from there on."""

    kind: Kind
    pfn: Pfn
    pages: int = 1
