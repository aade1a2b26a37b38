"""What each CPU keeps to itself of the counts of free frames, and when the zone is told.

Two counts are so kept: of free frames, and of CMA's among them. A change goes to the cell of the
CPU at work. As soon as the cell is beyond the threshold, the zone is told all of it, also by a
change of 0 if the threshold has been lowered meanwhile.
Source: mm/vmstat.c (__mod_zone_page_state, refresh_zone_stat_thresholds, refresh_cpu_vm_stats),
2.6.37 to 6.12; mm/page_alloc.c for what counts when.
"""

from pagespec.migratetype import CMA, ISOLATE, MigrateType
from pagespec.stamps.state import Stamps, managed, running
from pagespec.vmstat.kept import Count
from pagespec.vmstat.laws.limits import due_normal, due_pressure

QUIET_REFRESHES = 3
"""How many refreshes the lists for a far zone may rest, the one that told of something included."""


def work_on(stamps: Stamps, cpu: int) -> None:
    """Let what follows be counted on that CPU, or on the first that runs if it does not."""
    cpus = running(stamps)
    stamps.at_work = cpu if cpu in cpus else cpus[0]


def count(stamps: Stamps, pages: int, mt: MigrateType) -> None:
    """Count frames of a type as free, or as so much less; since 4.10 isolated ones do not count."""
    if mt is ISOLATE and stamps.machine.era.isolation != "move":
        return
    count_free(stamps, pages)
    if mt is CMA:
        count_cma(stamps, pages)


def count_free(stamps: Stamps, pages: int) -> None:
    """Count free frames of whatever type."""
    if stamps.cells is not None:
        _change(stamps.cells.free, stamps.at_work, pages, stamps.cells.threshold)


def count_cma(stamps: Stamps, pages: int) -> None:
    """Count CMA's free frames as such."""
    if stamps.cells is not None:
        _change(stamps.cells.cma, stamps.at_work, pages, stamps.cells.threshold)


def _change(counted: Count, cpu: int, pages: int, threshold: int) -> None:
    counted.kept[cpu] += pages
    if abs(counted.kept[cpu]) > threshold:
        _tell(counted, cpu)


def _tell(counted: Count, cpu: int) -> bool:
    pages, counted.kept[cpu] = counted.kept[cpu], 0
    counted.told += pages
    return bool(pages)


def tell(stamps: Stamps, cpu: int) -> bool:
    """Let the zone be told all that a CPU keeps, and say whether there was anything."""
    cells = stamps.cells
    return cells is not None and any([_tell(cells.free, cpu), _tell(cells.cma, cpu)])


def start(stamps: Stamps) -> None:
    """Set the threshold at boot, and a drift mark.

    After 4.10 CPUs come up before there are marks. What they may keep is then more than the gap of
    nothing between these, and the mark that is so set stays.
    """
    cells, cpus = stamps.cells, len(running(stamps))
    follow_cpus(stamps)
    early = stamps.machine.era.early_drift_marks and stamps.marks is not None and cpus > 1
    if cells is not None and early and not cells.drift_mark:
        cells.drift_mark = cpus * cells.threshold


def follow_cpus(stamps: Stamps) -> None:
    """Set the threshold for the CPUs that run, and the drift mark if they may keep too much.

    A mark that is there stays. Kswapd may be awake: nobody asks.
    """
    cells, marks, cpus = stamps.cells, stamps.marks, len(running(stamps))
    if cells is None:
        return
    cells.threshold = due_normal(cpus, managed(stamps))
    if marks is not None:
        most = cpus * cells.threshold
        if most > marks.low - marks.min:
            cells.drift_mark = marks.high + stamps.boost + most


def wake_kswapd(stamps: Stamps) -> None:
    """Let kswapd work; from when it wakes CPUs keep less, since 2.6.39 and below a drift mark."""
    cells, marks = stamps.cells, stamps.marks
    if not stamps.reclaiming and cells is not None and marks is not None and _is_watched(stamps):
        cells.threshold = due_pressure(len(running(stamps)), marks)
    stamps.reclaiming = True


def let_kswapd_rest(stamps: Stamps) -> None:
    """Let kswapd sleep: CPUs keep as much as ever."""
    if stamps.cells is not None and _is_watched(stamps):
        stamps.cells.threshold = due_normal(len(running(stamps)), managed(stamps))
    stamps.reclaiming = False


def leave(stamps: Stamps, cpu: int) -> None:
    """Tell what a CPU that is gone has not told.

    Until 3.11 that is a refresh, and its lists have to rest anew, even when it has come back.
    """
    told = tell(stamps, cpu)
    is_due(stamps, cpu, told=told and stamps.machine.era.refreshes_unplugged, keeps=False)


def _is_watched(stamps: Stamps) -> bool:
    """Whether thresholds follow kswapd."""
    cells = stamps.cells
    return stamps.machine.era.lowers_thresholds and cells is not None and cells.drift_mark > 0


def is_due(stamps: Stamps, cpu: int, *, told: bool, keeps: bool) -> bool:
    """Whether a refresh is the one after which the lists of a far zone give back a batch.

    told: whether it has told of anything, from which the refreshes are counted. keeps: whether the
    lists hold anything: those that do not need not rest.
    """
    cells = stamps.cells
    if cells is None or cpu not in stamps.machine.far:
        return False
    if told:
        cells.rest[cpu] = QUIET_REFRESHES
    if not keeps or not cells.rest[cpu]:
        return False
    cells.rest[cpu] -= 1
    return not cells.rest[cpu]
