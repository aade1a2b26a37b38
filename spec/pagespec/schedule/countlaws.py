"""The laws about counts that hold at every step: what is added, what is in flight, what cells hold.

No update is lost: what the steps of a request add to a count, wherever they put it, is what was
asked for. Who writes over what another has counted has added too little, or too much.
"""

from pagespec.laws.law import Complaint, LawBook
from pagespec.schedule.contexts import Shared
from pagespec.schedule.moment import Moment, said
from pagespec.schedule.sums import EVENTS, limits_of, names_of
from pagespec.verbs import Verb
from pagespec.vmstat.counters import Counters
from pagespec.vmstat.drift import kept_by_refresh, told_at_once
from pagespec.vmstat.laws.limits import range_of
from pagespec.vmstat.laws.wording import named
from pagespec.vmstat.trace import CounterRequest
from pagespec.vmstat.verbs import CounterOp, CounterVerb
from pagespec.zone import Zone

COUNT_LAWS: LawBook[Moment] = LawBook()

COUNTER_CELL_LAWS: LawBook[Moment] = LawBook()
"""Those about counters that are there in place of a zone."""

READING_OUT = (Verb.REFRESH, Verb.UNPLUG)
"""What takes out of a zone's cells and tells it afterwards."""

TAKING_OUT = (CounterVerb.REFRESH, CounterVerb.UNPLUG)
"""The same of counters."""


def events_in(shared: Shared) -> int:
    """How many of the sums are of events."""
    return len(EVENTS) if isinstance(shared, Zone) else 0


@COUNT_LAWS.law("EVT-count", source="mm/page_alloc.c, PGALLOC and PGFREE, 2.6.11 to 6.12")
def events_counted(moment: Moment) -> Complaint:
    """A request that has ended has counted just what it gave out and took back.

    Two that add on one CPU at the same time lose what one of them has added, unless one instruction
    adds or interrupts are off. Since 5.14 kernels take that into account for machines without such
    an instruction; so the law is not asked of them there.
    """
    world = moment.world
    era = world.scenario.machine.era
    if world.scenario.splits_adds and era.counts_unguarded:
        return None
    return astray(moment, 0, events_in(world.shared))


@COUNT_LAWS.law("VM-conserve", source="derived; mm/vmstat.c, zone_page_state_add, 2.6.9 to 6.12")
def added_in_full(moment: Moment) -> Complaint:
    """A request that ends owes nothing: all that it counted is told, or kept by a CPU.

    That is so for each zone and node, and for the whole machine. In a zone with lists nothing is
    owed at any step: told and kept make up what the lists hold, but for what a refresh or a CPU
    that goes has in flight. Whoever writes a cell that another has changed since it was read takes
    from the count what the other has counted, or counts it twice, for ever. Allocations that are
    counted as events may be lost since 5.14, as other events.
    """
    shared, context = moment.world.shared, moment.context
    if isinstance(shared, Counters) and may_lose(moment, shared):
        return None
    first = events_in(shared)
    wrong = astray(moment, first, None)
    if wrong is not None or not isinstance(shared, Zone) or not any(context.owes[first:]):
        return wrong
    asked = moment.world.scenario.roles[moment.mover].requests[moment.asked]
    if getattr(asked, "verb", None) in READING_OUT:
        return None
    return f"{said(moment.mover, context)} leaves the cells {context.owes[first:]} off the lists"


def may_lose(moment: Moment, counters: Counters) -> bool:
    """Whether the mover counts events, on a machine without an instruction that adds."""
    asked = moment.world.scenario.roles[moment.mover].requests[moment.asked :][:1]
    counts = [
        each.op.verb is CounterVerb.COUNT for each in asked if isinstance(each, CounterRequest)
    ]
    events = counters.machine.numa_name == "events"
    return any(counts) and events and moment.world.scenario.splits_adds


