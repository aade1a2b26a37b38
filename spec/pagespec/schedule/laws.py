"""The laws that hold at every step, whoever comes between: who holds what, and where frames are.

They are asked after each step, of what it left and of what the contexts were about to do. The laws
about zones at rest are asked as well, wherever the locks allow it.
"""

from pagespec.events import Kind
from pagespec.frames import SIZES
from pagespec.guards import RULES
from pagespec.laws.law import Complaint, LawBook
from pagespec.laws.masks import frames_of, lowest_of
from pagespec.schedule.contexts import OWN_CPU, Hold, Level, World, finished, zone_in
from pagespec.schedule.countlaws import COUNT_LAWS, COUNTER_CELL_LAWS
from pagespec.schedule.moment import Moment, said
from pagespec.steps import Guard, Step
from pagespec.trace import Request
from pagespec.types import Block
from pagespec.verbs import BLOCK_VERBS

CONTEXT_LAWS: LawBook[Moment] = LawBook()


@CONTEXT_LAWS.law("LOCK-order", source="mm/page_alloc.c, the zone's lock within the lists' guard")
def in_order(moment: Moment) -> Complaint:
    """Nobody takes the guard of lists with the zone's lock held, nor a lock that it has already.

    Two who take them in different orders wait for each other; who takes one twice, for itself.
    """
    context = moment.context
    if context.ready or context.stop is None:
        return None
    wants_lists = context.stop is Step.GUARD or isinstance(context.stop, Guard)
    if not wants_lists and context.stop is not Step.LOCK:
        return None
    cpu = context.stop.cpu if isinstance(context.stop, Guard) else context.place.cpu
    for hold in context.holds:
        if hold.lists is None:
            what = "lists' guard" if wants_lists else "zone's lock"
            return f"{said(moment.mover, context)} takes the {what} with the zone's lock held"
        if wants_lists and hold.lists == cpu:
            return f"{said(moment.mover, context)} takes the guard of CPU {cpu}'s lists twice"
    return None


@CONTEXT_LAWS.law("LOCK-released", source="derived; mm/page_alloc.c, every path out of a request")
def released(moment: Moment) -> Complaint:
    """A request that has come to its end holds nothing.

    What it keeps nobody else can have any more.
    """
    context = moment.context
    if context.rest is not None or not context.holds:
        return None
    hold = context.holds[-1]
    return f"{said(moment.mover, context)} has ended its request and still holds {held(hold)}"


def held(hold: Hold) -> str:
    """What is held as a complaint names it."""
    if hold.lists == OWN_CPU:
        return "its CPU, with interrupts off" if hold.irqs_off else "its CPU"
    return "the zone's lock" if hold.lists is None else f"the guard of CPU {hold.lists}'s lists"


@CONTEXT_LAWS.law("PCP-owner", source="mm/page_alloc.c, the guard of pcp lists, 2.6.11 to 6.12")
def one_owner(moment: Moment) -> Complaint:
    """At most one context is at a CPU's lists, with their guard: on that CPU, unless that locks.

    And no interrupt is where the guard bars interrupts. That is all that keeps a list from being
    seen half-edited.
    """
    for cpu in moment.unguarded:
        return f"{said(moment.mover, moment.context)} changes CPU {cpu}'s lists without their guard"
    world = moment.world
    rule = RULES[world.scenario.machine.era.guard]
    owners: dict[int, int] = {}
    for number, context in enumerate(world.contexts):
        for hold in context.holds:
            if hold.lists is None or hold.lists == OWN_CPU:
                continue
            if hold.lists in owners:
                first = owners[hold.lists]
                return (
                    f"{said(first, world.contexts[first])} and {said(number, context)} are both at "
                    f"CPU {hold.lists}'s lists"
                )
            owners[hold.lists] = number
            apart = hold.lists != context.place.cpu and hold.lists not in world.zone.unplugged
            if apart and not (hold.locks and not world.scenario.alone):
                return f"{said(number, context)} is at CPU {hold.lists}'s lists without a lock"
            if rule.bars_interrupts and context.place.level > Level.TASK:
                return f"{said(number, context)} is at CPU {hold.lists}'s lists: it is an interrupt"
    return None


