"""The law about requests that must be refused."""

from pagespec.laws.holdings import REFUSALS, due_refusal
from pagespec.laws.law import Complaint, LawBook, Transition
from pagespec.laws.wording import wording
from pagespec.types import Refusal

REFUSAL_LAWS: LawBook[Transition] = LawBook()


@REFUSAL_LAWS.law(
    "BUD-refuse",
    source="derived; mm/page_alloc.c, free_pages_check and split_page, and mm/page_isolation.c",
)
def refused(step: Transition) -> Complaint:
    """An illegal request is refused for the right reason, a legal one is not.

    A free that is believed though it is wrong corrupts memory that somebody else owns. The most
    outward reason is the right one. An allocator from outside may leave the reason unsaid.
    """
    due = due_refusal(step.before.zone, step.op)
    got = Refusal(step.outcome) if step.outcome in REFUSALS else None
    if due is got or (due is not None and got is Refusal.UNSAID):
        return None
    named = [
        "served" if refusal is None else f"refused as {refusal.name}" for refusal in (due, got)
    ]
    return f"{wording(step.op)} must be {named[0]}, was {named[1]}"
