"""One zone serves: from the CPU's lists if the block is kept there, else from the buddy.

Source: mm/page_alloc.c (rmqueue, buffered_rmqueue), 2.6.11 to 6.12.
"""

from collections.abc import Callable
from typing import NamedTuple

from pagespec import bitmap
from pagespec.era import Design
from pagespec.highatomic import reserve_pageblock
from pagespec.pcp.lists import Where, alloc_from_list, may_use_lists
from pagespec.rmqueue import Want, rmqueue
from pagespec.steps import Step, Steps
from pagespec.types import Pfn
from pagespec.zone import Zone

RMQUEUE: dict[Design, Callable[[Zone, Want], Pfn | None]] = {
    "tag": rmqueue,
    "bitmap": lambda zone, want: bitmap.rmqueue(zone, want.order),
}

LISTS_THEN_BUDDY = ("pair", "doubling-flush", "tuned")
"""The ways of tuning in whose eras a list that could not be refilled is not the end."""


class Taken(NamedTuple):
    """A block that left the free memory, and whether it came from a CPU's list."""

    pfn: Pfn
    from_list: bool


def take_block(zone: Zone, want: Want, where: Where) -> Steps[Taken | None]:
    """Take a block off the zone, or None if it has none for the request.

    An atomic request of more than one frame leaves its pageblock to the reserve.
    """
    era = zone.machine.era
    pfn: Pfn | None = None
    listed = may_use_lists(zone, want.order, where)
    if listed:
        pfn = yield from alloc_from_list(zone, want, where)
    if pfn is None and (not listed or era.tuning in LISTS_THEN_BUDDY):
        listed = False
        yield Step.LOCK
        pfn = RMQUEUE[era.design](zone, want)
        yield Step.UNLOCK
    if pfn is None:
        return None
    grouped = zone.machine.pageblock is not None
    if grouped and want.atomic and want.order > 0 and era.reserve != "none":
        yield Step.LOCK
        reserve_pageblock(zone, pfn, want.order)
        yield Step.UNLOCK
    return Taken(pfn, listed)
