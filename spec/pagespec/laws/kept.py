"""Laws about what CPUs keep between requests."""

from pagespec.frames import SIZES, is_aligned
from pagespec.laws.law import Complaint, LawBook
from pagespec.laws.swept import Kept, Swept
from pagespec.laws.ways import number_of
from pagespec.machine import Machine
from pagespec.migratetype import ISOLATE
from pagespec.pcp.index import is_kept, order_of_list

KEPT_STATE_LAWS: LawBook[Swept] = LawBook()


@KEPT_STATE_LAWS.law("PCP-count", source="mm/page_alloc.c, struct per_cpu_pages, 2.6.11 to 6.12")
def counted(swept: Swept) -> Complaint:
    """A CPU's count is the frames on its lists, and each list holds blocks of its order and types.

    Drains go by the count alone: one that is too high takes what is not there, in old kernels for
    ever. A block on a list of another order is given out as what it is not.
    """
    huge = swept.zone.machine.huge
    for cpu, pcps in enumerate(swept.zone.pcps):
        for pcp in pcps:
            pages = 0
            for number, blocks in enumerate(pcp.lists):
                order = order_of_list(number, huge) if blocks else 0
                pages += len(blocks) * (SIZES[order] if order >= 0 else 0)
            if pcp.count != pages:
                return f"CPU {cpu} counts {pcp.count} frames, its lists hold {pages}"
    wrong = next((kept for kept in swept.kept_blocks if _strays(swept.zone.machine, kept)), None)
    if wrong is None:
        return None
    return f"{wrong.block} of {wrong.mt.name} is on list {wrong.number} of CPU {wrong.cpu}"


def _strays(machine: Machine, kept: Kept) -> bool:
    """Whether the block cannot be what its list is for: by its order, its alignment or its type."""
    block, mt, order = kept.block, kept.mt, order_of_list(kept.number, machine.huge)
    if order < 0 or not is_kept(machine.era.lists, order, machine.huge):
        return True
    aligned = is_aligned(block.pfn - machine.base, block.order)
    return not aligned or mt is ISOLATE or number_of(machine, block.order, mt) != kept.number


@KEPT_STATE_LAWS.law(
    "PCP-off",
    eras=lambda era: era.can_disable,
    source="mm/page_alloc.c, zone_pcp_disable, 5.15 to 6.12",
)
def off(swept: Swept) -> Complaint:
    """While lists are disabled no CPU keeps anything.

    Whoever disables them takes memory away, and would miss what still goes round by a list.
    """
    if not swept.zone.disabled or not swept.kept_blocks:
        return None
    kept = swept.kept_blocks[0]
    return f"CPU {kept.cpu} keeps {kept.block} although the lists are disabled"


@KEPT_STATE_LAWS.law("PCP-unplugged", source="mm/page_alloc.c, page_alloc_cpu_dead, 2.6.11 to 6.12")
def unplugged(swept: Swept) -> Complaint:
    """A CPU that is unplugged keeps nothing.

    Nobody would ever take it from there.
    """
    for kept in swept.kept_blocks:
        if kept.cpu in swept.zone.unplugged:
            return f"CPU {kept.cpu} is unplugged and keeps {kept.block}"
    return None
