"""Laws about a zone that nobody holds anything of: after boot, and after everything came back."""

from pagespec.frames import SIZES, blocks_of_run
from pagespec.laws.law import Complaint, LawBook
from pagespec.laws.swept import Swept
from pagespec.machine import Machine
from pagespec.types import Block

BOOT_LAWS: LawBook[Swept] = LawBook()
RETURN_LAWS: LawBook[Swept] = LawBook()


def whole_zone(machine: Machine) -> set[Block]:
    """The canonical decomposition of every managed frame."""
    return {
        Block(machine.base + index, order)
        for first, end in machine.managed
        for index, order in blocks_of_run(first - machine.base, end - machine.base, machine.top)
    }


@BOOT_LAWS.law("INIT", source="mm/page_alloc.c, managed pages")
def handed_over(swept: Swept) -> Complaint:
    """After boot every managed frame is free, and the count of free frames is the zone's size.

    Memory that boot forgets is never seen again; memory that it invents is given out.
    """
    zone = swept.zone
    whole = whole_zone(zone.machine)
    due = sum(SIZES[block.order] for block in whole)
    if zone.free_pages != due or set(swept.blocks) != whole:
        return f"{zone.free_pages} frames are free after boot, expected {due} in maximal blocks"
    return None


@RETURN_LAWS.law("BUD-order-free", source="derived; the coalescing faults of other allocators")
def order_does_not_matter(swept: Swept) -> Complaint:
    """When everything has been given back, the free set is the one after boot.

    It must not depend on the order of the frees; the order of the lists may.
    """
    whole, blocks = whole_zone(swept.zone.machine), swept.blocks
    missing = whole - set(blocks)
    if not missing and len(blocks) == len(whole):
        return None
    return f"everything was given back, and {min(missing, default='nothing')} is not a free block"