@CONTEXT_LAWS.law("OUT-disjoint", level="outside", source="derived")
def owned_once(moment: Moment) -> Complaint:
    """What a request is given, it has taken from a place itself, and nobody else has.

    A frame with two owners is written by both.
    """
    for address, owners in moment.world.owners.items():
        if len(owners) > 1:
            return f"object {address} is owned by contexts {owners[0]} and {owners[1]}"
    mine = moment.flight | moment.left
    for event in moment.log:
        machine = moment.world.zone.machine
        if event.kind is Kind.FROM_LIST:
            # A bulk request gives it out in the very step that takes it, if nobody has it yet.
            mine |= frames_of(machine, Block(event.pfn, event.order)) & ~held_before(moment)
        if event.kind in (Kind.ALLOC, Kind.BULK):
            wrong = frames_of(machine, Block(event.pfn, event.order)) & ~mine
            if wrong:
                frame = lowest_of(machine, wrong)
                return f"{said(moment.mover, moment.context)} was given frame {frame} of somebody"
    return None


def held_before(moment: Moment) -> int:
    """The frames that were held before the step, as one bit a frame."""
    machine = moment.world.zone.machine
    frames = 0
    for pfn, block in moment.held.items():
        frames |= frames_of(machine, Block(pfn, block.order))
    return frames


@CONTEXT_LAWS.law("BUD-success", source="mm/page_alloc.c, rmqueue under one hold of zone->lock")
def served_if_possible(moment: Moment) -> Complaint:
    """A request goes without only while nobody has more off the lists than the block it is about.

    Who splits or merges lists all the rest again before anybody else can look: else others find
    nothing where there is enough.
    """
    if not any(event.kind is Kind.FAIL for event in moment.log):
        return None
    world = moment.world
    machine = world.zone.machine
    for number, context in enumerate(world.contexts):
        own = pages_asked(world, number)
        if number != moment.mover and own is not None and context.flight.bit_count() > own:
            frame = lowest_of(machine, context.flight)
            return (
                f"{said(moment.mover, moment.context)} goes without while "
                f"{said(number, context)} has the frames around {frame} off all lists"
            )
    return None


def pages_asked(world: World, number: int) -> int | None:
    """How many frames the request is about that a context has under way, if it is about a block."""
    context = world.contexts[number]
    if context.rest is None:
        return None
    asked = world.scenario.roles[number].requests[context.at]
    if not isinstance(asked, Request) or asked.verb not in BLOCK_VERBS:
        return None
    order = asked.order
    if order is None and asked.operand is not None and asked.operand.name in world.names.blocks:
        order = world.names.blocks[asked.operand.name].order
    return None if order is None else SIZES[order]


@CONTEXT_LAWS.law("BUD-partition", source="derived")
def in_one_place(moment: Moment) -> Complaint:
    """At every step each frame is in one place, or in flight with who took it there.

    A frame is put where it belongs by who has it in flight; at the end of a request nothing is in
    flight any more. In two places it will be given out twice, in none it is lost.
    """
    if zone_in(moment.world.shared) is None:
        return None
    machine, context = moment.world.zone.machine, moment.context
    if moment.twice:
        return f"frame {lowest_of(machine, moment.twice)} is in two places"
    strange = moment.came & ~moment.flight
    if strange:
        frame = lowest_of(machine, strange)
        return f"{said(moment.mover, context)} put frame {frame} in a place without having it"
    if context.rest is None and context.flight:
        frame = lowest_of(machine, context.flight)
        return f"{said(moment.mover, context)} has ended its request and lost frame {frame}"
    return None


@CONTEXT_LAWS.law("LIVE-ends", source="derived")
def goes_on(moment: Moment) -> Complaint:
    """As long as somebody has something to do, somebody can do it.

    Else all wait for each other, or one for itself: the machine hangs.
    """
    world = moment.world
    left = [number for number in range(len(world.contexts)) if not finished(world, number)]
    if not left or moment.nexts:
        return None
    waits = ", ".join(said(number, world.contexts[number]) for number in left)
    return f"nobody can go on: {waits}"


AT_EVERY_STEP: LawBook[Moment] = LawBook(CONTEXT_LAWS, COUNT_LAWS, COUNTER_CELL_LAWS)

OF_CONTEXTS = frozenset(law.id for law in CONTEXT_LAWS.laws)
"""Those that are asked of any contexts, whatever they share."""

AMONG_ALL = frozenset({"PCP-owner", "BUD-success", "LIVE-ends"})
"""Those that look at more than who took the step, and what it changed."""
