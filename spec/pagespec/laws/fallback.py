"""Laws about requests that are served from another type's memory.

Each era's rule is said by what a fallback *finds*, and by what then changes hands: which blocks go
to the request's lists, where the rest of the block goes that serves, and which pageblocks get the
request's type. Which of several blocks of one order and type is found is left open.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pagespec.frames import SIZES, head_of
from pagespec.laws.law import Complaint, LawBook, Transition
from pagespec.laws.masks import frames_of_run
from pagespec.laws.serving import by_buddy, source_of
from pagespec.laws.sources import Source, due_source, last_source, least_fallback
from pagespec.laws.swept import Listed, Swept
from pagespec.laws.types import end_of, has_pageblocks, types_of
from pagespec.laws.wording import wording
from pagespec.migratetype import FALLBACKS, HIGHATOMIC, MOVABLE, RECLAIMABLE, MigrateType
from pagespec.types import Block, Order, Pfn
from pagespec.verbs import Op
from pagespec.zone import Zone

FALLBACK_LAWS: LawBook[Transition] = LawBook()

RETRIES = frozenset({"move-then-retry", "claim-or-single"})
"""The rules by which a fallback only moves blocks, and the request's own lists then serve."""


class Effect(NamedTuple):
    """What a request changes besides taking a block.

    moved: the blocks that go to the lists of the request's type. rest: the type of the lists that
    get the upper halves of the block that serves. typed: the pageblocks that get the request's
    type, by number. serves: the blocks that may serve.
    """

    moved: frozenset[Listed]
    rest: MigrateType
    typed: range
    serves: frozenset[Listed]


NOTHING, NOWHERE = frozenset[Listed](), range(0)


def due_fallback(zone: Zone, op: Op) -> Source | None:
    """The type and order of the block that a fallback must find, if there is any.

    The largest order serves. Since 5.0, where nothing but the block may change hands, the smallest.
    """
    top, fallback = zone.machine.top, zone.machine.era.fallback
    largest = _first_of(zone, op, range(top, least_fallback(zone, op) - 1, -1))
    if largest is None or largest.least == op.order or fallback not in RETRIES:
        return largest
    if may_take_more(zone, largest.least, op.mt):
        return largest
    return _first_of(zone, op, range(op.order, top + 1))


def _first_of(zone: Zone, op: Op, orders: Iterable[Order]) -> Source | None:
    for order in orders:
        for mt in FALLBACKS[op.mt]:
            if zone.free_area[order].get(mt):
                return Source(mt, order)
    return None


def may_take_more(zone: Zone, order: Order, mt: MigrateType) -> bool:
    """Whether more than the found block may change hands.

    If it is large; or if the request's memory cannot be moved, so that it had better gather in few
    pageblocks. Up to 2.6.39 only what can be reclaimed was held to be so.
    """
    if zone.machine.era.fallback == "take-largest":
        return order >= (zone.machine.pageblock or 0) // 2 or mt is RECLAIMABLE
    return order >= (zone.machine.pageblock or 0) // 2 or mt is not MOVABLE


def effects(before: Swept, op: Op, source: Source, taken: Listed) -> Iterator[Effect]:
    """What a fallback to each block of that type and order does, if it can end in the taken one."""
    pageblock = before.zone.machine.pageblock or 0
    for pfn in before.zone.free_area[source.least][source.mt]:
        found = Listed(Block(pfn, source.least), source.mt)
        near = head_of(pfn, pageblock) == head_of(taken.block.pfn, pageblock)
        if (near or found == taken) and types_of(before.zone, found.block):
            effect = effect_of(before, op, found)
            if taken in effect.serves:
                yield effect


def effect_of(before: Swept, op: Op, found: Listed) -> Effect:
    """What a fallback to that block changes, by the era's rule.

    Whole pageblocks change hands with all they have. Else the free rest of the pageblock may come
    along, and the pageblock too if it is worth it; in 6.12 it is both or neither. The reserve
    is spared in between, also where a list has a block that lies in it.
    """
    zone, (block, other) = before.zone, found
    machine, fallback = zone.machine, zone.machine.era.fallback
    pageblock, just = machine.pageblock or 0, frozenset({found})
    kind, run = types_of(zone, block)[0], run_to_move(zone, block.pfn)
    number = machine.pageblock_number(block.pfn)
    spared = kind is HIGHATOMIC and fallback in ("steal-largest", "move-then-retry")
    if block.order >= pageblock and not spared:
        numbers = range(number, machine.pageblock_number(end_of(block) - 1) + 1)
        return Effect(NOTHING, op.mt, numbers, just)
    retries = fallback in RETRIES
    more = not spared and may_take_more(zone, block.order, op.mt)
    enough = more and worth(before, op, kind, run) >= SIZES[pageblock - 1]
    if not more or (retries and run is None) or (fallback == "claim-or-single" and not enough):
        keeps = fallback in ("take-largest", "claim-or-single")
        return Effect(NOTHING, other if keeps else op.mt, NOWHERE, just)
    along = NOTHING if run is None else listed_in(before.listed, run)
    typed = range(number, number + 1) if enough else NOWHERE
    return Effect(along, op.mt, typed, smallest_of(along, op.order) if retries else just)


