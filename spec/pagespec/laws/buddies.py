"""Laws about the free blocks of a zone and the fields that say where they are."""

from pagespec.era import Era
from pagespec.frames import SIZES, head_of, is_aligned, parent_of
from pagespec.laws.law import Complaint, LawBook
from pagespec.laws.masks import WHOLE, frames_of, frames_that_exist, lowest_of, managed_frames
from pagespec.laws.swept import Swept
from pagespec.migratetype import CMA, HIGHATOMIC, ISOLATE, MigrateType
from pagespec.types import Block
from pagespec.zone import Zone

BUDDY_LAWS: LawBook[Swept] = LawBook()


def has_tags(era: Era) -> bool:
    """Whether free blocks carry their order; in the other design pairs have bits."""
    return era.design == "tag"


@BUDDY_LAWS.law("BUD-align", source="mm/page_alloc.c, __free_one_page")
def aligned(swept: Swept) -> Complaint:
    """A free block starts at a multiple of its size, counted from the era's index base.

    Buddies are computed from the index alone; a misaligned block has a wrong buddy.
    """
    base = swept.zone.machine.base
    for block in swept.blocks:
        if not is_aligned(block.pfn - base, block.order):
            return f"free block {block} is off its alignment from frame {base}"
    return None


@BUDDY_LAWS.law("BUD-inside", source="mm/page_alloc.c, bad_range (2.6.11) and page_is_buddy")
def inside(swept: Swept) -> Complaint:
    """A free block lies in its zone and avoids the zone's holes.

    The frames beyond have no page, or belong to somebody else.
    """
    machine = swept.zone.machine
    absent = ~frames_that_exist(machine)
    if not swept.free & absent and swept.lowest >= machine.start:
        return None
    for block in swept.blocks:
        if block.pfn < machine.start or frames_of(machine, block) & absent:
            return f"free block {block} leaves the frames that exist: {machine.chunks}"
    return None


@BUDDY_LAWS.law("BUD-disjoint", source="derived")
def disjoint(swept: Swept) -> Complaint:
    """No two free blocks overlap.

    A frame that is free twice will be given out twice.
    """
    if swept.free.bit_count() == swept.pages:
        return None
    seen = 0
    for block in swept.blocks:
        frames = frames_of(swept.zone.machine, block)
        if seen & frames:
            return f"free block {block} overlaps another free block"
        seen |= frames
    return None


@BUDDY_LAWS.law("BUD-partition", source="derived: conservation of managed pages")
def partition(swept: Swept) -> Complaint:
    """Every managed frame is in exactly one place, and no other frame is in any.

    The places are: free, held, on a CPU's list, a guard, poisoned, offline. A frame in no place is
    lost; a frame in two has two owners.
    """
    zone = swept.zone
    managed = managed_frames(zone.machine)
    lowest = min(zone.held, default=zone.machine.start)
    if lowest < zone.machine.start:
        return f"frame {lowest} is held but lies below the zone"
    if swept.held_twice:
        return f"frame {lowest_of(zone.machine, swept.held_twice)} is held by two blocks"
    if swept.kept_pages != swept.kept.bit_count():
        return f"CPUs' lists hold {swept.kept_pages} frames, {swept.kept.bit_count()} of them once"
    places = {
        "free": swept.free,
        "held": swept.held,
        "on a CPU's list": swept.kept,
        "a guard": swept.guards,
        "poisoned": swept.poisoned,
        "offline": swept.offline,
    }
    seen = count = 0
    for frames in places.values():
        seen |= frames
        count += frames.bit_count()
    if seen == managed and count == managed.bit_count():
        return None
    seen = 0
    for frames in places.values():
        if frames & seen:
            wrong = lowest_of(zone.machine, frames & seen)
            bit = 1 << wrong - zone.machine.start
            names = [name for name, mask in places.items() if mask & bit]
            return f"frame {wrong} is {' and '.join(names)}"
        seen |= frames
    if managed & ~seen:
        return f"frame {lowest_of(zone.machine, managed & ~seen)} is neither free nor held"
    if seen & ~managed:
        return f"frame {lowest_of(zone.machine, seen & ~managed)} is not managed and yet in a place"
    return None


