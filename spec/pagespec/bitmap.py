"""The pair-bitmap buddy of 2.6.8, which the order tag replaced.

Below the top order, each pair of sibling blocks shares one bit: whether exactly one of the two is
on its order's free list. Every move on or off that list toggles the bit; a freed block learns from
the old value whether its buddy is free. The order is recorded nowhere: the list a block is on *is*
its order, and a sibling that does not exist just never toggles.

The example by which the 2004 series explained a free: pages 0, 5 and 6-7 are held.

>>> from pagespec.era import ERAS
>>> from pagespec.machine import Machine
>>> from pagespec.migratetype import UNMOVABLE
>>> from pagespec.zone import empty_zone
>>> zone = empty_zone(Machine(pages=8, top=3, era=ERAS["2.6.8"]))
>>> for pfn, order in [(2, 1), (4, 0), (1, 0)]:
...     free_one_block(zone, pfn, order)
>>> zone.pair_bits
[{0, 2}, {0}, set(), set()]
>>> for pfn, order in [(6, 1), (5, 0), (0, 0)]:
...     free_one_block(zone, pfn, order)
...     print([list(lists[UNMOVABLE]) for lists in zone.free_area], zone.pair_bits)
[[1, 4], [6, 2], [], []] [{0, 2}, {0, 1}, set(), set()]
[[1], [2], [4], []] [{0}, {0}, {0}, set()]
[[], [], [], [0]] [set(), set(), set(), set()]

Source: mm/page_alloc.c, 2.6.8; the example is from the 2004 series (free part).
"""

from pagespec.events import Event, Kind
from pagespec.frames import SIZES, buddy_of, parent_of
from pagespec.migratetype import UNMOVABLE
from pagespec.types import Order, Pfn
from pagespec.zone import Zone, account, list_add, list_del


def pair_of(index: int, order: Order) -> int:
    """The number of the pair to which the block at the index belongs.

    pre: index >= 0
    pre: 0 <= order <= 15
    post: __return__ * 2 * SIZES[order] <= index < (__return__ + 1) * 2 * SIZES[order]
    """
    return index // (2 * SIZES[order])


def toggle_pair(zone: Zone, pfn: Pfn, order: Order) -> bool:
    """Toggle the bit of the block's pair; return whether it was set before.

    The top order has no map: there is nothing above it to merge into.
    """
    zone.visited += 1
    if order == zone.machine.top:
        return False
    pair = pair_of(pfn - zone.machine.base, order)
    was_set = pair in zone.pair_bits[order]
    zone.pair_bits[order] ^= {pair}
    return was_set


def expand(zone: Zone, pfn: Pfn, low: Order, high: Order) -> None:
    """Give back the upper half of the block, of what is left, and so on down to order low."""
    while high > low:
        zone.log.append(Event(Kind.SPLIT, pfn, high))
        high -= 1
        list_add(zone, pfn + SIZES[high], high, UNMOVABLE)
        toggle_pair(zone, pfn + SIZES[high], high)


def rmqueue(zone: Zone, order: Order) -> Pfn | None:
    """Take a block of that order, or None if no free block is large enough."""
    for current in range(order, zone.machine.top + 1):
        zone.visited += 1
        blocks = zone.free_area[current][UNMOVABLE]
        if blocks:
            pfn = next(iter(blocks))
            list_del(zone, pfn, current, UNMOVABLE)
            toggle_pair(zone, pfn, current)
            account(zone, -SIZES[order], UNMOVABLE, at_once=False)
            expand(zone, pfn, order, current)
            return pfn
    return None


def free_one_block(zone: Zone, pfn: Pfn, order: Order, *, to_tail: bool = False) -> None:
    """Free the block and merge it upward as long as its pair's bit was set.

    A set bit means that the buddy is on the list: it is taken off, and the toggle has already made
    the bit say so.
    """
    base = zone.machine.base
    account(zone, SIZES[order], UNMOVABLE, at_once=False)
    while toggle_pair(zone, pfn, order):
        list_del(zone, base + buddy_of(pfn - base, order), order, UNMOVABLE)
        pfn = base + parent_of(pfn - base, order)
        zone.log.append(Event(Kind.MERGE, pfn, order))
        order += 1
    list_add(zone, pfn, order, UNMOVABLE, to_tail=to_tail)
