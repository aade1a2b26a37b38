"""A zone's own cells: what sets their threshold, and what empties them.

Source: mm/vmstat.c (refresh_zone_stat_thresholds, set_pgdat_percpu_threshold, refresh_cpu_vm_stats,
cpu_vm_stats_fold), 2.6.37 to 6.12.
"""

from pagespec.events import Event, Kind
from pagespec.highatomic import managed_pages
from pagespec.vmstat.kept import Cells
from pagespec.vmstat.refresh import expiry
from pagespec.vmstat.threshold import drift_mark, normal_threshold, pressure_threshold
from pagespec.watermark.marks import Marks
from pagespec.zone import Zone


def running(zone: Zone) -> int:
    """How many CPUs run."""
    return zone.machine.cpus - len(zone.unplugged)


NO_MARKS = Marks(0, 0, 0)
"""The marks of a zone before they are set for the first time."""


def start(zone: Zone) -> None:
    """Set the threshold at boot.

    After 4.10 and up to 6.12 it is computed for each CPU that comes up before there are marks,
    which leaves every zone a drift mark: all that CPUs may keep, since there is no gap yet.
    """
    cells, cpus = zone.cells, running(zone)
    if cells is None:
        return
    if zone.levels is not None and zone.machine.era.early_drift_marks and cpus > 1:
        threshold = normal_threshold(cpus, managed_pages(zone))
        cells.drift_mark = drift_mark(cpus, threshold, NO_MARKS)
    set_threshold(zone)


def set_threshold(zone: Zone) -> None:
    """Let the threshold follow the CPUs that run, and set the drift mark where it is due."""
    cells, levels = zone.cells, zone.levels
    if cells is None:
        return
    cells.threshold = normal_threshold(running(zone), managed_pages(zone))
    if levels is not None:
        marks = Marks(*(mark + levels.boost for mark in levels.marks))
        cells.drift_mark = drift_mark(running(zone), cells.threshold, marks) or cells.drift_mark


def lower_threshold(zone: Zone) -> None:
    """Kswapd is awake: where there is a drift mark, CPUs keep less back. What they hold stays."""
    cells, levels = zone.cells, zone.levels
    if cells is None or levels is None or not zone.machine.era.lowers_thresholds:
        return
    if cells.drift_mark:
        _follow_kswapd(zone, cells, pressure_threshold(running(zone), levels.marks))


def raise_threshold(zone: Zone) -> None:
    """Kswapd sleeps: where there is a drift mark, CPUs may keep as much as ever."""
    cells = zone.cells
    if cells is not None and cells.drift_mark and zone.machine.era.lowers_thresholds:
        _follow_kswapd(zone, cells, normal_threshold(running(zone), managed_pages(zone)))


def _follow_kswapd(zone: Zone, cells: Cells, threshold: int) -> None:
    if threshold != cells.threshold:
        kind = Kind.LOWERED if threshold < cells.threshold else Kind.RAISED
        zone.log.append(Event(kind, threshold, 0))
        cells.threshold = threshold


def rests(zone: Zone, cpu: int, *, told: bool, kept: bool) -> bool:
    """Count a refresh, and return whether the CPU's lists have rested for long enough.

    kept: whether they hold anything.
    """
    cells = zone.cells
    assert cells is not None
    far = cpu in zone.machine.far
    cells.rest[cpu], due = expiry(cells.rest[cpu], told=told, far=far, kept=kept)
    if due:
        zone.log.append(Event(Kind.RESTED, cpu, 0))
    return due
