"""The laws that a zone keeps whenever its lock is free.

They are judged from the most basic to the most demanding, so that the first one broken names the
mechanism.
"""

from pagespec.laws.buddies import BUDDY_LAWS
from pagespec.laws.cells import CELL_STATE_LAWS
from pagespec.laws.kept import KEPT_STATE_LAWS
from pagespec.laws.law import Complaint, LawBook
from pagespec.laws.swept import Swept
from pagespec.laws.types import LIST_LAWS
from pagespec.laws.watermarks import MARK_LAWS

READING_LAWS: LawBook[Complaint] = LawBook()


@READING_LAWS.law("BUD-links", source="derived; the linkage faults of other allocators")
def linked(torn: Complaint) -> Complaint:
    """A free list reads the same forward and backward, and returns to its head.

    Judged where an allocator's memory is read as lists: its subject is what the reader stumbled
    over. A block that is unlinked on one side only comes back, or takes others with it.
    """
    return torn


STATE_LAWS: LawBook[Swept] = LawBook(
    BUDDY_LAWS, LIST_LAWS, KEPT_STATE_LAWS, CELL_STATE_LAWS, MARK_LAWS
)
