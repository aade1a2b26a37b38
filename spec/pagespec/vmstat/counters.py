"""The counters of a machine: plain data, and how they stand before anything is counted.

A number is in up to four places: what a zone or node has been told, what the whole machine has
been told, what each CPU keeps in its cell, and what updates have taken out of a cell and not told
yet.

Source: include/linux/vmstat.h and mm/vmstat.c, 2.6.24 to 6.12.
"""

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple

from pagespec.vmstat.machine import NUMA_ITEMS, CounterMachine, Item, Place
from pagespec.vmstat.numa import NEVER
from pagespec.vmstat.threshold import (
    drift_mark,
    node_threshold,
    normal_threshold,
)
from pagespec.watermark.levels import marks_of
from pagespec.watermark.marks import Marks


class Stage(Enum):
    """What an update does next."""

    __hash__ = object.__hash__

    PLACE = "tell the zone or node"
    TOTAL = "tell the whole machine"
    CELL = "write the CPU's cell"


class Update(NamedTuple):
    """An update between its steps: so many pages still to tell.

    left: what the plain way will write into the CPU's cell at last, where the pages still stand as
    well, or None once the cell is written. An update with interrupts off holds up its CPU.
    """

    place: int
    pages: int
    cpu: int
    stage: Stage
    left: int | None = None


@dataclass(slots=True)
class Counters:
    """Everything that counting depends on.

    places: every counter of every zone and node; elsewhere they go by their numbers here.
    totals: per item, what the machine has been told. told: per place, what its zone or node has
    been. cells: per CPU and place, what it keeps. updates: those under way, oldest first.
    running: the CPUs that run. pages, marks: per zone, its frames and its watermarks as they are.
    thresholds: per zone as they were computed last; node_thresholds: per node. drift_marks: per
    zone, the count below which it must be looked at closely, 0 for none. reclaiming: the nodes
    whose kswapd is awake. numa_on: whether NUMA statistics are kept. told_times: how often a zone
    or node was told anything, but for what readers and the end of a CPU empty of NUMA events.
    on_cpu: the CPU that is at work.
    """

    machine: CounterMachine
    places: tuple[Place, ...]
    totals: dict[Item, int]
    told: list[int]
    cells: list[list[int]]
    updates: list[Update]
    running: set[int]
    min_free: int
    pages: list[int]
    marks: list[Marks]
    thresholds: list[int]
    node_thresholds: dict[int, int]
    drift_marks: list[int]
    reclaiming: set[int]
    numa_on: bool
    told_times: int
    on_cpu: int = field(default=0, compare=False)


def boot_counters(machine: CounterMachine) -> Counters:
    """Counters that stand at 0, but for the free frames: those are told as all that there are.

    After 4.10 and up to 6.12 thresholds are computed for each CPU that comes up before there are
    marks. All that CPUs may keep is then more than the gap between these, and every zone gets a
    drift mark.
    """
    places = machine.places
    counters = Counters(
        machine=machine,
        places=places,
        totals=dict.fromkeys((place.item for place in places), 0),
        told=[0 for _ in places],
        cells=[[0 for _ in places] for _ in machine.cpus],
        updates=[],
        running=set(range(len(machine.cpus))),
        min_free=machine.min_free,
        pages=[zone.pages for zone in machine.zones],
        marks=[Marks(0, 0, 0) for _ in machine.zones],
        thresholds=[0 for _ in machine.zones],
        node_thresholds=dict.fromkeys(machine.nodes, 0),
        drift_marks=[0 for _ in machine.zones],
        reclaiming=set(),
        numa_on=True,
        told_times=0,
    )
    for number, zone in enumerate(machine.zones):
        counters.told[number] = zone.pages
    counters.totals[Item.FREE] = sum(zone.pages for zone in machine.zones)
    if machine.era.early_drift_marks and len(machine.cpus) > 1:
        set_thresholds(counters)
    set_marks(counters)
    set_thresholds(counters)
    return counters


def copy_of_counters(counters: Counters) -> Counters:
    """The same state, sharing nothing that changes."""
    return replace(
        counters,
        totals=counters.totals.copy(),
        told=counters.told.copy(),
        cells=[cells.copy() for cells in counters.cells],
        updates=counters.updates.copy(),
        running=counters.running.copy(),
        pages=counters.pages.copy(),
        marks=counters.marks.copy(),
        thresholds=counters.thresholds.copy(),
        node_thresholds=counters.node_thresholds.copy(),
        drift_marks=counters.drift_marks.copy(),
        reclaiming=counters.reclaiming.copy(),
    )


def set_marks(counters: Counters) -> None:
    """Let the watermarks follow min_free_kbytes and the zones' sizes. Thresholds do not."""
    era, kbytes = counters.machine.era, counters.min_free
    pages = sum(counters.pages)
    counters.marks = [marks_of(era, kbytes, count, pages) for count in counters.pages]


def set_thresholds(counters: Counters) -> None:
    """Let all thresholds follow the CPUs that run and the zones' sizes, also while kswapd is awake.

    What the cells hold stays. A drift mark is set where it is due, and never taken away.
    """
    machine = counters.machine
    if machine.era.cells == "none":
        return
    for zone in range(len(machine.zones)):
        counters.thresholds[zone] = threshold = normal_of(counters, zone)
        mark = drift_mark(len(counters.running), threshold, counters.marks[zone])
        if mark and machine.era.close_reads != "never":
            counters.drift_marks[zone] = mark
    for node in machine.nodes:
        counters.node_thresholds[node] = node_threshold(
            [counters.thresholds[at] for at, zone in enumerate(machine.zones) if zone.node == node]
        )


def normal_of(counters: Counters, zone: int) -> int:
    """The zone's threshold by the formula, or the one that the machine says."""
    said = counters.machine.normal
    if said is not None:
        return said
    return normal_threshold(len(counters.running), counters.pages[zone])


def threshold_of(counters: Counters, place: Place) -> int:
    """Beyond what a CPU's cell of that counter is told; NEVER for none."""
    machine = counters.machine
    if place.item in NUMA_ITEMS:
        own = machine.design.threshold
        if own is not None:
            return own if machine.numa_threshold is None or own == NEVER else machine.numa_threshold
    return (
        counters.node_thresholds[place.where] if place.of_node else counters.thresholds[place.where]
    )
