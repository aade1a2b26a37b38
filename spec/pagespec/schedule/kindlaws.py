"""The laws that hold at every step of whoever works on compaction or slabs at the same time.

Those about locks and frames are everybody's; added is what callers of slabs see. The laws of each
kind at rest are asked besides, wherever nobody is in the middle of a request.
"""

from pagespec.laws.law import Complaint, LawBook
from pagespec.schedule.moment import Moment
from pagespec.slab.laws.eras import has_slabs

OBJECT_LAWS: LawBook[Moment] = LawBook()


@OBJECT_LAWS.law("OUT-disjoint", level="outside", eras=has_slabs, source="derived")
def owned_once(moment: Moment) -> Complaint:
    """No object is given to anybody while somebody has it.

    Two who write to one object destroy what the other has there.
    """
    for address, owners in moment.world.owners.items():
        if len(owners) > 1:
            return f"object {address} is owned by contexts {owners[0]} and {owners[1]}"
    return None
