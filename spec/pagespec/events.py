"""What a run passed through, in the kernel's own words where the kernel has one.

The first three are tracepoints; the others are the branches that a run must have taken before its
silence means anything.
"""

from enum import Enum
from typing import NamedTuple

from pagespec.types import Order, Pfn


class Kind(Enum):
    """One kind of event. The value is its name in reports."""

    ALLOC = "mm_page_alloc"
    FREE = "mm_page_free"
    ZONE_LOCKED = "mm_page_alloc_zone_locked"
    SPLIT = "split"
    MERGE = "merge"
    HEAD = "placed at head"
    TAIL = "placed at tail"
    FAIL = "request failed"
    GET = "reference taken"
    KEPT = "reference dropped, block kept"
    TAILS = "tail blocks freed under a reference"
    REFUSE = "request refused"


class Event(NamedTuple):
    """Something happened to the block at pfn.

    SPLIT carries the order of the block that was split, MERGE that of the two halves; REFUSE
    carries the refusal's code in place of an order.
    """

    kind: Kind
    pfn: Pfn
    order: Order
