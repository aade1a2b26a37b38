"""Laws about what a request changes, place by place, and that it comes to an end."""

from collections.abc import Mapping
from typing import NamedTuple

from pagespec.frames import SIZES
from pagespec.laws.holdings import UNSERVED, allocated, due_pieces, due_refusal, due_release
from pagespec.laws.law import Complaint, LawBook, Transition
from pagespec.laws.masks import frames_of, frames_of_run
from pagespec.laws.ranges import range_around
from pagespec.laws.serving import served
from pagespec.laws.sized import low_mark
from pagespec.laws.swept import Swept, changes
from pagespec.laws.types import end_of, isolates_cleanly
from pagespec.laws.wording import wording
from pagespec.machine import Machine
from pagespec.migratetype import ISOLATE, MOVABLE, MigrateType
from pagespec.types import NO_MEMORY, Block, Pfn
from pagespec.verbs import BLOCK_VERBS, Op, Verb
from pagespec.zone import STATE, Held

FRAME_LAWS: LawBook[Transition] = LawBook()


@FRAME_LAWS.law("SPLIT-pieces", source="mm/page_alloc.c, __free_pages since e320d3012d25")
def pieces_cover(step: Transition) -> Complaint:
    """The pieces of a block that is freed in parts cover it exactly.

    A piece too few is lost for ever; one too many has two owners.
    """
    before, pfn = step.before.zone, step.op.pfn
    if not served(step, Verb.FREE) or before.held[pfn].refs == 1:
        return None
    freed, kept = due_release(before, step.op.verb, pfn)
    gained = open_frames(step.after) & ~open_frames(step.before)
    got = step.after.zone.held.get(pfn)
    if gained == freed and got == kept:
        return None
    return (
        f"{wording(step.op)} under a reference freed frames {gained:#b} "
        f"from the zone's start, expected {freed:#b}, and left {got}"
    )


def open_frames(swept: Swept) -> int:
    """The frames that are free, in a guard, or on a CPU's list: nobody's."""
    return swept.free | swept.guards | swept.kept


class Due(NamedTuple):
    """Where frames must be after a request: as `Swept` and `Zone` name it."""

    open_frames: int
    held: Mapping[Pfn, Held]
    given: set[Pfn]
    poisoned: set[Pfn]
    offline: set[Pfn]
    slots: Mapping[Pfn, int]
    unplugged: set[int]
    disabled: bool
    sized_low: int


SERVING_VERBS = frozenset({Verb.ALLOC, Verb.BULK, Verb.UNRESERVE})
"""The verbs by which pageblocks change hands as fallbacks and the reserve say."""

PLACES = ("held", "given", "poisoned", "offline", "slots", "unplugged", "disabled", "sized_low")
"""What a request that fails for want of memory leaves alone, too."""