@BUDDY_LAWS.law("BUD-maximal", source="mm/page_alloc.c, __free_one_page")
def maximal(swept: Swept) -> Complaint:
    """The free set is the canonical decomposition of the free frames: all that can merge has.

    Two free buddies that stay apart make a large request fail although its memory is free. A guard
    counts as free. Whole pageblocks may stay apart: what MT-merge says of them.
    """
    machine, free = swept.zone.machine, swept.free | swept.guards
    base, below = machine.base, machine.top if machine.pageblock is None else machine.pageblock
    start = machine.start
    for pfn, order in (*swept.blocks, *swept.zone.guards.items()):
        if order < below:
            parent = base + parent_of(pfn - base, order)
            frames = WHOLE[order + 1] << max(0, parent - start)
            if parent >= start and free & frames == frames:
                whole = Block(parent, order + 1)
                return f"{Block(pfn, order)} is not merged although all of {whole} is free"
    return None


@BUDDY_LAWS.law("BUD-tag", source="mm/page_alloc.c, page_is_buddy (2.6.11 to 6.12)", eras=has_tags)
def tagged(swept: Swept) -> Complaint:
    """Heads of free blocks carry a tag, which is their order, and no other frame does.

    The merge loop believes a tag; a stale one merges with memory that is in use.
    """
    zone = swept.zone
    listed = dict(swept.blocks)
    if zone.tag == listed:
        return None
    pfn = min(
        pfn for pfn in zone.tag.keys() | listed.keys() if zone.tag.get(pfn) != listed.get(pfn)
    )
    return f"frame {pfn} has tag {zone.tag.get(pfn)}, its list says {listed.get(pfn)}"


@BUDDY_LAWS.law("BUD-bitmap", source="mm/page_alloc.c, 2.6.8", eras=lambda era: not has_tags(era))
def paired(swept: Swept) -> Complaint:
    """A pair's bit is 1 when exactly one of the two siblings is on their order's list.

    The bit is all that a free in the old design knows of the buddy.
    """
    zone = swept.zone
    base, top = zone.machine.base, zone.machine.top
    for order, lists in enumerate(zone.free_area):
        pairs: set[int] = set()
        if order < top:
            for pfn in (pfn for blocks in lists.values() for pfn in blocks):
                pairs ^= {head_of(pfn - base, order + 1) // SIZES[order] // 2}
        if pairs != zone.pair_bits[order]:
            wrong = min(pairs ^ zone.pair_bits[order])
            return f"order {order}: the bit of pair {wrong} does not match the free list"
    return None


@BUDDY_LAWS.law("BUD-count", source="mm/page_alloc.c, free_area, NR_FREE_PAGES, NR_FREE_CMA_PAGES")
def counted(swept: Swept) -> Complaint:
    """nr_free is the length of the lists of each order, free_pages the frames in all of them.

    Watermarks and compaction decide by these counts and never look at the lists. Frames on the
    lists of isolated memory do not count since 4.10. CMA frames have a count of their own, and so
    have those of the reserve in 6.12.
    """
    zone = swept.zone
    era = zone.machine.era
    lengths = [sum(map(len, lists.values())) for lists in zone.free_area]
    if zone.nr_free != lengths:
        return f"nr_free is {zone.nr_free}, the lists hold {lengths}"
    pages = swept.pages
    if zone.machine.pageblock is not None:
        for name, got, mt, counts in (
            ("free_cma", zone.free_cma, CMA, True),
            ("free_highatomic", zone.free_highatomic, HIGHATOMIC, era.retypes_on_merge),
        ):
            due = frames_listed(zone, mt) if counts else 0
            if got != due:
                return f"{name} is {got}, the lists of that type hold {due} frames"
        if era.isolation != "move":
            pages -= frames_listed(zone, ISOLATE)
    if zone.free_pages != pages:
        return f"free_pages is {zone.free_pages}, the lists that count hold {pages} frames"
    return None


def frames_listed(zone: Zone, mt: MigrateType) -> int:
    """The frames on all lists of a type."""
    lists = enumerate(zone.free_area)
    return sum(len(of[mt]) * SIZES[order] for order, of in lists if mt in of)
