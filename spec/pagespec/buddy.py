"""The order-tag buddy: the order of a free block is written in its first page.

Replaces the pair bitmaps of `bitmap`. Everything here runs under the zone's lock, so the tag needs
no atomic operations.

The worked example of 2004: one page from an 8-page block. The block is taken whole; each turn of
expand puts the upper half back; what is left is the lowest page.

>>> from pagespec.boot import boot
>>> from pagespec.era import ERAS
>>> from pagespec.machine import Machine
>>> from pagespec.migratetype import UNMOVABLE
>>> from pagespec.zone import free_blocks
>>> zone = boot(Machine(pages=8, top=3, era=ERAS["2.6.11"]))
>>> free_blocks(zone)
[Block(pfn=0, order=3)]
>>> rmqueue_smallest(zone, 0, UNMOVABLE)
0
>>> [str(block) for block in free_blocks(zone)]
['pfn 1 order 0', 'pfn 2 order 1', 'pfn 4 order 2']
>>> zone.tag
{4: 2, 2: 1, 1: 0}

Source: the 2004 thread; mm/page_alloc.c, 2.6.11 to 6.12 (__rmqueue_smallest, expand,
__free_one_page, page_is_buddy).
"""

from pagespec.bounds import BUDDY_EXISTS, frame_exists
from pagespec.events import Event, Kind
from pagespec.frames import SIZES, buddy_of, parent_of
from pagespec.migratetype import ISOLATE, REQUESTED, MigrateType
from pagespec.pageblock import pageblock_type, set_pageblock_type
from pagespec.types import Order, Pfn
from pagespec.zone import Zone, account, list_add, list_del, list_of


def page_is_buddy(zone: Zone, pfn: Pfn, order: Order) -> bool:
    """Whether the frame heads a free block, or a guard, of exactly that order.

    Only to be asked of a frame that exists. A head of another order is no buddy: part of it may be
    in use.
    """
    zone.visited += 1
    return zone.tag.get(pfn) == order or zone.guards.get(pfn) == order


def add_to_free_list(
    zone: Zone, pfn: Pfn, order: Order, mt: MigrateType, *, to_tail: bool = False
) -> None:
    """List the block and write its order into its first page."""
    list_add(zone, pfn, order, mt, to_tail=to_tail)
    zone.tag[pfn] = order


def del_from_free_list(zone: Zone, pfn: Pfn, order: Order) -> MigrateType:
    """Unlist the block and clear its tag, so that only heads of free blocks carry one.

    Returns the type of the list that it was on.
    """
    mt = list_of(zone, pfn, order)
    list_del(zone, pfn, order, mt)
    del zone.tag[pfn]
    return mt


def add_half(zone: Zone, pfn: Pfn, order: Order, mt: MigrateType) -> None:
    """Put back a half that a split leaves: as a guard if it is small enough, else at the head.

    A guard is on no list and not counted, so that stray writes beside a block hit nobody's memory.
    """
    if order < zone.machine.guard:
        zone.guards[pfn] = order
        zone.visited += 1
        account(zone, -SIZES[order], mt)
        zone.log.append(Event(Kind.GUARDED, pfn, order, mt))
    else:
        add_to_free_list(zone, pfn, order, mt)


def expand(zone: Zone, pfn: Pfn, low: Order, high: Order, mt: MigrateType) -> None:
    """Give back the upper half of the block, of what is left, and so on down to order low.

    From large to small and at the heads, so that the next requests of the same order walk upward
    through what is left.
    """
    while high > low:
        zone.log.append(Event(Kind.SPLIT, pfn, high, mt))
        high -= 1
        add_half(zone, pfn + SIZES[high], high, mt)


def take(zone: Zone, pfn: Pfn, order: Order, from_order: Order, mt: MigrateType) -> None:
    """Take the block off its list, keep its lowest part, and put the rest on the lists of mt.

    What is taken counts last, after the halves that become guards.
    """
    del_from_free_list(zone, pfn, from_order)
    expand(zone, pfn, order, from_order, mt)
    account(zone, -SIZES[order], mt, at_once=False)


