"""All laws about objects, in the order in which they are judged, and the judge."""

from pagespec.laws.law import Complaint, LawBook
from pagespec.laws.state import STATE_LAWS
from pagespec.laws.swept import swept
from pagespec.slab.laws.book import enter
from pagespec.slab.laws.bulk import SINGLES_LAWS, SLAB_BULK_LAWS
from pagespec.slab.laws.charges import CHARGE_LAWS
from pagespec.slab.laws.difference import difference
from pagespec.slab.laws.eras import has_slabs
from pagespec.slab.laws.frame import SLAB_FRAME_LAWS
from pagespec.slab.laws.leak import LEAK_LAWS
from pagespec.slab.laws.order import ORDER_LAWS
from pagespec.slab.laws.paying import PAYING_LAWS
from pagespec.slab.laws.refused import HELD_LAWS, SLAB_REFUSAL_LAWS
from pagespec.slab.laws.rest import REST_LAWS
from pagespec.slab.laws.step import SlabStep
from pagespec.slab.laws.wording import wording
from pagespec.slab.state import Slabs

TWIN_SLAB_LAWS: LawBook[SlabStep] = LawBook()


@TWIN_SLAB_LAWS.law("TWIN-slabs", eras=has_slabs, level="exact", source="derived")
def equal(step: SlabStep) -> Complaint:
    """The allocator's answers and state are the spec's, field by field.

    It catches what no other law names, and with it a fault in the laws themselves.
    """
    if step.twin is None:
        return None
    if step.twin_outcome not in (None, step.outcome):
        return f"{wording(step.op)} gave {step.outcome} and {step.twin_outcome}"
    parts = difference(step.after, step.twin)
    return None if parts is None else f"after {wording(step.op)} {parts}"


SLAB_REST_LAWS: LawBook[Slabs] = LawBook(REST_LAWS, CHARGE_LAWS)
"""What objects and charges keep between requests, whatever has been asked."""

SLAB_LAWS: LawBook[SlabStep] = LawBook(
    PAYING_LAWS, SLAB_BULK_LAWS, SINGLES_LAWS, ORDER_LAWS, SLAB_FRAME_LAWS, LEAK_LAWS
)
"""What a request makes of objects, where callers have what they were told."""


def judge_slabs(step: SlabStep) -> None:
    """Judge one request, and enter it in the step's book.

    Raises LawBroken for the first law of the era that it breaks.
    """
    era = step.before.machine.era
    SLAB_REFUSAL_LAWS.check(era, step)
    if step.refused:
        TWIN_SLAB_LAWS.check(era, step)
        return
    enter(step.book, step.op, step.outcome, step.after.slots)
    HELD_LAWS.check(era, step)
    SLAB_REST_LAWS.check(era, step.after)
    STATE_LAWS.check(era, swept(step.after.zone))
    SLAB_LAWS.check(era, step)
    TWIN_SLAB_LAWS.check(era, step)
