"""What changes thresholds and marks, and what leaves them as they were.

Thresholds follow CPUs, and memory since 4.9; marks follow min_free_kbytes. So a drift mark can be
older than the marks that it was made from.

Source: mm/vmstat.c (refresh_zone_stat_thresholds, set_pgdat_percpu_threshold), mm/page_alloc.c
(init_per_zone_wmark_min, setup_per_zone_wmarks) and mm/vmscan.c (kswapd_try_to_sleep), 2.6.37 to
6.12.
"""

from pagespec.steps import Steps
from pagespec.vmstat.counters import Counters, normal_of, set_marks, set_thresholds
from pagespec.vmstat.machine import NUMA_ITEMS
from pagespec.vmstat.refresh import fold_numa, refresh
from pagespec.vmstat.threshold import pressure_threshold


def wake(counters: Counters, node: int) -> None:
    """Kswapd wakes: where there is a drift mark, CPUs keep less back."""
    counters.reclaiming.add(node)
    if counters.machine.era.lowers_thresholds:
        for zone in _marked(counters, node):
            counters.thresholds[zone] = pressure_of(counters, zone)


def rest(counters: Counters, node: int) -> None:
    """Kswapd goes to sleep: where there is a drift mark, CPUs may keep as much as ever."""
    counters.reclaiming.discard(node)
    if counters.machine.era.lowers_thresholds:
        for zone in _marked(counters, node):
            counters.thresholds[zone] = normal_of(counters, zone)


def pressure_of(counters: Counters, zone: int) -> int:
    """The zone's threshold while kswapd is awake, or the one that the machine says."""
    said = counters.machine.pressure
    if said is not None:
        return said
    return pressure_threshold(len(counters.running), counters.marks[zone])


def _marked(counters: Counters, node: int) -> list[int]:
    zones = enumerate(counters.machine.zones)
    return [at for at, zone in zones if zone.node == node and counters.drift_marks[at]]


def unplug(counters: Counters, cpu: int) -> Steps[None]:
    """Take a CPU away: all that it kept is told, and the others may keep less."""
    counters.running.discard(cpu)
    yield from refresh(counters, cpu)
    if counters.machine.design.reading == "folds":
        fold_numa(counters, cpu)
    set_thresholds(counters)


def plug(counters: Counters, cpu: int) -> None:
    """Bring a CPU back; all may keep more."""
    counters.running.add(cpu)
    set_thresholds(counters)


def change_min_free(counters: Counters, kbytes: int) -> None:
    """Set min_free_kbytes: the marks follow, the thresholds and drift marks do not."""
    counters.min_free = kbytes
    set_marks(counters)


def resize(counters: Counters, zone: int, pages: int, *, silent: bool) -> None:
    """Give a zone another number of frames, of which no counter is told.

    silent: whether marks and thresholds stay as well, as when boot frees its own code late.
    """
    counters.pages[zone] = pages
    if not silent:
        set_marks(counters)
        if counters.machine.era.resized_thresholds:
            set_thresholds(counters)


def set_numa(counters: Counters, *, on: bool) -> None:
    """Turn NUMA statistics on or off; turned off they are 0."""
    counters.numa_on = on
    if on:
        return
    for number, place in enumerate(counters.places):
        if place.item in NUMA_ITEMS:
            counters.told[number] = counters.totals[place.item] = 0
            for cells in counters.cells:
                cells[number] = 0
