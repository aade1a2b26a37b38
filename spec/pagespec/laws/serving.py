"""Laws about what an allocation is served from, and when one may fail."""

from pagespec.frames import SIZES
from pagespec.laws.holdings import UNSERVED, due_refusal
from pagespec.laws.law import Complaint, LawBook, Transition
from pagespec.laws.masks import frames_of_run
from pagespec.laws.sources import due_source, may_unreserve, smallest_order, sources
from pagespec.laws.swept import Listed, changes, listed_at
from pagespec.laws.tries import due_try, serves_by_list
from pagespec.laws.types import has_pageblocks
from pagespec.laws.wording import wording
from pagespec.migratetype import HIGHATOMIC
from pagespec.types import NO_MEMORY, Block
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone

SERVING_LAWS: LawBook[Transition] = LawBook()


def served(step: Transition, *verbs: Verb) -> bool:
    """Whether a legal request was served. An illegal one should have done nothing: BUD-refuse."""
    return (
        step.op.verb in verbs
        and step.outcome not in UNSERVED
        and due_refusal(step.before.zone, step.op) is None
    )


def by_buddy(step: Transition) -> Transition | None:
    """The step, if it is an allocation that the buddy served as it stood before; else None.

    A CPU's list that gave or got a block stands between; so does a last try, for which pageblocks
    of the reserve may have been given up. The request is as it was put at the try that served it.
    """
    if not served(step, Verb.ALLOC):
        return None
    before = step.before.zone
    if not before.machine.cpus and before.levels is None:
        return step
    tried = due_try(before, step.op)
    if step.before.kept_blocks != step.after.kept_blocks or tried.number in ("last", "none"):
        return None
    # What refills a list has no part in the reserve.
    atomic = tried.op.atomic and not tried.by_list
    return step._replace(op=tried.op._replace(atomic=atomic))


def source_of(step: Transition) -> Listed | None:
    """The free block that a served allocation was cut from, as it was listed."""
    return listed_at(step.before.zone, step.outcome, step.op.order)


@SERVING_LAWS.law("BUD-success", source="mm/page_alloc.c, __rmqueue_smallest and __rmqueue")
def succeeded(step: Transition) -> Complaint:
    """A request fails only if nothing that may serve it is free.

    An early end of the search is out of memory with memory left. An allocation may be served from
    its own type's lists, CMA memory if it is movable, other types' and the reserve as far as era
    and request allow; a range from its very frames, which CPUs give back for it; giving up reserve
    needs a free block there. What its CPU's list holds serves too. Of watermarks speaks WM-serve.
    """
    if step.outcome != NO_MEMORY or due_refusal(step.before.zone, step.op) is not None:
        return None
    before, op = step.before, step.op
    free: object = None
    if op.verb is Verb.ALLOC and before.zone.levels is None:
        free = _sufficient(before.zone, op)
    elif op.verb is Verb.CONTIG:
        frames = frames_of_run(before.zone.machine, op.pfn, op.pfn + op.pages)
        free = "all of it" if (before.free | before.kept) & frames == frames else None
    elif op.verb is Verb.UNRESERVE and may_unreserve(before.zone, op):
        order = smallest_order(before.zone, HIGHATOMIC, 0)
        free = None if order is None else f"a block of order {order} in the reserve"
    return None if free is None else f"{wording(op)} failed although {free} was free"


def _sufficient(zone: Zone, op: Op) -> object:
    """A free block that may serve, or the list that does."""
    if serves_by_list(zone, op) is None:
        return None
    for mt, least in sources(zone, op):
        order = smallest_order(zone, mt, least)
        if order is not None:
            return Block(next(iter(zone.free_area[order][mt])), order)
    return f"what CPU {op.cpu} keeps"


@SERVING_LAWS.law(
    "MT-own", eras=has_pageblocks, source="mm/page_alloc.c, rmqueue and __rmqueue, 2.6.37 to 6.12"
)
def served_by_own(step: Transition) -> Complaint:
    """A request is served by the first of its own lists that can: another type's are a last resort.

    Each fallback mixes two kinds of memory in one pageblock, which then forms no large block again.
    """
    zone, plain = step.before.zone, by_buddy(step)
    if zone.machine.pageblock is None or plain is None:
        return None
    listed, due = source_of(plain), due_source(zone, plain.op)
    if listed is None or due is None or listed.mt is due.mt:
        return None
    return (
        f"{wording(step.op)} took {listed.block} of {listed.mt.name} although {due.mt.name} had "
        f"a block of order {due.least}"
    )


@SERVING_LAWS.law("BUD-expand", source="the 2004 thread; mm/page_alloc.c, expand")
def expanded(step: Transition) -> Complaint:
    """A split leaves one upper half free at each order and returns the lowest part.

    So the next requests walk upward through memory that lies together. The smallest sufficient
    block of a list is cut; halves below the order of guards become guards.
    """
    plain = by_buddy(step)
    if plain is None:
        return None
    before, op = plain.before.zone, plain.op
    got = Block(step.outcome, op.order)
    listed = source_of(plain)
    if listed is None:
        return f"alloc order {op.order} gave {got}, which headed no free block"
    block = listed.block
    due = due_source(before, op)
    if due is not None and due.mt is listed.mt and due.least != block.order:
        return f"{got} was cut from order {block.order} although order {due.least} was free"
    halves = {Block(got.pfn + SIZES[half], half) for half in range(op.order, block.order)}
    guards = {half for half in halves if half.order < before.machine.guard}
    gone, come = changes(step.before, step.after)
    lost = {block for block, _ in gone} - {block for block, _ in come}
    won = {block for block, _ in come} - {block for block, _ in gone}
    wrong = (lost ^ {block}) | (won ^ (halves - guards)) | (_new_guards(step) ^ guards)
    if not wrong:
        return None
    return f"after the split of {block} for order {op.order}, {min(wrong)} is out of place"


def _new_guards(step: Transition) -> set[Block]:
    guards = step.after.zone.guards.items() ^ step.before.zone.guards.items()
    return {Block(pfn, order) for pfn, order in guards}
