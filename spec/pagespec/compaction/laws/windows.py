"""How long each scanner has interrupts off at most: in frames and list nodes visited, as formulas.

How the free scanner holds the zone's lock is what the thread of 2011 was about: throughout, the
window grows with the zone; for one pageblock, with the pageblock; up to the next 32nd frame, it
hardly grows at all.

In a pageblock of S frames each frame is looked at. A free block is looked at once, taken off its
list, and each of its frames listed for use: two more than it has frames. Of two buddies one at most
is free by itself, so a pageblock has at most S / 2 free blocks, and costs at most 2 S.

Source: derived; mm/compaction.c, 2.6.37 to 6.12, and the thread of 2011 that measured the same in
microseconds.
"""

from typing import Literal, NamedTuple, TypeAlias, get_args

from pagespec.compaction.design import CLUSTER
from pagespec.compaction.laws.speaking import compacts
from pagespec.compaction.machine import CompactionMachine
from pagespec.frames import SIZES
from pagespec.laws.law import Complaint, LawBook
from pagespec.schedule.windows import walk

Scanner: TypeAlias = Literal["free", "lists", "migrate"]
"""Who has interrupts off: the free scanner as it walks, or as it looks through the free lists; or
the migrate scanner."""

SCANNERS: tuple[Scanner, ...] = get_args(Scanner)


class ScanWindow(NamedTuple):
    """The longest that a scanner of a machine had interrupts off.

    strays: whether anything could be mistaken for the order of a held block: whoever steps over it
    may step over the frame at which interrupts would come.
    """

    machine: CompactionMachine
    scanner: Scanner
    strays: bool
    visited: int


WINDOW_LAWS: LawBook[ScanWindow] = LawBook()


def pageblock_pages(machine: CompactionMachine) -> int:
    """The frames of a pageblock."""
    return SIZES[machine.zone.pageblock or 0]


def retyped(machine: CompactionMachine) -> int:
    """Make the pageblocks movable of which a block is half or more; in 6.12 what else is free there
    moves along."""
    zone = machine.zone
    each = 1 + (walk(zone) if zone.era.retypes_on_merge else 0)
    return SIZES[zone.top - (zone.pageblock or 0)] * each


def whole_pageblock(machine: CompactionMachine) -> int:
    """Look at a pageblock once more, and take all of it: or a block that is larger than it is."""
    pages = max(2 * pageblock_pages(machine), SIZES[machine.zone.top] + 2)
    return 1 + pages + retyped(machine)


def all_pageblocks(machine: CompactionMachine) -> int:
    """Look at every pageblock of the zone, and take frames until there are enough.

    Fewer than are wanted come from all pageblocks but the last, which is finished; where large
    blocks are moved, one of them may have been wanted besides.
    """
    pages = pageblock_pages(machine)
    wanted = CLUSTER + (pages if machine.design.moves_large else 0)
    large = -(-wanted // max(1, pages // 2)) + 1
    blocks = wanted - 1 + pages // 2
    return machine.zone.pageblocks * (1 + pages) + 2 * blocks + large * retyped(machine)


def free_bound(machine: CompactionMachine, *, strays: bool) -> int:
    """The free scanner, as it walks.

    Where it is lazy it looks again at the frame for which it takes the lock, and nothing is listed
    for use before it has released it: a pair of frames costs three visits at most. Since 5.1 it
    takes wider steps after a pageblock without anything; behind a block of several frames they are
    out of step with every 32nd frame, and it has the lock to the pageblock's end.
    """
    scan = machine.design.scan
    if scan == "locked":
        return all_pageblocks(machine)
    if scan == "rechecks":
        return whole_pageblock(machine)
    pages = pageblock_pages(machine)
    in_step = 3 * (pages if strays else min(pages, CLUSTER)) // 2
    out_of_step = _in_wider_steps(machine) if machine.design.seeks else 0
    return max(in_step, out_of_step) + retyped(machine)


def _in_wider_steps(machine: CompactionMachine) -> int:
    """Look at every other frame of a pageblock, and take blocks until there are enough."""
    pages = pageblock_pages(machine)
    wanted = CLUSTER + (pages if machine.design.moves_large else 0)
    return pages // 2 + min(pages // 2, wanted)


def lists_bound(machine: CompactionMachine) -> int:
    """A look through one list, and one block that is taken."""
    return max(pageblock_pages(machine) // 2, CLUSTER // 2) + 1 + retyped(machine)


def migrate_bound(machine: CompactionMachine, *, strays: bool) -> int:
    """The migrate scanner: the rest of a pageblock and the next one, or 32 frames.

    Where it is lazy it looks again at the block for which it turns interrupts off.
    """
    released, pages = machine.design.released, pageblock_pages(machine)
    if released == "pageblock":
        return 2 * pages
    if released == "last-of-32":
        return min(2 * pages, CLUSTER)
    return 1 + (pages if strays else min(pages, CLUSTER))


def bound(machine: CompactionMachine, scanner: Scanner, *, strays: bool) -> int:
    """How many frames and list nodes one window of the scanner visits at most."""
    if scanner == "free":
        return free_bound(machine, strays=strays)
    if scanner == "lists":
        return lists_bound(machine)
    return migrate_bound(machine, strays=strays)


@WINDOW_LAWS.law(
    "CMP-window",
    eras=compacts,
    source="the thread of 2011; mm/compaction.c, 2.6.37 to 6.12",
)
def is_within_bound(window: ScanWindow) -> Complaint:
    """A scanner never has interrupts off for longer than the bound of how it holds its locks.

    Before 2011 that bound grew with the zone: 8.4 ms were measured.
    """
    machine, scanner, strays, visited = window
    most = bound(machine, scanner, strays=strays)
    if visited <= most:
        return None
    return f"the {scanner} scanner visited {visited} places with interrupts off, at most {most}"
