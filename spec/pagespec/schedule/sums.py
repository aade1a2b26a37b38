"""Counts that several contexts add to, as sums, and what a request must add to each of them.

A count stands in several parts: what has been told, what CPUs keep, what each CPU has counted.
Which part a step adds to is the algorithm's business; to the sum a request must add, by its end,
just what it was asked for. What it has not added yet is in flight. Since every step is somebody's,
a sum that ends up wrong names who made it so.

Source: derived.
"""

from collections.abc import Sequence

from pagespec.events import Event, Kind
from pagespec.frames import SIZES
from pagespec.schedule.contexts import Shared, World
from pagespec.types import Refusal
from pagespec.vmstat.counters import Counters
from pagespec.vmstat.kept import Count
from pagespec.vmstat.laws.changes import changes_of
from pagespec.vmstat.laws.limits import MOST, due_normal, due_pressure, limit_of
from pagespec.vmstat.laws.wording import named
from pagespec.vmstat.machine import NUMA_ITEMS
from pagespec.vmstat.trace import CounterRequest
from pagespec.vmstat.verbs import CounterOp, CounterVerb
from pagespec.zone import Zone

EVENTS = ("pgalloc", "pgfree")
"""The sums of a zone that say what was allocated and freed; they come first."""

SETTING = frozenset({CounterVerb.WAKE, CounterVerb.REST})
"""The verbs after which thresholds are the normal ones or those for kswapd."""

RESETTING = frozenset(
    {CounterVerb.PLUG, CounterVerb.UNPLUG, CounterVerb.RESIZE, CounterVerb.MIN_FREE}
)
"""The verbs after which they may be any."""


def sums_of(shared: Shared) -> tuple[int, ...]:
    """The sums as they are now.

    Of a zone: its events, and by how much the cells and what they have told differ from what its
    lists hold, for free frames and for CMA's. Of counters: those of every place, and then of every
    item in all. Of what works on a zone: none.
    """
    if isinstance(shared, Zone):
        cells = shared.cells
        if cells is None:
            return shared.pgalloc, shared.pgfree
        free, cma = kept_apart(cells.free), kept_apart(cells.cma)
        return shared.pgalloc, shared.pgfree, free - shared.free_pages, cma - shared.free_cma
    if not isinstance(shared, Counters):
        return ()
    kept = [sum(cells) for cells in zip(*shared.cells, strict=True)]
    of_places = [told + cells for told, cells in zip(shared.told, kept, strict=True)]
    in_all = dict(shared.totals)
    for place, cells in zip(shared.places, kept, strict=True):
        in_all[place.item] += cells
    return (*of_places, *in_all.values())


def kept_apart(count: Count) -> int:
    """What has been told, and what CPUs keep."""
    return count.told + sum(count.kept)


def names_of(shared: Shared) -> tuple[str, ...]:
    """What each sum is called."""
    if isinstance(shared, Zone):
        return (*EVENTS, "free frames", "free CMA frames")
    if not isinstance(shared, Counters):
        return ()
    return (*map(named, shared.places), *(f"{item.value} in all" for item in shared.totals))


def due_by_events(zone: Zone, log: Sequence[Event]) -> tuple[int, ...]:
    """What a step makes due that gave out or took back frames: they are to be counted.

    Where operations are counted, a block of a CPU's list counts as one, whatever its order.
    """
    pgalloc = pgfree = 0
    operations = zone.machine.era.counts_operations
    for event in log:
        if event.kind is Kind.REFUSE:
            # It says why in place of an order.
            continue
        pages = SIZES[event.order]
        if event.kind in (Kind.ALLOC, Kind.BULK):
            pgalloc += pages
        elif event.kind is Kind.FREE:
            pgfree += pages
        elif operations and event.kind is Kind.FROM_LIST:
            pgalloc += 1 - pages
        elif operations and event.kind is Kind.TO_LIST:
            pgfree += 1 - pages
    return (pgalloc, pgfree) if zone.cells is None else (pgalloc, pgfree, 0, 0)


def due_by_request(counters: Counters, op: CounterOp, outcome: int | None) -> tuple[int, ...]:
    """What a request makes due, with its outcome if it has ended already."""
    due = [0] * (len(counters.places) + len(counters.totals))
    items = list(counters.totals)
    if outcome is None or outcome > max(Refusal):
        for change in changes_of(counters, op, outcome or 0):
            due[change.place] += change.pages
            item = counters.places[change.place].item
            due[len(counters.places) + items.index(item)] += change.pages
    return tuple(due)


def limits_of(world: World) -> tuple[int | None, ...]:
    """Per place, the largest threshold that is in force at any time; None for none.

    Where requests may set any, it is the largest that there is.
    """
    counters = world.counters
    machine, places = counters.machine, counters.places
    verbs = {
        asked.op.verb
        for role in world.scenario.roles
        for asked in role.requests
        if isinstance(asked, CounterRequest)
    }
    limits: list[int | None] = []
    for place in places:
        limit = limit_of(counters, place)
        own = place.item in NUMA_ITEMS and machine.design.threshold is not None
        if limit is not None and not own and not place.of_node:
            if verbs & RESETTING:
                limit = MOST
            elif verbs & SETTING:
                limit = max(limit, *_of_kswapd(counters, place.where))
        limits.append(limit)
    return tuple(limits)


def _of_kswapd(counters: Counters, zone: int) -> tuple[int, int]:
    machine, cpus = counters.machine, len(counters.running)
    normal, pressure = machine.normal, machine.pressure
    return (
        due_normal(cpus, counters.pages[zone]) if normal is None else normal,
        due_pressure(cpus, counters.marks[zone]) if pressure is None else pressure,
    )
