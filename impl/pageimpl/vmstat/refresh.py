"""Reading cells out: by a CPU's periodic worker, and for a CPU that is gone.

The twin of the spec's `vmstat.refresh`.
"""

from pageimpl.jitcache import kernel
from pageimpl.vmstat.cell import cell_at, compare_cell, set_cell
from pageimpl.vmstat.choices import TELL_TOTAL
from pageimpl.vmstat.counters import area_of, cell_of
from pageimpl.vmstat.state import (
    CounterMemory,
    add_told,
    cpus_of,
    first_place_of,
    nr_places_of,
    numa_refreshed_of,
    running_of,
    set_told,
    shared_of,
    told_of,
    width_of,
)
from pageimpl.vmstat.update import add_update, tell_place, tell_total
from pageimpl.vmstat.verbs import FREE, HIT, OTHER


@kernel
def read_out(mem: CounterMemory, cpu: int, place: int, width: int) -> int:
    """Empty a cell, and return what it held."""
    at = cell_of(mem, cpu, place)
    held = cell_at(mem, at, width)
    if shared_of(mem):
        while held and not compare_cell(mem, at, width, held, 0):
            held = cell_at(mem, at, width)
    elif held:
        set_cell(mem, at, width, 0)
    return held


@kernel
def refresh(mem: CounterMemory, cpu: int, opens: bool) -> int:
    """Let a CPU tell all that it keeps, and return how many cells had something.

    opens: whether it stops before it tells the machine, which is left to updates under way.
    """
    cells = 0
    for item in range(FREE, OTHER + 1 if numa_refreshed_of(mem) else HIT):
        width, first = width_of(mem, item), first_place_of(mem, item)
        pages, origin = 0, -1
        for place in range(first, first + nr_places_of(mem, item)):
            held = read_out(mem, cpu, place, width)
            if held:
                tell_place(mem, place, held)
                pages += held
                cells += 1
                if origin < 0:
                    origin = place
        if origin >= 0:
            if opens:
                add_update(mem, origin, pages, cpu, TELL_TOTAL)
            else:
                tell_total(mem, item, pages)
    return cells


@kernel
def fold_events(mem: CounterMemory) -> None:
    """Empty the cells of NUMA statistics of all CPUs that run: what reading them does."""
    for cpu in range(cpus_of(mem)):
        if running_of(mem, area_of(mem, cpu)):
            fold_numa(mem, cpu)


@kernel
def fold_numa(mem: CounterMemory, cpu: int) -> None:
    """Empty a CPU's cells of NUMA statistics."""
    for item in range(HIT, OTHER + 1):
        width, first = width_of(mem, item), first_place_of(mem, item)
        for place in range(first, first + nr_places_of(mem, item)):
            held = read_out(mem, cpu, place, width)
            if shared_of(mem):
                add_told(mem, place, held)
            else:
                set_told(mem, place, told_of(mem, place) + held)
            tell_total(mem, item, held)
