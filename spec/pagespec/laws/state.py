"""Laws that a zone keeps whenever its lock is free.

They are judged from the most basic to the most demanding, so that the first one broken names the
mechanism.
"""

from pagespec.frames import SIZES, head_of, is_aligned, parent_of
from pagespec.laws.law import Complaint, LawBook
from pagespec.laws.masks import frames_of, frames_that_exist, lowest_of, managed_frames
from pagespec.types import Block
from pagespec.zone import Zone, free_blocks

READING_LAWS: LawBook[str | None] = LawBook()
STATE_LAWS: LawBook[Zone] = LawBook()


@READING_LAWS.law("BUD-links", source="derived; the linkage faults of other allocators")
def linked(torn: Complaint) -> Complaint:
    """A free list reads the same forward and backward, and returns to its head.

    Judged where an allocator's memory is read as lists: its subject is what the reader stumbled
    over. A block that is unlinked on one side only comes back, or takes others with it.
    """
    return torn


def free_frames(zone: Zone) -> int:
    """The frames of all free blocks."""
    frames = 0
    for block in free_blocks(zone):
        frames |= frames_of(zone.machine, block)
    return frames


def held_frames(zone: Zone) -> int:
    """The frames of all held blocks."""
    frames = 0
    for pfn, held in zone.held.items():
        frames |= frames_of(zone.machine, Block(pfn, held.order))
    return frames


def frames_held_twice(zone: Zone) -> int:
    """The frames that lie in more than one held block."""
    once = twice = 0
    for pfn, held in zone.held.items():
        frames = frames_of(zone.machine, Block(pfn, held.order))
        twice |= once & frames
        once |= frames
    return twice


@STATE_LAWS.law("BUD-align", source="mm/page_alloc.c, __free_one_page")
def aligned(zone: Zone) -> Complaint:
    """A free block starts at a multiple of its size, counted from the era's index base.

    Buddies are computed from the index alone; a misaligned block has a wrong buddy.
    """
    for block in free_blocks(zone):
        if not is_aligned(block.pfn - zone.machine.base, block.order):
            return f"free block {block} is off its alignment from frame {zone.machine.base}"
    return None


@STATE_LAWS.law("BUD-inside", source="mm/page_alloc.c, bad_range (2.6.11) and page_is_buddy")
def inside(zone: Zone) -> Complaint:
    """A free block lies in its zone and avoids the zone's holes.

    The frames beyond have no page, or belong to somebody else.
    """
    machine = zone.machine
    exist = frames_that_exist(machine)
    for block in free_blocks(zone):
        if block.pfn < machine.start or frames_of(zone.machine, block) & ~exist:
            return f"free block {block} leaves the frames that exist: {machine.chunks}"
    return None


@STATE_LAWS.law("BUD-disjoint", source="derived")
def disjoint(zone: Zone) -> Complaint:
    """No two free blocks overlap.

    A frame that is free twice will be given out twice.
    """
    seen = 0
    for block in free_blocks(zone):
        frames = frames_of(zone.machine, block)
        if seen & frames:
            return f"free block {block} overlaps another free block"
        seen |= frames
    return None


@STATE_LAWS.law("BUD-partition", source="derived: conservation of managed pages")
def partition(zone: Zone) -> Complaint:
    """Every managed frame is in exactly one place, free or held, and no other frame is in any.

    A frame in no place is lost; a frame in two has two owners.
    """
    free, held, managed = free_frames(zone), held_frames(zone), managed_frames(zone.machine)
    lowest = min(zone.held, default=zone.machine.start)
    if lowest < zone.machine.start:
        return f"frame {lowest} is held but lies below the zone"
    for frames, fault in (
        (frames_held_twice(zone), "is held by two blocks"),
        (free & held, "is free and held"),
        (managed & ~(free | held), "is neither free nor held"),
        ((free | held) & ~managed, "is not managed and yet free or held"),
    ):
        if frames:
            return f"frame {lowest_of(zone.machine, frames)} {fault}"
    return None


@STATE_LAWS.law("BUD-maximal", source="mm/page_alloc.c, __free_one_page")
def maximal(zone: Zone) -> Complaint:
    """The free set is the canonical decomposition of the free frames: all that can merge has.

    Two free buddies that stay apart make a large request fail although its memory is free.
    """
    base, top = zone.machine.base, zone.machine.top
    free = free_frames(zone)
    for block in free_blocks(zone):
        if block.order < top:
            parent = Block(base + parent_of(block.pfn - base, block.order), block.order + 1)
            frames = frames_of(zone.machine, parent)
            if parent.pfn >= zone.machine.start and free & frames == frames:
                return f"free block {block} is not merged although all of {parent} is free"
    return None


@STATE_LAWS.law(
    "BUD-tag", source="mm/page_alloc.c, page_is_buddy (2.6.11 to 6.12)", designs=("tag",)
)
def tagged(zone: Zone) -> Complaint:
    """Heads of free blocks carry a tag, which is their order, and no other frame does.

    The merge loop believes a tag; a stale one merges with memory that is in use.
    """
    listed = {block.pfn: block.order for block in free_blocks(zone)}
    if zone.tag == listed:
        return None
    pfn = min(
        pfn for pfn in zone.tag.keys() | listed.keys() if zone.tag.get(pfn) != listed.get(pfn)
    )
    return f"frame {pfn} has tag {zone.tag.get(pfn)}, its list says {listed.get(pfn)}"


@STATE_LAWS.law("BUD-bitmap", source="mm/page_alloc.c, 2.6.8", designs=("bitmap",))
def paired(zone: Zone) -> Complaint:
    """A pair's bit is 1 when exactly one of the two siblings is on their order's list.

    The bit is all that a free in the old design knows of the buddy.
    """
    base, top = zone.machine.base, zone.machine.top
    for order, blocks in enumerate(zone.free_area):
        pairs: set[int] = set()
        if order < top:
            for pfn in blocks:
                pairs ^= {head_of(pfn - base, order + 1) // SIZES[order] // 2}
        if pairs != zone.pair_bits[order]:
            wrong = min(pairs ^ zone.pair_bits[order])
            return f"order {order}: the bit of pair {wrong} does not match the free list"
    return None


@STATE_LAWS.law("BUD-count", source="mm/page_alloc.c, free_area and NR_FREE_PAGES")
def counted(zone: Zone) -> Complaint:
    """nr_free is the length of each list, and free_pages the frames in all of them.

    Watermarks and compaction decide by these counts and never look at the lists.
    """
    lengths = [len(blocks) for blocks in zone.free_area]
    if zone.nr_free != lengths:
        return f"nr_free is {zone.nr_free}, the lists hold {lengths}"
    pages = sum(length * SIZES[order] for order, length in enumerate(lengths))
    if zone.free_pages != pages:
        return f"free_pages is {zone.free_pages}, the lists hold {pages} frames"
    return None