def due_places(step: Transition) -> Due:
    """Where everything must be after a legal request that was served, or a range that failed."""
    op, before = step.op, step.before.zone
    machine = before.machine
    frames, held, given = open_frames(step.before), before.held, before.given
    poisoned, offline = before.poisoned, before.offline
    slots, unplugged, disabled = before.slots, before.unplugged, before.disabled
    sized_low = before.sized_low
    if op.verb is Verb.ALLOC and step.outcome != NO_MEMORY:
        frames &= ~frames_of(machine, Block(step.outcome, op.order))
        held, given = held | {step.outcome: allocated(machine, op)}, given | {step.outcome}
    elif op.verb in BLOCK_VERBS and op.verb is not Verb.ALLOC:
        freed, kept = due_release(before, op.verb, op.pfn)
        order = before.held[op.pfn].order
        frames |= freed
        if kept is None:
            slots = {pfn: slot for pfn, slot in slots.items() if pfn != op.pfn}
        held = {pfn: holding for pfn, holding in held.items() if pfn != op.pfn}
        if kept is not None:
            held[op.pfn] = kept
            given = given | {op.pfn + SIZES[piece] for piece in range(order if freed else 0)}
    elif op.verb is Verb.SPLIT:
        pieces = due_pieces(before, op.pfn)
        held, given = held | pieces, given | set(pieces)
    elif op.verb is Verb.CONTIG and step.outcome != NO_MEMORY:
        frames &= ~frames_of_run(machine, op.pfn, op.pfn + op.pages)
        pages = range(op.pfn, op.pfn + op.pages)
        held = held | dict.fromkeys(pages, Held(0, 1, compound=False))
        given = given | set(pages)
    elif op.verb is Verb.BULK:
        new = newly_filled(step)
        frames &= ~sum(frames_of(machine, Block(pfn, 0)) for pfn in new)
        held = held | dict.fromkeys(new, allocated(machine, op._replace(order=0)))
        given, slots = given | set(new), slots | new
    elif op.verb in (Verb.UNPLUG, Verb.PLUG):
        unplugged, sized_low = unplugged ^ {op.cpu}, low_mark(before)
    elif op.verb in (Verb.DISABLE, Verb.ENABLE):
        disabled = not disabled
    elif op.verb is Verb.POISON:
        frames &= ~frames_of(machine, Block(op.pfn, 0))
        poisoned = poisoned | {op.pfn}
    elif op.verb is Verb.HEAL:
        frames |= frames_of(machine, Block(op.pfn, 0))
        poisoned = poisoned - {op.pfn}
    elif op.verb in (Verb.OFFLINE, Verb.ONLINE):
        run = frames_of_run(machine, op.pfn, op.pfn + op.pages)
        heads = set(range(op.pfn, op.pfn + op.pages, SIZES[machine.pageblock or 0]))
        away = op.verb is Verb.OFFLINE
        frames = frames & ~run if away else frames | run
        offline = offline | heads if away else offline - heads
    return Due(frames, held, given, poisoned, offline, slots, unplugged, disabled, sized_low)


def newly_filled(step: Transition) -> dict[Pfn, int]:
    """The slots of the array that the request filled, by their frames."""
    before = step.before.zone.slots
    return {pfn: slot for pfn, slot in step.after.zone.slots.items() if pfn not in before}


@FRAME_LAWS.law("ZONE-frame", source="derived")
def nothing_else_changed(step: Transition) -> Complaint:
    """A request changes the frames it names and nothing else; a refused or failed one nothing.

    Else one caller's request changes another's memory. A range that could not be allocated leaves
    its pageblocks the type that it asked for, as one that was allocated does. Lists and types
    outside the range that is named stay; but in 6.12 a merge gives its type to what it absorbs.
    What is nobody's may move between the buddy and the CPUs' lists, also for a request that fails.
    """
    op, before, after = step.op, step.before.zone, step.after.zone
    tries = op.verb is Verb.ALLOC and bool(before.machine.cpus or before.levels is not None)
    undone = step.outcome == NO_MEMORY and (op.verb is Verb.CONTIG or tries)
    if due_refusal(before, op) is not None or (step.outcome in UNSERVED and not undone):
        changed = [name for name in STATE if getattr(before, name) != getattr(after, name)]
        if step.outcome in UNSERVED and changed:
            return f"{op.verb.value} was not served and yet changed {', '.join(changed)}"
        return None
    due = due_places(step)
    if open_frames(step.after) != due.open_frames:
        wrong = open_frames(step.after) ^ due.open_frames
        return f"frames {wrong:#b} from the zone's start changed hands besides the request's own"
    for name in PLACES:
        if getattr(after, name) != getattr(due, name):
            return f"{name} is {getattr(after, name)}, expected {getattr(due, name)}"
    if before.machine.pageblock is None or op.verb in SERVING_VERBS:
        return None
    return _stray(step)


def due_type(op: Op) -> MigrateType | None:
    """The type that the pageblocks of a request's range must have afterwards, if it gives any."""
    if op.verb in (Verb.RESTORE, Verb.CONTIG):
        return op.mt
    return {Verb.ISOLATE: ISOLATE, Verb.ONLINE: MOVABLE}.get(op.verb)


