"""A zone's own cells: what sets their threshold. The twin of the spec's `vmstat.zone`."""

from pageimpl.jitcache import kernel
from pageimpl.memory import (
    COUNTS_IN_CELLS,
    Memory,
    boost_of,
    counting_of,
    cpus_of,
    drift_mark_of,
    early_drift_marks_of,
    lowers_thresholds_of,
    managed_of,
    mark_of,
    marked_of,
    set_cell_threshold,
    set_drift_mark,
)
from pageimpl.pcp.index import area_of
from pageimpl.pcp.state import far_of, rest_of, set_rest, unplugged_of
from pageimpl.vmstat.threshold import drift_mark, normal_threshold, pressure_threshold
from pageimpl.watermark.levels import MARK_HIGH, MARK_LOW, MARK_MIN

EXPIRES_AFTER = 3
"""A far zone's lists give back frames at the third refresh in a row with nothing to tell."""


@kernel
def running(mem: Memory) -> int:
    """How many CPUs run."""
    count = 0
    for cpu in range(cpus_of(mem)):
        if not unplugged_of(mem, area_of(mem, cpu, 0)):
            count += 1
    return count


@kernel
def start(mem: Memory) -> None:
    """Set the threshold at boot. Zones whose CPUs come up before the marks have a drift mark."""
    cpus = running(mem)
    if early_drift_marks_of(mem) and marked_of(mem) and cpus > 1:
        set_drift_mark(mem, cpus * normal_threshold(cpus, managed_of(mem)))
    set_threshold(mem)


@kernel
def set_threshold(mem: Memory) -> None:
    """Let the threshold follow the CPUs that run, and set the drift mark where it is due."""
    if not counting_of(mem) & COUNTS_IN_CELLS:
        return
    cpus = running(mem)
    threshold = normal_threshold(cpus, managed_of(mem))
    set_cell_threshold(mem, threshold)
    if marked_of(mem):
        high = mark_of(mem, MARK_HIGH) + boost_of(mem)
        mark = drift_mark(cpus, threshold, mark_of(mem, MARK_LOW) - mark_of(mem, MARK_MIN), high)
        if mark != 0:
            set_drift_mark(mem, mark)


@kernel
def lower_threshold(mem: Memory) -> None:
    """Kswapd is awake: where there is a drift mark, CPUs keep less back."""
    if drift_mark_of(mem) != 0 and lowers_thresholds_of(mem):
        gap = mark_of(mem, MARK_LOW) - mark_of(mem, MARK_MIN)
        set_cell_threshold(mem, pressure_threshold(running(mem), gap))


@kernel
def raise_threshold(mem: Memory) -> None:
    """Kswapd sleeps: where there is a drift mark, CPUs may keep as much as ever."""
    if drift_mark_of(mem) != 0 and lowers_thresholds_of(mem):
        set_cell_threshold(mem, normal_threshold(running(mem), managed_of(mem)))


@kernel
def rests(mem: Memory, cpu: int, told: bool, kept: bool) -> bool:
    """Count a refresh, and return whether the CPU's lists have rested for long enough.

    told: whether the CPU had anything to tell. kept: whether its lists hold anything.
    """
    q = area_of(mem, cpu, 0)
    if not far_of(mem, q):
        return False
    left = EXPIRES_AFTER if told else rest_of(mem, q)
    due = kept and left == 1
    if kept and left > 0:
        left -= 1
    set_rest(mem, q, left)
    return due
