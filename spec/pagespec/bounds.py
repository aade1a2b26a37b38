"""Does the buddy exist? Three answers to the question that removing the bitmap raised.

A pair bitmap never looks at a frame that does not exist: its bit says "not free". With the order
in the page, the merge loop must know that the buddy has a page before it may read the tag. The
form that was merged asks the zone's bounds and holes each time; the two earlier ones of 2004 try
to get by with less.
Source: the 2004 series as posted (first and second), and mm/page_alloc.c, 2.6.11 (bad_range).
"""

from collections.abc import Callable
from functools import lru_cache

from pagespec.choices import Bounds
from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.types import Order, Pfn


def frame_exists(machine: Machine, pfn: Pfn) -> bool:
    """Whether the frame lies in the zone and in none of its holes."""
    if not 0 <= pfn - machine.start < machine.pages:
        return False
    return not machine.holes or not any(first <= pfn < end for first, end in machine.holes)


@lru_cache
def aligned_order(machine: Machine) -> Order:
    """The order below which every block of the zone has its buddy in the zone.

    It is the lowest set bit of any chunk's first index or length; a zone that is aligned
    throughout has one more than the largest order that matters.
    """
    order = 0
    while order < machine.top and all(
        (first - machine.base) % SIZES[order + 1] == 0 and (end - first) % SIZES[order + 1] == 0
        for first, end in machine.chunks
    ):
        order += 1
    return order


@lru_cache
def frames_without_lower_buddy(machine: Machine) -> frozenset[Pfn]:
    """Heads of blocks whose lower buddy would start below their chunk, at some order.

    Each of them lacks it at one order only: above that order it heads no block, below it its buddy
    is the upper one. So one flag a frame is enough.
    """
    return frozenset(
        machine.base + index
        for first, end in machine.chunks
        for order in range(machine.top)
        for index in [-((machine.base - first) // SIZES[order]) * SIZES[order]]
        if index // SIZES[order] % 2 == 1 and machine.base + index < end
    )


def _by_zone(machine: Machine, pfn: Pfn, buddy: Pfn, order: Order) -> bool:
    return frame_exists(machine, buddy)


def _by_aligned_order(machine: Machine, pfn: Pfn, buddy: Pfn, order: Order) -> bool:
    return order < aligned_order(machine) or frame_exists(machine, buddy)


def _by_buddyend(machine: Machine, pfn: Pfn, buddy: Pfn, order: Order) -> bool:
    return not (buddy < pfn and pfn in frames_without_lower_buddy(machine))


BUDDY_EXISTS: dict[Bounds, Callable[[Machine, Pfn, Pfn, Order], bool]] = {
    "zone": _by_zone,
    "aligned-order": _by_aligned_order,
    "buddyend": _by_buddyend,
}
"""Per way of the era: whether the buddy of the block at pfn has a page that may be read."""
