"""Where a machine's counters lie in their memory, and the state before boot."""

from pageimpl.vmstat.choices import (
    CLOSE_READS,
    MARKS_RULES,
    NEVER,
    OF_PLACE,
    READINGS,
    UNSAID,
    WIDTH_BYTES,
    WIDTHS,
)
from pageimpl.vmstat.state import (
    AREAS_FIRST,
    LINE,
    CounterMemory,
    first_place_of,
    room_of,
    set_area_stride,
    set_by_node,
    set_cell_offset,
    set_close_reads,
    set_cpu_node,
    set_cpus,
    set_early_drift_marks,
    set_exchanges_cells,
    set_first_place,
    set_has_cells,
    set_in_lists,
    set_item,
    set_lowers_thresholds,
    set_marks_rule,
    set_min_free,
    set_node,
    set_nr_places,
    set_nr_running,
    set_numa_on,
    set_numa_refreshed,
    set_numa_switch,
    set_ordinal,
    set_oversteps,
    set_own_threshold,
    set_pages,
    set_reading,
    set_reads_all_cpus,
    set_resized_thresholds,
    set_room,
    set_running,
    set_said_normal,
    set_said_pressure,
    set_shared,
    set_told,
    set_total,
    set_updates_first,
    set_where,
    set_width,
    set_zones,
)
from pageimpl.vmstat.verbs import FREE, HIT, ITEM_NUMBERS, ITEMS
from pagespec.host import MAX_NODES
from pagespec.vmstat.machine import CounterMachine, Place

FIRST_ROOM = 64
"""Updates for which the table has room at first."""


def width_in(machine: CounterMachine, item: int) -> int:
    """The width of an item's cells; only NUMA statistics have another than eight bits."""
    return WIDTHS[machine.design.width if item >= HIT else "s8"]


def offsets_in(machine: CounterMachine, places: tuple[Place, ...]) -> list[int]:
    """Where the cell of each counter lies in an area, and at last where the area ends.

    An item's cells lie side by side, widest first, so that each is aligned.
    """
    numbers = [ITEM_NUMBERS[place.item] for place in places]
    sizes = [WIDTH_BYTES[width_in(machine, number)] for number in numbers]
    offsets, at = [0] * len(places), LINE
    for size in sorted(set(sizes), reverse=True):
        for number, own in enumerate(sizes):
            if own == size:
                offsets[number] = at
                at += size
    return [*offsets, -(-at // LINE) * LINE]


def own_threshold_in(machine: CounterMachine, item: int) -> int:
    """The threshold that cells of an item have of their own, NEVER, or OF_PLACE."""
    own = machine.design.threshold
    if item < HIT or own is None:
        return OF_PLACE
    if own < 0:
        return NEVER
    return own if machine.numa_threshold is None else machine.numa_threshold


def write_choices(memory: CounterMemory, machine: CounterMachine) -> None:
    """Write what the era, the design and the machine have chosen."""
    era, design = machine.era, machine.design
    set_has_cells(memory, era.cells != "none")
    set_exchanges_cells(memory, era.exchanges_cells)
    set_lowers_thresholds(memory, era.lowers_thresholds)
    set_early_drift_marks(memory, era.early_drift_marks)
    set_close_reads(memory, CLOSE_READS[era.close_reads])
    set_resized_thresholds(memory, era.resized_thresholds)
    set_marks_rule(memory, MARKS_RULES[era.marks])
    set_said_normal(memory, UNSAID if machine.normal is None else machine.normal)
    set_said_pressure(memory, UNSAID if machine.pressure is None else machine.pressure)
    set_oversteps(memory, design.overstep)
    set_numa_refreshed(memory, design.refreshed)
    set_reading(memory, READINGS[design.reading])
    set_reads_all_cpus(memory, machine.numa_name == "longs")
    set_numa_switch(memory, design.switch)


def write_items(
    memory: CounterMemory, machine: CounterMachine, places: tuple[Place, ...], offsets: list[int]
) -> None:
    """Write what is counted, and where."""
    for number, item in enumerate(ITEMS):
        own = [at for at, place in enumerate(places) if place.item is item]
        set_nr_places(memory, number, len(own))
        set_width(memory, number, width_in(machine, number))
        set_own_threshold(memory, number, own_threshold_in(machine, number))
        if own:
            set_first_place(memory, number, own[0])
            set_by_node(memory, number, places[own[0]].of_node)
    for at, place in enumerate(places):
        set_item(memory, at, ITEM_NUMBERS[place.item])
        set_where(memory, at, place.where)
        set_cell_offset(memory, at, offsets[at])


def share(memory: CounterMemory) -> None:
    """Let threads share the counters from now on, each for a CPU that no other works for."""
    set_shared(memory, 1)


def empty_counters(machine: CounterMachine) -> CounterMemory:
    """The memory of a machine's counters before boot: all is told that is free, no mark is set."""
    places = machine.places
    *offsets, stride = offsets_in(machine, places)
    updates_first = AREAS_FIRST + len(machine.cpus) * stride
    memory = CounterMemory(updates_first + FIRST_ROOM * LINE)
    set_zones(memory, len(machine.zones))
    set_cpus(memory, len(machine.cpus))
    set_nr_running(memory, len(machine.cpus))
    set_area_stride(memory, stride)
    set_updates_first(memory, updates_first)
    set_room(memory, FIRST_ROOM)
    set_numa_on(memory, 1)
    set_min_free(memory, machine.min_free)
    write_choices(memory, machine)
    write_items(memory, machine, places, offsets)
    for node in range(MAX_NODES):
        set_ordinal(memory, node, -1)
    for ordinal, node in enumerate(machine.nodes):
        set_ordinal(memory, node, ordinal)
    for number, zone in enumerate(machine.zones):
        set_node(memory, number, zone.node)
        set_pages(memory, number, zone.pages)
        set_in_lists(memory, number, zone.pages)
        set_told(memory, first_place_of(memory, FREE) + number, zone.pages)
    set_total(memory, FREE, sum(zone.pages for zone in machine.zones))
    for cpu, node in enumerate(machine.cpus):
        set_running(memory, AREAS_FIRST + cpu * stride, 1)
        set_cpu_node(memory, AREAS_FIRST + cpu * stride, node)
    return memory


def with_more_room(memory: CounterMemory, room: int) -> CounterMemory:
    """The same state with a table for more updates under way."""
    larger = CounterMemory(memory.size + (room - room_of(memory)) * LINE)
    larger.array[: memory.size] = memory.array
    set_room(larger, room)
    return larger
