"""What changes thresholds and marks, and what leaves them: the twin of the spec's `vmstat.retune`.

Which node, CPU or zone is right has been checked.
"""

from pageimpl.jitcache import kernel
from pageimpl.vmstat.cell import set_cell
from pageimpl.vmstat.choices import READ_FOLDS, UNSAID
from pageimpl.vmstat.counters import area_of, cell_of, normal_of, set_marks, set_thresholds
from pageimpl.vmstat.refresh import fold_numa, refresh
from pageimpl.vmstat.state import (
    CounterMemory,
    cpus_of,
    drift_mark_of,
    first_place_of,
    low_of,
    lowers_thresholds_of,
    min_of,
    node_of,
    nr_places_of,
    nr_running_of,
    reading_of,
    resized_thresholds_of,
    said_pressure_of,
    set_min_free,
    set_nr_running,
    set_numa_on,
    set_pages,
    set_reclaiming,
    set_running,
    set_told,
    set_total,
    set_zone_threshold,
    width_of,
    zones_of,
)
from pageimpl.vmstat.threshold import pressure_threshold
from pageimpl.vmstat.verbs import HIT, OTHER


@kernel
def wake(mem: CounterMemory, node: int) -> None:
    """Kswapd wakes: where there is a drift mark, CPUs keep less back."""
    set_reclaiming(mem, node, 1)
    if not lowers_thresholds_of(mem):
        return
    for zone in range(zones_of(mem)):
        if node_of(mem, zone) == node and drift_mark_of(mem, zone):
            set_zone_threshold(mem, zone, pressure_of(mem, zone))


@kernel
def rest(mem: CounterMemory, node: int) -> None:
    """Kswapd goes to sleep: where there is a drift mark, CPUs may keep as much as ever."""
    set_reclaiming(mem, node, 0)
    if not lowers_thresholds_of(mem):
        return
    for zone in range(zones_of(mem)):
        if node_of(mem, zone) == node and drift_mark_of(mem, zone):
            set_zone_threshold(mem, zone, normal_of(mem, zone))


@kernel
def pressure_of(mem: CounterMemory, zone: int) -> int:
    """The zone's threshold while kswapd is awake, or the one that the machine says."""
    said = said_pressure_of(mem)
    if said != UNSAID:
        return said
    return pressure_threshold(nr_running_of(mem), low_of(mem, zone) - min_of(mem, zone))


@kernel
def unplug(mem: CounterMemory, cpu: int) -> None:
    """Take a CPU away: all that it kept is told, and the others may keep less."""
    set_running(mem, area_of(mem, cpu), 0)
    set_nr_running(mem, nr_running_of(mem) - 1)
    refresh(mem, cpu, False)
    if reading_of(mem) == READ_FOLDS:
        fold_numa(mem, cpu)
    set_thresholds(mem)


@kernel
def plug(mem: CounterMemory, cpu: int) -> None:
    """Bring a CPU back; all may keep more."""
    set_running(mem, area_of(mem, cpu), 1)
    set_nr_running(mem, nr_running_of(mem) + 1)
    set_thresholds(mem)


@kernel
def change_min_free(mem: CounterMemory, kbytes: int) -> None:
    """Set min_free_kbytes: the marks follow, the thresholds and drift marks do not."""
    set_min_free(mem, kbytes)
    set_marks(mem)


@kernel
def resize(mem: CounterMemory, zone: int, pages: int, silent: bool) -> None:
    """Give a zone another number of frames, of which no counter is told."""
    set_pages(mem, zone, pages)
    if silent:
        return
    set_marks(mem)
    if resized_thresholds_of(mem):
        set_thresholds(mem)


@kernel
def set_numa(mem: CounterMemory, on: int) -> None:
    """Turn NUMA statistics on, with 1, or off; turned off they are 0."""
    set_numa_on(mem, on)
    if on:
        return
    for item in range(HIT, OTHER + 1):
        set_total(mem, item, 0)
        first = first_place_of(mem, item)
        for place in range(first, first + nr_places_of(mem, item)):
            set_told(mem, place, 0)
            for cpu in range(cpus_of(mem)):
                set_cell(mem, cell_of(mem, cpu, place), width_of(mem, item), 0)
