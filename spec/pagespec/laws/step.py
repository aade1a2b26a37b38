"""Laws about one request: what it may change, and what it must return."""

from pagespec.frames import SIZES
from pagespec.laws.holdings import REFUSALS, UNSERVED, allocated, due_refusal, due_release
from pagespec.laws.law import Complaint, LawBook, Transition
from pagespec.laws.masks import frames_of
from pagespec.laws.wording import wording
from pagespec.types import NO_MEMORY, Block, Refusal
from pagespec.verbs import Verb
from pagespec.zone import STATE

STEP_LAWS: LawBook[Transition] = LawBook()


def _served(step: Transition, *verbs: Verb) -> bool:
    """Whether a legal request was served. An illegal one should have done nothing: BUD-refuse."""
    return (
        step.op.verb in verbs
        and step.outcome not in UNSERVED
        and due_refusal(step.before.zone, step.op) is None
    )


@STEP_LAWS.law("BUD-refuse", source="derived; mm/page_alloc.c, free_pages_check")
def refused(step: Transition) -> Complaint:
    """An illegal request is refused for the right reason, a legal one is not.

    A free that is believed though it is wrong corrupts memory that somebody else owns. An
    allocator from outside may leave the reason unsaid.
    """
    due = due_refusal(step.before.zone, step.op)
    got = Refusal(step.outcome) if step.outcome in REFUSALS else None
    if due is got or (due is not None and got is Refusal.UNSAID):
        return None
    named = [
        "served" if refusal is None else f"refused as {refusal.name}" for refusal in (due, got)
    ]
    return f"{wording(step.op)} must be {named[0]}, was {named[1]}"


@STEP_LAWS.law("BUD-success", source="mm/page_alloc.c, __rmqueue_smallest")
def succeeded(step: Transition) -> Complaint:
    """A request fails only if no free block of its order or above exists.

    An early end of the search is out of memory with memory left.
    """
    if step.op.verb is not Verb.ALLOC or step.outcome != NO_MEMORY:
        return None
    for block in step.before.blocks:
        if block.order >= step.op.order:
            return f"{wording(step.op)} failed although {block} was free"
    return None


@STEP_LAWS.law("BUD-expand", source="the 2004 thread; mm/page_alloc.c, expand")
def expanded(step: Transition) -> Complaint:
    """A split leaves one upper half free at each order and returns the lowest part.

    So the next requests walk upward through memory that lies together.
    """
    if not _served(step, Verb.ALLOC):
        return None
    before = set(step.before.blocks)
    got = Block(step.outcome, step.op.order)
    sources = [block for block in before if block.pfn == got.pfn and block.order >= got.order]
    if not sources:
        return f"alloc order {got.order} gave {got}, which headed no free block"
    smallest = min(block.order for block in before if block.order >= got.order)
    if sources[0].order != smallest:
        return f"{got} was cut from order {sources[0].order} although order {smallest} was free"
    halves = {Block(got.pfn + SIZES[half], half) for half in range(got.order, sources[0].order)}
    after = set(step.after.blocks)
    if after == before - {sources[0]} | halves:
        return None
    wrong = min(after ^ (before - {sources[0]} | halves))
    return f"after the split of {sources[0]} for order {got.order}, {wrong} is out of place"


@STEP_LAWS.law("SPLIT-pieces", source="mm/page_alloc.c, __free_pages since e320d3012d25")
def pieces_cover(step: Transition) -> Complaint:
    """The pieces of a block that is freed in parts cover it exactly.

    A piece too few is lost for ever; one too many has two owners.
    """
    before, pfn = step.before.zone, step.op.pfn
    if not _served(step, Verb.FREE) or before.held[pfn].refs == 1:
        return None
    freed, kept = due_release(before, step.op.verb, pfn)
    gained = step.after.free & ~step.before.free
    got = step.after.zone.held.get(pfn)
    if gained == freed and got == kept:
        return None
    return (
        f"{wording(step.op)} under a reference freed frames {gained:#b} "
        f"from the zone's start, expected {freed:#b}, and left {got}"
    )


@STEP_LAWS.law("ZONE-frame", source="derived")
def nothing_else_changed(step: Transition) -> Complaint:
    """A request changes the frames it names and nothing else; a refused or failed one nothing.

    Else one caller's request changes another's memory.
    """
    op, before, after = step.op, step.before.zone, step.after.zone
    if step.outcome in UNSERVED:
        changed = [name for name in STATE if getattr(before, name) != getattr(after, name)]
        if changed:
            return f"{op.verb.value} was not served and yet changed {', '.join(changed)}"
        return None
    if not _served(step, op.verb):
        return None
    expected_free, expected_held = step.before.free, dict(before.held)
    if op.verb is Verb.ALLOC:
        expected_free &= ~frames_of(before.machine, Block(step.outcome, op.order))
        expected_held[step.outcome] = allocated(before.machine, op)
    else:
        freed, kept = due_release(before, op.verb, op.pfn)
        expected_free |= freed
        expected_held.pop(op.pfn)
        if kept is not None:
            expected_held[op.pfn] = kept
    if step.after.free != expected_free:
        wrong = step.after.free ^ expected_free
        return f"frames {wrong:#b} from the zone's start changed hands besides the request's own"
    if after.held != expected_held:
        return f"holdings are {after.held}, expected {expected_held}"
    return None


@STEP_LAWS.law("LIVE-ends", source="derived: one visit an order, for each block that is freed")
def ends(step: Transition) -> Complaint:
    """A request looks at no more frames and list nodes than its orders and pieces allow.

    A loop that ends only by luck is a hang under another load. The spec alone counts what it looks
    at; of another allocator OUT-fault asks that it answers.
    """
    orders = step.before.zone.machine.top + 2
    pieces = 1
    if step.op.verb is Verb.FREE and step.outcome not in REFUSALS:
        pieces = max(1, step.op.order)
    bound = 2 * orders * pieces
    if step.visited <= bound:
        return None
    return f"{wording(step.op)} looked at {step.visited} places, at most {bound} are due"
