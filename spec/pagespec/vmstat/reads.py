"""Reading counters: cheaply, or closely with what every CPU keeps; and asking for a mark.

Source: include/linux/vmstat.h (zone_page_state, zone_page_state_snapshot) and mm/page_alloc.c
(zone_nr_free_pages, zone_watermark_ok_safe), 2.6.36 to 6.12.
"""

from pagespec.types import Order
from pagespec.vmstat.counters import Counters, Stage, Update
from pagespec.vmstat.machine import NUMA_ITEMS, Item
from pagespec.vmstat.refresh import fold_events
from pagespec.vmstat.verbs import Level
from pagespec.watermark.check import free_for


def kept(counters: Counters, place: int) -> int:
    """What the CPUs that run keep of a counter."""
    return sum(counters.cells[cpu][place] for cpu in counters.running)


def read(counters: Counters, place: int, *, close: bool = False) -> int:
    """A zone's or node's counter as its reader sees it, never below 0."""
    if counters.places[place].item in NUMA_ITEMS:
        return read_numa(counters, place)
    seen = counters.told[place] + (kept(counters, place) if close else 0)
    return max(0, seen)


def read_numa(counters: Counters, place: int) -> int:
    """A zone's or node's NUMA statistic, as the design has it read.

    Nothing stops the numbers of the oldest design from counting CPUs that are gone.
    """
    reading = counters.machine.design.reading
    if reading == "folds":
        fold_events(counters)
    if reading in ("told", "folds"):
        return max(0, counters.told[place])
    if counters.machine.numa_name == "longs":
        return sum(cells[place] for cells in counters.cells)
    return counters.told[place] + kept(counters, place)


def read_total(counters: Counters, item: Item) -> int:
    """What the whole machine's counter shows."""
    reading = counters.machine.design.reading
    if item in NUMA_ITEMS and reading == "folds":
        fold_events(counters)
    if item in NUMA_ITEMS and reading == "close":
        places = enumerate(counters.places)
        return sum(read_numa(counters, number) for number, place in places if place.item is item)
    return max(0, counters.totals[item])


def free_as_seen(counters: Counters, zone: int, *, reclaim: bool) -> int:
    """The free frames of a zone as whoever asks for its marks sees them.

    reclaim: whether it is reclaim that asks, not a request. Only below the drift mark is it worth
    the time to look at every CPU.
    """
    era, mark = counters.machine.era, counters.drift_marks[zone]
    cheap = read(counters, zone)
    awake = counters.machine.zones[zone].node in counters.reclaiming
    looks = reclaim if era.close_reads == "reclaim" else awake
    return read(counters, zone, close=True) if looks and cheap < mark else cheap


def is_above(counters: Counters, zone: int, level: Level, order: Order, *, reclaim: bool) -> bool:
    """Whether the zone would keep above its mark without a block of that order."""
    free = free_for(free_as_seen(counters, zone, reclaim=reclaim), order, 0)
    mark: int = getattr(counters.marks[zone], level)
    return free > mark


def in_truth(counters: Counters, place: int) -> int:
    """What the zone or node would be told in the end: for free frames, what its lists hold."""
    settled = counters.told[place] + sum(cells[place] for cells in counters.cells)
    return settled + sum(
        missing(update, counters.cells[update.cpu][place])
        for update in counters.updates
        if update.place == place
    )


def missing(update: Update, cell: int) -> int:
    """What an update adds to what its place has been told and the cell holds, until its end.

    cell: what the CPU's cell holds now, which the plain way is still to write.
    """
    pages = update.pages if update.stage is Stage.PLACE else 0
    return pages if update.left is None else pages + update.left - cell
