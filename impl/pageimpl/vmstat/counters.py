"""A machine's counters before anything is counted, their marks and thresholds.

The twin of the spec's `vmstat.counters`.
"""

from pageimpl.jitcache import kernel
from pageimpl.vmstat.choices import (
    MARKS_QUARTERS,
    MARKS_SHIFT,
    MARKS_THIRDS,
    NOBODY_READS_CLOSE,
    OF_PLACE,
    UNSAID,
)
from pageimpl.vmstat.state import (
    AREAS_FIRST,
    CounterMemory,
    area_stride_of,
    by_node_of,
    cell_offset_of,
    close_reads_of,
    early_drift_marks_of,
    has_cells_of,
    high_of,
    item_of,
    low_of,
    marks_rule_of,
    min_free_of,
    min_of,
    node_of,
    node_threshold_of,
    nr_running_of,
    own_threshold_of,
    pages_of,
    said_normal_of,
    set_drift_mark,
    set_high,
    set_low,
    set_min,
    set_node_threshold,
    set_zone_threshold,
    where_of,
    zone_threshold_of,
    zones_of,
)
from pageimpl.vmstat.threshold import drift_mark, normal_threshold


@kernel
def area_of(mem: CounterMemory, cpu: int) -> int:
    """Where the CPU's area begins."""
    return AREAS_FIRST + cpu * area_stride_of(mem)


@kernel
def cell_of(mem: CounterMemory, cpu: int, place: int) -> int:
    """Where the CPU's cell of a counter is."""
    return area_of(mem, cpu) + cell_offset_of(mem, place)


@kernel
def set_marks(mem: CounterMemory) -> None:
    """Let the watermarks follow min_free_kbytes and the zones' sizes. Thresholds do not."""
    pages = 0
    for zone in range(zones_of(mem)):
        pages += pages_of(mem, zone)
    rule = marks_rule_of(mem)
    for zone in range(zones_of(mem)):
        own = pages_of(mem, zone)
        share = (min_free_of(mem) >> 2) * own // max(1, pages)
        set_min(mem, zone, share)
        if rule == MARKS_THIRDS:
            set_low(mem, zone, share << 1)
            set_high(mem, zone, 3 * share)
        elif rule == MARKS_QUARTERS:
            set_low(mem, zone, 5 * share >> 2)
            set_high(mem, zone, 6 * share >> 2)
        elif rule == MARKS_SHIFT:
            set_low(mem, zone, share + (share >> 2))
            set_high(mem, zone, share + (share >> 1))
        else:
            gap = max(share >> 2, own // 1000)
            set_low(mem, zone, share + gap)
            set_high(mem, zone, share + 2 * gap)


@kernel
def set_thresholds(mem: CounterMemory) -> None:
    """Let all thresholds follow the CPUs that run and the zones' sizes, also under pressure.

    A drift mark is set where it is due, and never taken away.
    """
    if not has_cells_of(mem):
        return
    for zone in range(zones_of(mem)):
        set_node_threshold(mem, node_of(mem, zone), 0)
    for zone in range(zones_of(mem)):
        threshold, node = normal_of(mem, zone), node_of(mem, zone)
        set_zone_threshold(mem, zone, threshold)
        set_node_threshold(mem, node, max(threshold, node_threshold_of(mem, node)))
        gap = low_of(mem, zone) - min_of(mem, zone)
        mark = drift_mark(nr_running_of(mem), threshold, gap, high_of(mem, zone))
        if mark and close_reads_of(mem) != NOBODY_READS_CLOSE:
            set_drift_mark(mem, zone, mark)


@kernel
def normal_of(mem: CounterMemory, zone: int) -> int:
    """The zone's threshold by the formula, or the one that the machine says."""
    said = said_normal_of(mem)
    if said != UNSAID:
        return said
    return normal_threshold(nr_running_of(mem), pages_of(mem, zone))


@kernel
def threshold_of(mem: CounterMemory, place: int) -> int:
    """Beyond what a CPU's cell of that counter is told; NEVER for none."""
    item, where = item_of(mem, place), where_of(mem, place)
    own = own_threshold_of(mem, item)
    if own != OF_PLACE:
        return own
    return node_threshold_of(mem, where) if by_node_of(mem, item) else zone_threshold_of(mem, where)


@kernel
def boot(mem: CounterMemory) -> None:
    """Give a machine that has just been described its marks and thresholds."""
    if early_drift_marks_of(mem) and nr_running_of(mem) > 1:
        set_thresholds(mem)
    set_marks(mem)
    set_thresholds(mem)
