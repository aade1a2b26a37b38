"""Laws about what an allocation is served from, and when one may fail."""

from collections.abc import Iterator
from typing import NamedTuple

from pagespec.frames import SIZES
from pagespec.laws.holdings import UNSERVED, due_refusal
from pagespec.laws.law import Complaint, LawBook, Transition
from pagespec.laws.masks import frames_of_run
from pagespec.laws.swept import Listed, changes, listed_at
from pagespec.laws.types import has_pageblocks
from pagespec.laws.wording import wording
from pagespec.migratetype import (
    CMA,
    FALLBACKS,
    HIGHATOMIC,
    MOVABLE,
    RESERVE,
    UNMOVABLE,
    MigrateType,
)
from pagespec.types import NO_MEMORY, Block, Order
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


class Source(NamedTuple):
    """Lists that may serve a request: those of a type, from an order up."""

    mt: MigrateType
    least: Order


def own_sources(zone: Zone, op: Op) -> Iterator[MigrateType]:
    """The types whose lists a request tries before it falls back to another's, in order.

    An atomic request for more than one frame uses the reserve first. A movable one may use CMA
    memory: after its own; or before, since 5.7, as long as most of what is free is CMA's.
    """
    era = zone.machine.era
    if zone.machine.pageblock is None:
        yield UNMOVABLE
        return
    if op.atomic and op.order > 0 and era.reserve != "none":
        yield HIGHATOMIC
    cma = op.mt is MOVABLE and era.cma != "none"
    if cma and era.cma == "balanced" and zone.free_cma > zone.free_pages // 2:
        yield CMA
    yield op.mt
    if cma:
        yield CMA


def last_source(zone: Zone, op: Op) -> MigrateType | None:
    """The reserve that serves a request for which there is nothing else, if the era has one."""
    era = zone.machine.era
    if zone.machine.pageblock is None:
        return None
    if era.fallback == "take-largest":
        return RESERVE
    return HIGHATOMIC if op.atomic and era.reserve == "one-percent" else None


def least_fallback(zone: Zone, op: Op) -> Order:
    """The smallest order of another type's block that may serve the request."""
    asked = op.nofragment and zone.machine.era.nofragment
    return max(op.order, zone.machine.pageblock or 0) if asked else op.order


def sources(zone: Zone, op: Op) -> Iterator[Source]:
    """Every list that may serve an allocation."""
    for mt in own_sources(zone, op):
        yield Source(mt, op.order)
    if zone.machine.pageblock is not None:
        for mt in FALLBACKS[op.mt]:
            yield Source(mt, least_fallback(zone, op))
    last = last_source(zone, op)
    if last is not None:
        yield Source(last, op.order)


def smallest_order(zone: Zone, mt: MigrateType, least: Order) -> Order | None:
    """The smallest order from `least` up at which a type has a free block."""
    for order in range(least, len(zone.free_area)):
        if zone.free_area[order].get(mt):
            return order
    return None


def source_of(step: Transition) -> Listed | None:
    """The free block that a served allocation was cut from, as it was listed."""
    return listed_at(step.before.zone, step.outcome, step.op.order)


def due_source(zone: Zone, op: Op) -> Source | None:
    """The first of the request's own lists that has a sufficient block, and its smallest order."""
    for mt in own_sources(zone, op):
        order = smallest_order(zone, mt, op.order)
        if order is not None:
            return Source(mt, order)
    return None


@SERVING_LAWS.law("BUD-success", source="mm/page_alloc.c, __rmqueue_smallest and __rmqueue")
def succeeded(step: Transition) -> Complaint:
    """A request fails only if nothing that may serve it is free.

    An early end of the search is out of memory with memory left. An allocation may be served from
    its own type's lists, CMA memory if it is movable, other types' and the reserve as far as era
    and request allow; a range from its very frames; giving up reserve needs a free block there.
    """
    if step.outcome != NO_MEMORY or due_refusal(step.before.zone, step.op) is not None:
        return None
    before, op = step.before, step.op
    free: object = None
    if op.verb is Verb.ALLOC:
        free = next(_sufficient(before.zone, op), None)
    elif op.verb is Verb.CONTIG:
        frames = frames_of_run(before.zone.machine, op.pfn, op.pfn + op.pages)
        free = "all of it" if before.free & frames == frames else None
    elif op.verb is Verb.UNRESERVE and may_unreserve(before.zone, op):
        order = smallest_order(before.zone, HIGHATOMIC, 0)
        free = None if order is None else f"a block of order {order} in the reserve"
    return None if free is None else f"{wording(op)} failed although {free} was free"


def _sufficient(zone: Zone, op: Op) -> Iterator[Block]:
    for mt, least in sources(zone, op):
        order = smallest_order(zone, mt, least)
        if order is not None:
            yield Block(next(iter(zone.free_area[order][mt])), order)


def may_unreserve(zone: Zone, op: Op) -> bool:
    """Whether the reserve is large enough to lose a pageblock, or must do so in any case."""
    return op.force or zone.nr_reserved > SIZES[zone.machine.pageblock or 0]


@SERVING_LAWS.law(
    "MT-own", eras=has_pageblocks, source="mm/page_alloc.c, rmqueue and __rmqueue, 2.6.37 to 6.12"
)
def served_by_own(step: Transition) -> Complaint:
    """A request is served by the first of its own lists that can: another type's are a last resort.

    Each fallback mixes two kinds of memory in one pageblock, which then forms no large block again.
    """
    zone = step.before.zone
    if zone.machine.pageblock is None or not served(step, Verb.ALLOC):
        return None
    listed, due = source_of(step), due_source(zone, step.op)
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
    if not served(step, Verb.ALLOC):
        return None
    before, op = step.before.zone, step.op
    got = Block(step.outcome, op.order)
    listed = source_of(step)
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
