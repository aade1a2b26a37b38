"""The laws of compaction at rest: between requests nobody is at work."""

from pagespec.compaction.laws.speaking import captures, compacts, remembers
from pagespec.compaction.state import Compaction
from pagespec.laws.law import Complaint, LawBook

REST_LAWS: LawBook[Compaction] = LawBook()


@REST_LAWS.law(
    "CMP-rest", eras=compacts, source="mm/compaction.c, release_freepages and putback_lru_pages"
)
def nothing_is_isolated(compaction: Compaction) -> Complaint:
    """Between requests nothing is isolated: no free block, no held one, no frame off the LRU.

    What a run forgets to give back nobody can use: it is neither free nor anybody's. A count of
    isolated frames that stays up holds up whoever waits for it to go down.
    """
    if compaction.runs:
        return f"{len(compaction.runs)} runs are under way, with {compaction.isolated} isolated"
    if compaction.isolated_lru:
        return f"{compaction.isolated_lru} frames count as isolated, and no run is under way"
    return None


@REST_LAWS.law(
    "CAP-slot",
    eras=captures,
    source="mm/compaction.c, compact_zone_order: capture_control",
)
def no_slot_is_left(compaction: Compaction) -> Complaint:
    """Between requests no task waits for a block to capture.

    A slot that outlives its task takes blocks from whoever frees them, and nobody gets them.
    """
    for cpu, slot in enumerate(compaction.captures):
        if slot is not None:
            return f"CPU {cpu} has a slot for order {slot.order}, which holds {slot.pfn}"
    return None


@REST_LAWS.law("CMP-lru", eras=compacts, source="derived: the LRU knows held blocks only")
def lru_is_of_held_blocks(compaction: Compaction) -> Complaint:
    """What is on the LRU, or has a stray order, is a held block that may be moved, or was.

    A name that stays behind when a block moves is later found to be somebody else's.
    """
    held = compaction.zone.held
    for pfn in sorted(compaction.lru | compaction.strays.keys()):
        if pfn not in held:
            return f"frame {pfn} is on the LRU or has a stray order, but heads no held block"
    return None


@REST_LAWS.law(
    "CMP-skips",
    eras=remembers,
    source="mm/compaction.c, update_cached_migrate and update_pageblock_skip",
)
def positions_are_usable(compaction: Compaction) -> Complaint:
    """Only pageblocks of the zone are passed over, and who will not wait is never behind who will.

    Positions beyond the zone are what a run corrects when it begins; a pageblock that is not there
    would be passed over in vain.
    """
    zone = compaction.zone
    for number in sorted(compaction.skips):
        if not 0 <= number < len(zone.pageblocks):
            return f"pageblock {number} is to be passed over, of {len(zone.pageblocks)}"
    hasty, patient = compaction.cached_migrate
    if hasty < patient:
        return f"migrate scanners begin at {hasty} if they will not wait, and at {patient} if so"
    return None