def astray(moment: Moment, first: int, beyond: int | None) -> Complaint:
    """How a request has ended that still has something of these sums in flight."""
    context = moment.context
    if context.rest is not None:
        return None
    for owed, name in list(zip(context.owes, names_of(moment.world.shared), strict=False))[
        first:beyond
    ]:
        if owed:
            much = f"{abs(owed)} too {'few' if owed > 0 else 'many'}"
            return f"{said(moment.mover, context)} has ended its request and added {much} to {name}"
    return None


@COUNTER_CELL_LAWS.law("VM-width", source="include/linux/mmzone.h, vm_stat_diff, 2.6.18 to 6.12")
def fits(moment: Moment) -> Complaint:
    """A cell holds what its width allows at every step.

    It is counted up first and looked at afterwards, by each that comes between as well.
    """
    counters = moment.world.shared
    if not isinstance(counters, Counters):
        return None
    for number, place in enumerate(counters.places):
        least, most = range_of(counters.machine, place)
        for cpu, cells in enumerate(counters.cells):
            if not least <= cells[number] <= most:
                return f"CPU {cpu} keeps {cells[number]} of {named(place)}, from {least} to {most}"
    return None


@COUNTER_CELL_LAWS.law(
    "VM-cell", source="derived; mm/vmstat.c, __mod_zone_page_state, __inc_zone_state"
)
def kept_within(moment: Moment) -> Complaint:
    """A CPU keeps no more than the largest threshold, and one more for each who may change it.

    For a moment a cell is past its threshold, by as many as come between each other there. All that
    readers may miss follows from that.
    """
    world = moment.world
    counters = world.shared
    if not isinstance(counters, Counters):
        return None
    changing = len(world.contexts)
    for number, limit in enumerate(limits_of(world)):
        for cpu, cells in enumerate(counters.cells):
            if limit is not None and not -limit - changing <= cells[number] <= limit + changing:
                return (
                    f"CPU {cpu} keeps {cells[number]} of {named(counters.places[number])}, "
                    f"expected at most {limit} and one for each of {changing} contexts"
                )
    return None


@COUNTER_CELL_LAWS.law("VM-drift", source="derived; mm/vmstat.c, 2.6.18 to 6.12")
def in_flight_within(moment: Moment) -> Complaint:
    """What a request has in flight is no more than a full cell, its change and half a threshold.

    A refresh has that of one cell for a zone or node, and of all its zones' for the machine. All
    that readers miss is this and what CPUs keep.
    """
    world, context = moment.world, moment.context
    counters = world.shared
    if not isinstance(counters, Counters) or not context.owes or context.rest is None:
        return None
    asked = world.scenario.roles[moment.mover].requests[moment.asked]
    assert isinstance(asked, CounterRequest)
    for name, owed, bound in zip(
        names_of(counters), context.owes, bounds_of(moment, counters, asked.op), strict=True
    ):
        if bound is not None and abs(owed) > bound:
            return f"{said(moment.mover, context)} has {owed} of {name} in flight, at most {bound}"
    return None


def bounds_of(moment: Moment, counters: Counters, op: CounterOp) -> list[int | None]:
    """The most that such a request has in flight, or still to begin, of each sum; None for any."""
    limits = [
        limit if limit is None else limit + len(moment.world.contexts)
        for limit in limits_of(moment.world)
    ]
    if op.verb in TAKING_OUT:
        of_places = limits
    else:
        size = {CounterVerb.MOD: abs(op.by), CounterVerb.TAKE: 2**op.order}.get(op.verb, 1)
        begins = size * (op.times - 1)
        of_places = [
            limit if limit is None else begins + told_at_once(limit, size) for limit in limits
        ]
    in_all: list[int | None] = []
    for item in counters.totals:
        of_item = [
            bound
            for place, bound in zip(counters.places, of_places, strict=True)
            if place.item is item
        ]
        known = [bound for bound in of_item if bound is not None]
        in_all.append(kept_by_refresh(known) if len(known) == len(of_item) else None)
    return of_places + in_all