def run_to_move(zone: Zone, pfn: Pfn) -> tuple[Pfn, Pfn] | None:
    """The frames whose free blocks may move with the frame's.

    They are its pageblock's; of one that is cut by the zone's start those from the frame up, none
    in 6.12; of one that is cut by the zone's end none.
    """
    machine = zone.machine
    first = head_of(pfn, machine.pageblock or 0)
    end = first + SIZES[machine.pageblock or 0]
    if end > machine.end or (first < machine.start and machine.era.retypes_on_merge):
        return None
    return (pfn if first < machine.start else first), end


def worth(before: Swept, op: Op, kind: MigrateType, run: tuple[Pfn, Pfn] | None) -> int:
    """How many frames of the pageblock are free, or since 4.12 hold what suits the request's type.

    kind: the pageblock's type. Movable requests suit what can be moved. The others suit, in a
    movable pageblock, what cannot; what other pageblocks hold may be of either kind.
    """
    zone = before.zone
    if run is None:
        return 0
    frames = frames_of_run(zone.machine, *run)
    free = (before.free & frames).bit_count()
    if zone.machine.era.fallback not in RETRIES:
        return free
    movable = sum(
        SIZES[held.order]
        for pfn, held in zone.held.items()
        if run[0] <= pfn < run[1] and held.mt is MOVABLE
    )
    if op.mt is MOVABLE:
        return free + movable
    return SIZES[zone.machine.pageblock or 0] - movable if kind is MOVABLE else free


def listed_in(listed: Iterable[Listed], run: tuple[Pfn, Pfn]) -> frozenset[Listed]:
    """The free blocks that start in the run."""
    return frozenset(one for one in listed if run[0] <= one.block.pfn < run[1])


def smallest_of(listed: Iterable[Listed], order: Order) -> frozenset[Listed]:
    """The blocks of the smallest sufficient order."""
    orders = [one.block.order for one in listed if one.block.order >= order]
    return frozenset(one for one in listed if one.block.order == min(orders, default=-1))


@FALLBACK_LAWS.law(
    "MT-fallback",
    eras=has_pageblocks,
    source="mm/page_alloc.c, fallbacks and __rmqueue_fallback, 2.6.37, 4.10, 5.8, 5.15, 6.1, 6.12",
)
def found_by_rule(step: Transition) -> Complaint:
    """What serves another type's request is the block that the era's rule finds, or comes with it.

    The largest order that any type of the request's row in the table has; at that order the first
    type of the row; since 5.0 the smallest order for what leaves its pageblock as it is. After
    these only a reserve of last resort serves.
    """
    plain = by_buddy(step)
    taken = None if plain is None else _fallen_back(plain)
    if plain is None or taken is None:
        return None
    before, op = plain.before, plain.op
    due = due_fallback(before.zone, op)
    if due is None:
        last = last_source(before.zone, op)
        if taken.mt is last:
            return None
        return f"{wording(op)} took {taken.block} of {taken.mt.name}, which may not serve it"
    if next(effects(before, op, due, taken), None) is not None:
        return None
    return (
        f"{wording(op)} took {taken.block} of {taken.mt.name}; expected what comes of a block of "
        f"{due.mt.name} of order {due.least}"
    )


def _fallen_back(step: Transition) -> Listed | None:
    """The block that serves a request whose own lists have nothing."""
    zone = step.before.zone
    if zone.machine.pageblock is None:
        return None
    return None if due_source(zone, step.op) is not None else source_of(step)


def effects_of(step: Transition, taken: Listed) -> list[Effect]:
    """What a served allocation may have changed, if it took that block."""
    due = None
    if due_source(step.before.zone, step.op) is None:
        due = due_fallback(step.before.zone, step.op)
    if due is None:
        return [Effect(NOTHING, taken.mt, NOWHERE, frozenset({taken}))]
    return list(effects(step.before, step.op, due, taken))