def rmqueue_smallest(zone: Zone, order: Order, mt: MigrateType) -> Pfn | None:
    """Take a block of that order from the lists of one type, or None if none is large enough.

    The first block of the smallest sufficient order serves, and its lowest part is returned.
    """
    for current in range(order, zone.machine.top + 1):
        zone.visited += 1
        blocks = zone.free_area[current][mt]
        if blocks:
            pfn = next(iter(blocks))
            take(zone, pfn, order, current, mt)
            if zone.machine.era.zone_locked == "list":
                zone.log.append(Event(Kind.ZONE_LOCKED, pfn, order, mt))
            return pfn
    return None


def types_part(zone: Zone, mt: MigrateType, other: MigrateType) -> bool:
    """Whether the era keeps free buddies of these two pageblock types apart.

    Isolated memory must not leave with a neighbour. Later, neither may memory that no fallback
    reaches: merged with a neighbour it would be handed out as that neighbour's.
    Source: mm/page_alloc.c, __free_one_page, 4.10, 5.15 and 6.1 (migratetype_is_mergeable).
    """
    if mt is other:
        return False
    return {
        "none": False,
        "isolate": ISOLATE in (mt, other),
        "unmergeable": not (mt in REQUESTED and other in REQUESTED),
    }[zone.machine.era.barrier]


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


def free_one_block(
    zone: Zone, pfn: Pfn, order: Order, mt: MigrateType, *, to_tail: bool = False
) -> None:
    """Free the block to the lists of mt and merge it upward as long as its buddy is free too.

    The merged block is listed once, where the era says: at the head, so that warm memory is used
    first; or at the tail, if told so or if a further merge is likely.
    """
    machine = zone.machine
    exists = BUDDY_EXISTS[machine.era.bounds]
    base, top = machine.base, machine.top
    account(zone, SIZES[order], mt, at_once=False)
    while order < top:
        buddy = base + buddy_of(pfn - base, order)
        if not exists(machine, pfn, buddy, order) or not page_is_buddy(zone, buddy, order):
            break
        if machine.pageblock is not None and order >= machine.pageblock:
            other = pageblock_type(zone, buddy)
            if types_part(zone, mt, other):
                zone.log.append(Event(Kind.BARRIER, pfn, order, mt, from_mt=other))
                break
            if machine.era.retypes_on_merge and other is not mt:
                set_pageblock_type(zone, buddy, mt)
                zone.log.append(Event(Kind.RETYPE, buddy, order, mt, from_mt=other))
        if buddy in zone.guards:
            del zone.guards[buddy]
            account(zone, SIZES[order], mt)
            zone.log.append(Event(Kind.UNGUARDED, buddy, order, mt))
        else:
            del_from_free_list(zone, buddy, order)
        pfn = base + parent_of(pfn - base, order)
        zone.log.append(Event(Kind.MERGE, pfn, order, mt))
        order += 1
    if not to_tail and machine.era.placement != "head":
        to_tail = buddy_merge_likely(zone, pfn, order)
    add_to_free_list(zone, pfn, order, mt, to_tail=to_tail)


def free_by_type(zone: Zone, pfn: Pfn, order: Order, *, to_tail: bool = False) -> None:
    """Free the block to the lists of its pageblock's type.

    Where lists and types agree (6.12), a block that is larger than a pageblock is freed pageblock
    by pageblock, each to its own type.
    """
    machine = zone.machine
    piece = order
    if machine.era.retypes_on_merge and machine.pageblock is not None:
        piece = min(order, machine.pageblock)
    for head in range(pfn, pfn + SIZES[order], SIZES[piece]):
        free_one_block(zone, head, piece, pageblock_type(zone, head), to_tail=to_tail)
