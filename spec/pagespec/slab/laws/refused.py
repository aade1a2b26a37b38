"""The laws about requests for objects that must be refused, and about what callers are told."""

from pagespec.laws.law import Complaint, LawBook
from pagespec.slab.laws.eras import has_slabs
from pagespec.slab.laws.refusals import reasons
from pagespec.slab.laws.step import SlabStep
from pagespec.slab.laws.wording import wording
from pagespec.slab.verbs import SlabVerb
from pagespec.types import NO_MEMORY, Refusal

SLAB_REFUSAL_LAWS: LawBook[SlabStep] = LawBook()
HELD_LAWS: LawBook[SlabStep] = LawBook()

ONE = frozenset({SlabVerb.ALLOC, SlabVerb.LARGE})


@SLAB_REFUSAL_LAWS.law("SLB-refused", eras=has_slabs, source="derived")
def refused(step: SlabStep) -> Complaint:
    """An illegal request is refused for a reason that holds and changes nothing; no other is.

    An address inside an object, of an object that is free, or of another cache must not be taken
    for an object that somebody gives back: it would be given out twice. What is not asked for
    objects answers 0.
    """
    op, due = step.op, reasons(step.before, step.op)
    names = " or ".join(sorted(reason.name for reason in due))
    if not step.refused:
        if due:
            return f"{wording(op)} must be refused as {names}, was served"
        return _answer(step)
    got = Refusal(step.outcome)
    if got not in due:
        must = f"refused as {names}" if due else "served"
        return f"{wording(op)} must be {must}, was refused as {got.name}"
    same = step.after == step.before
    return None if same else f"{wording(op)} was refused and yet changed something"


def _answer(step: SlabStep) -> Complaint:
    """Whether the answer is one that the request can have."""
    op, got = step.op, step.outcome
    if op.verb in ONE:
        fits = got == NO_MEMORY or got > 0
        return None if fits else f"{wording(op)} answered {got}, expected an address or none"
    due = {0, op.objects} if op.verb is SlabVerb.ALLOC_BULK else {0}
    if got in due:
        return None
    return f"{wording(op)} answered {got}, expected {' or '.join(map(str, sorted(due)))}"


@HELD_LAWS.law("SLB-held", eras=has_slabs, source="derived")
def as_told(step: SlabStep) -> Complaint:
    """Callers hold just what they were given and have not given back, each object once.

    Of the cache that was asked for, and charged to who asked. An object that two callers have is
    written to by both; one that nobody knows of is lost.
    """
    book, after = step.book, step.after
    if book.twice is not None:
        return f"{wording(step.op)} gave out {book.twice}, which somebody has"
    if after.held != book.held:
        wrong = min(dict(after.held.items() ^ book.held.items()))
        return (
            f"after {wording(step.op)} object {wrong} is held as {after.held.get(wrong)}, "
            f"callers were told {book.held.get(wrong)}"
        )
    waiting = [sorted(address for address, _ in each) for each in book.withheld]
    if (after.large, [sorted(each) for each in after.withheld]) != (book.large, waiting):
        return (
            f"after {wording(step.op)} {after.withheld} are withheld and {after.large} are large, "
            f"expected {waiting} and {book.large}"
        )
    if {number for number, _ in after.caches} != book.caches:
        return f"after {wording(step.op)} not just the caches {sorted(book.caches)} are there"
    online = {number for number, group in after.groups.items() if group.online}
    due = {number for number, stays in book.groups.items() if stays}
    return None if online == due else f"groups {sorted(online)} are online, expected {sorted(due)}"