def _stray(step: Transition) -> Complaint:
    """A pageblock or a list that the request had nothing to do with, and that changed."""
    op, before, after = step.op, step.before.zone, step.after.zone
    machine, given = before.machine, due_type(op)
    first, end = (0, 0) if given is None else range_around(machine, op)
    gone, come = changes(step.before, step.after)
    numbers = range(0)
    if given is not None:
        numbers = range(machine.pageblock_number(first), machine.pageblock_number(end - 1) + 1)
    for number, (was, now) in enumerate(zip(before.pageblocks, after.pageblocks, strict=True)):
        if number in numbers and now is not given:
            return f"{wording(op)} left pageblock {number} {now.name}"
        if number not in numbers and was is not now and not _absorbed(step, number):
            return f"{wording(op)} made pageblock {number} {now.name}, which was {was.name}"
    if not isolates_cleanly(machine):
        return None
    stayed = {block for block, _ in gone} & {block for block, _ in come}
    for block in stayed:
        if block.pfn >= end or end_of(block) <= first:
            return f"{wording(op)} moved {block} to another list"
    return None


def _absorbed(step: Transition, number: int) -> bool:
    """Whether a merge may have given a pageblock its type: a new free block covers it and more."""
    machine = step.after.zone.machine
    return machine.era.retypes_on_merge and any(
        block.order > (machine.pageblock or 0)
        and machine.pageblock_number(block.pfn)
        <= number
        <= machine.pageblock_number(end_of(block) - 1)
        for block, _ in changes(step.before, step.after).come
    )


@FRAME_LAWS.law("LIVE-ends", source="derived: one visit an order, for each block that is freed")
def ends(step: Transition) -> Complaint:
    """A request visits no more frames and list nodes than its orders and pieces allow.

    A loop that ends only by luck is a hang under another load. The spec alone counts what it looks
    at; of another allocator OUT-fault asks that it answers. Where pageblocks change hands each
    frame of them may be looked at, and each block in them freed anew.
    """
    bound = most_visits(step) + most_visits_of_lists(step)
    if step.visited <= bound:
        return None
    return f"{wording(step.op)} looked at {step.visited} places, at most {bound} are due"


def most_visits_of_lists(step: Transition) -> int:
    """How many more it may look at, on a machine with CPUs' lists or marks.

    Every block that was on a list may be freed to the buddy; every one that is may have been
    searched for, as may one in vain at each of three tries.
    """
    zone = step.before.zone
    if not zone.machine.cpus and zone.levels is None:
        return 0
    a_block = 4 * visits_of_orders(zone.machine) + 5 * SIZES[zone.machine.pageblock or 0]
    blocks = len(step.before.kept_blocks) + len(step.after.kept_blocks) + 4
    return a_block * (blocks + len(newly_filled(step)))


def visits_of_orders(machine: Machine) -> int:
    """How many a block may take on its way through all orders: one looked at and one listed in
    each, and with pair bitmaps a bit as well."""
    return (3 if machine.era.design == "bitmap" else 2) * (machine.top + 2)


def most_visits(step: Transition) -> int:
    """How many frames and list nodes a request may visit: its work, times the zone's orders."""
    machine, op = step.before.zone.machine, step.op
    orders = visits_of_orders(machine)
    # A request that is refused, or should have been, may name an order of which there is no size.
    order = min(op.order, machine.top) if op.verb is Verb.FREE and step.outcome >= 0 else 0
    if machine.pageblock is None or op.verb in (Verb.GET, Verb.PUT, Verb.SPLIT):
        # The block around a frame to poison is searched for before the lock is taken, and again.
        return orders * max(1, order, 2 * (op.verb is Verb.POISON))
    size = SIZES[machine.pageblock]
    if op.verb in (Verb.ALLOC, Verb.UNRESERVE):
        # Up to six lists of each order, then the frames of a pageblock: counted, moved, reserved;
        # in each of the two moves half of them, one of each pair, may be unlisted and listed.
        return 4 * orders + 5 * size
    if op.verb in (Verb.FREE, Verb.POISON, Verb.HEAL):
        return orders * (max(1, order) + SIZES[max(0, order - machine.pageblock)])
    first, end = range_around(machine, op)
    return 4 * orders * (end - first + 2 * SIZES[machine.top])
