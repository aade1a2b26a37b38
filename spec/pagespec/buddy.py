"""The order-tag buddy: the order of a free block is written in its first page.

Replaces the pair bitmaps of `bitmap`. Everything here runs under the zone's lock, so the tag needs
no atomic operations.

The worked example of 2004: one page from an 8-page block. The block is taken whole; each turn of
expand puts the upper half back; what is left is the lowest page.

>>> from pagespec.boot import boot
>>> from pagespec.era import ERAS
>>> from pagespec.machine import Machine
>>> zone = boot(Machine(pages=8, top=3, era=ERAS["2.6.11"]))
>>> [list(blocks) for blocks in zone.free_area]
[[], [], [], [0]]
>>> rmqueue(zone, 0)
0
>>> [list(blocks) for blocks in zone.free_area]
[[1], [2], [4], []]
>>> zone.tag
{4: 2, 2: 1, 1: 0}

Source: the 2004 thread; mm/page_alloc.c, 2.6.11 to 6.12 (__rmqueue_smallest, expand,
__free_one_page, page_is_buddy).
"""

from pagespec.bounds import BUDDY_EXISTS, frame_exists
from pagespec.events import Event, Kind
from pagespec.frames import SIZES, buddy_of, parent_of
from pagespec.types import Order, Pfn
from pagespec.zone import Zone, list_add, list_del


def page_is_buddy(zone: Zone, pfn: Pfn, order: Order) -> bool:
    """Whether the frame heads a free block of exactly that order.

    Only to be asked of a frame that exists. A head of another order is no buddy: part of it may be
    in use.
    """
    zone.visited += 1
    return zone.tag.get(pfn) == order


def add_to_free_list(zone: Zone, pfn: Pfn, order: Order, *, to_tail: bool = False) -> None:
    """List the block and write its order into its first page."""
    list_add(zone, pfn, order, to_tail=to_tail)
    zone.tag[pfn] = order


def del_from_free_list(zone: Zone, pfn: Pfn, order: Order) -> None:
    """Unlist the block and clear its tag, so that only heads of free blocks carry one."""
    list_del(zone, pfn, order)
    del zone.tag[pfn]


def expand(zone: Zone, pfn: Pfn, low: Order, high: Order) -> None:
    """Give back the upper half of the block, of what is left, and so on down to order low.

    From large to small and at the heads, so that the next requests of the same order walk upward
    through what is left.
    """
    while high > low:
        zone.log.append(Event(Kind.SPLIT, pfn, high))
        high -= 1
        add_to_free_list(zone, pfn + SIZES[high], high)


def rmqueue(zone: Zone, order: Order) -> Pfn | None:
    """Take a block of that order, or None if no free block is large enough.

    The first block of the smallest sufficient order serves, and its lowest part is returned.
    """
    for current in range(order, zone.machine.top + 1):
        zone.visited += 1
        blocks = zone.free_area[current]
        if blocks:
            pfn = next(iter(blocks))
            del_from_free_list(zone, pfn, current)
            zone.free_pages -= SIZES[order]
            expand(zone, pfn, order, current)
            zone.log.append(Event(Kind.ZONE_LOCKED, pfn, order))
            return pfn
    return None


def buddy_merge_likely(zone: Zone, pfn: Pfn, order: Order) -> bool:
    """Whether the block would merge twice as soon as its buddy is freed.

    True if the buddy of its parent is free already. Such a block waits at the list's tail: handing
    it out would prevent a large block. Only asked below the order under the top, where there is
    something to be won.
    Source: mm/page_alloc.c, __free_one_page since 2.6.35; 2.6.39 for the slip.
    """
    machine = zone.machine
    if order >= machine.top - 1:
        return False
    index = pfn - machine.base
    parent = parent_of(index, order)
    if machine.era.placement == "likely-2.6.39" and index != parent:
        # That release looked at a page that can never head such a block.
        return False
    parents_buddy = machine.base + buddy_of(parent, order + 1)
    return frame_exists(machine, parents_buddy) and page_is_buddy(zone, parents_buddy, order + 1)


def free_one_block(zone: Zone, pfn: Pfn, order: Order, *, to_tail: bool = False) -> None:
    """Free the block and merge it upward as long as its buddy is free too.

    The merged block is listed once, where the era says: at the head, so that warm memory is used
    first; or at the tail, if told so or if a further merge is likely.
    """
    machine = zone.machine
    exists = BUDDY_EXISTS[machine.era.bounds]
    base, top = machine.base, machine.top
    zone.free_pages += SIZES[order]
    while order < top:
        buddy = base + buddy_of(pfn - base, order)
        if not exists(machine, pfn, buddy, order) or not page_is_buddy(zone, buddy, order):
            break
        del_from_free_list(zone, buddy, order)
        pfn = base + parent_of(pfn - base, order)
        zone.log.append(Event(Kind.MERGE, pfn, order))
        order += 1
    if not to_tail and machine.era.placement != "head":
        to_tail = buddy_merge_likely(zone, pfn, order)
    add_to_free_list(zone, pfn, order, to_tail=to_tail)
