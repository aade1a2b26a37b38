"""Laws about one request: what it may change, and what it must return."""

from pagespec.frames import SIZES
from pagespec.laws.holdings import REFUSALS, UNSERVED, due_refusal, due_release
from pagespec.laws.law import Complaint, LawBook, Transition
from pagespec.laws.masks import frames_of
from pagespec.laws.state import free_frames
from pagespec.types import NO_MEMORY, Block, Refusal
from pagespec.zone import STATE, Held, free_blocks

STEP_LAWS: LawBook[Transition] = LawBook()


def _served(step: Transition, *verbs: str) -> bool:
    """Whether a legal request was served. An illegal one should have done nothing: BUD-refuse."""
    return (
        step.verb in verbs
        and step.outcome not in UNSERVED
        and due_refusal(step.before, step.verb, step.order, step.pfn) is None
    )


@STEP_LAWS.law("BUD-refuse", source="derived; mm/page_alloc.c, free_pages_check")
def refused(step: Transition) -> Complaint:
    """An illegal request is refused for the right reason, a legal one is not.

    A free that is believed though it is wrong corrupts memory that somebody else owns. An
    allocator from outside may leave the reason unsaid.
    """
    due = due_refusal(step.before, step.verb, step.order, step.pfn)
    got = Refusal(step.outcome) if step.outcome in REFUSALS else None
    if due is got or (due is not None and got is Refusal.UNSAID):
        return None
    named = [
        "served" if refusal is None else f"refused as {refusal.name}" for refusal in (due, got)
    ]
    return f"{step.verb} of pfn {step.pfn} order {step.order} must be {named[0]}, was {named[1]}"


@STEP_LAWS.law("BUD-success", source="mm/page_alloc.c, __rmqueue_smallest")
def succeeded(step: Transition) -> Complaint:
    """A request fails only if no free block of its order or above exists.

    An early end of the search is out of memory with memory left.
    """
    if step.verb != "alloc" or step.outcome != NO_MEMORY:
        return None
    for block in free_blocks(step.before):
        if block.order >= step.order:
            return f"alloc order {step.order} failed although {block} was free"
    return None


@STEP_LAWS.law("BUD-expand", source="the 2004 thread; mm/page_alloc.c, expand")
def expanded(step: Transition) -> Complaint:
    """A split leaves one upper half free at each order and returns the lowest part.

    So the next requests walk upward through memory that lies together.
    """
    if not _served(step, "alloc"):
        return None
    before = set(free_blocks(step.before))
    got = Block(step.outcome, step.order)
    sources = [block for block in before if block.pfn == got.pfn and block.order >= got.order]
    if not sources:
        return f"alloc order {got.order} gave {got}, which headed no free block"
    smallest = min(block.order for block in before if block.order >= got.order)
    if sources[0].order != smallest:
        return f"{got} was cut from order {sources[0].order} although order {smallest} was free"
    halves = {Block(got.pfn + SIZES[half], half) for half in range(got.order, sources[0].order)}
    after = set(free_blocks(step.after))
    if after == before - {sources[0]} | halves:
        return None
    wrong = min(after ^ (before - {sources[0]} | halves))
    return f"after the split of {sources[0]} for order {got.order}, {wrong} is out of place"


@STEP_LAWS.law("SPLIT-pieces", source="mm/page_alloc.c, __free_pages since e320d3012d25")
def pieces_cover(step: Transition) -> Complaint:
    """The pieces of a block that is freed in parts cover it exactly.

    A piece too few is lost for ever; one too many has two owners.
    """
    if not _served(step, "free") or step.before.held[step.pfn].refs == 1:
        return None
    freed, kept = due_release(step.before, step.verb, step.pfn)
    gained = free_frames(step.after) & ~free_frames(step.before)
    if gained == freed and step.after.held.get(step.pfn) == kept:
        return None
    return (
        f"free of pfn {step.pfn} order {step.order} under a reference freed frames {gained:#b} "
        f"from the zone's start, expected {freed:#b}, and left {step.after.held.get(step.pfn)}"
    )


@STEP_LAWS.law("ZONE-frame", source="derived")
def nothing_else_changed(step: Transition) -> Complaint:
    """A request changes the frames it names and nothing else; a refused or failed one nothing.

    Else one caller's request changes another's memory.
    """
    before, after = step.before, step.after
    if step.outcome in UNSERVED:
        changed = [name for name in STATE if getattr(before, name) != getattr(after, name)]
        if changed:
            return f"{step.verb} was not served and yet changed {', '.join(changed)}"
        return None
    if not _served(step, step.verb):
        return None
    expected_free, expected_held = free_frames(before), dict(before.held)
    if step.verb == "alloc":
        expected_free &= ~frames_of(before.machine, Block(step.outcome, step.order))
        compound = step.compound
        if compound is None:
            compound = step.outcome in after.held and after.held[step.outcome].compound
        expected_held[step.outcome] = Held(step.order, 1, compound)
    else:
        freed, kept = due_release(step.before, step.verb, step.pfn)
        expected_free |= freed
        expected_held.pop(step.pfn)
        if kept is not None:
            expected_held[step.pfn] = kept
    if free_frames(after) != expected_free:
        wrong = free_frames(after) ^ expected_free
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
    orders = step.before.machine.top + 2
    pieces = 1
    if step.verb == "free" and step.outcome not in REFUSALS:
        pieces = max(1, step.order)
    bound = 2 * orders * pieces
    if step.visited <= bound:
        return None
    return (
        f"{step.verb} order {step.order} looked at {step.visited} places, at most {bound} are due"
    )
