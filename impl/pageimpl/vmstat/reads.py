"""Reading counters, cheaply or closely, and asking for a mark: the twin of `vmstat.reads`."""

from pageimpl.jitcache import kernel
from pageimpl.vmstat.cell import cell_at
from pageimpl.vmstat.choices import READ_CLOSE, READ_FOLDS, READ_TOLD, RECLAIM_READS_CLOSE
from pageimpl.vmstat.counters import area_of, cell_of
from pageimpl.vmstat.refresh import fold_events
from pageimpl.vmstat.state import (
    CounterMemory,
    close_reads_of,
    cpus_of,
    drift_mark_of,
    first_place_of,
    high_of,
    item_of,
    low_of,
    min_of,
    node_of,
    nr_places_of,
    reading_of,
    reads_all_cpus_of,
    reclaiming_of,
    running_of,
    told_of,
    total_of,
    width_of,
)
from pageimpl.vmstat.verbs import HIT, LEVEL_LOW, LEVEL_MIN


@kernel
def kept(mem: CounterMemory, place: int, all_cpus: bool) -> int:
    """What the CPUs that run keep of a counter, or also those that do not."""
    width = width_of(mem, item_of(mem, place))
    pages = 0
    for cpu in range(cpus_of(mem)):
        if all_cpus or running_of(mem, area_of(mem, cpu)):
            pages += cell_at(mem, cell_of(mem, cpu, place), width)
    return pages


@kernel
def read(mem: CounterMemory, place: int, close: bool) -> int:
    """A zone's or node's counter as its reader sees it, never below 0."""
    if item_of(mem, place) >= HIT:
        return read_numa(mem, place)
    seen = told_of(mem, place)
    if close:
        seen += kept(mem, place, False)
    return max(0, seen)


@kernel
def read_numa(mem: CounterMemory, place: int) -> int:
    """A zone's or node's NUMA statistic, as the design has it read."""
    reading = reading_of(mem)
    if reading == READ_FOLDS:
        fold_events(mem)
    if reading in (READ_TOLD, READ_FOLDS):
        return max(0, told_of(mem, place))
    return told_of(mem, place) + kept(mem, place, reads_all_cpus_of(mem) != 0)


@kernel
def read_total(mem: CounterMemory, item: int) -> int:
    """What the whole machine's counter shows."""
    reading = reading_of(mem)
    if item >= HIT and reading == READ_FOLDS:
        fold_events(mem)
    if item >= HIT and reading == READ_CLOSE:
        first, pages = first_place_of(mem, item), 0
        for place in range(first, first + nr_places_of(mem, item)):
            pages += read_numa(mem, place)
        return pages
    return max(0, total_of(mem, item))


@kernel
def free_as_seen(mem: CounterMemory, zone: int, reclaim: bool) -> int:
    """The free frames of a zone as whoever asks for its marks sees them."""
    cheap = read(mem, zone, False)
    if cheap >= drift_mark_of(mem, zone):
        return cheap
    if close_reads_of(mem) == RECLAIM_READS_CLOSE:
        looks = reclaim
    else:
        looks = reclaiming_of(mem, node_of(mem, zone)) != 0
    return read(mem, zone, True) if looks else cheap


@kernel
def mark_of(mem: CounterMemory, zone: int, level: int) -> int:
    """The zone's mark of that level."""
    if level == LEVEL_MIN:
        return min_of(mem, zone)
    return low_of(mem, zone) if level == LEVEL_LOW else high_of(mem, zone)


@kernel
def is_above(mem: CounterMemory, zone: int, level: int, order: int, reclaim: bool) -> bool:
    """Whether the zone would keep above its mark without a block of that order."""
    free = free_as_seen(mem, zone, reclaim) - ((1 << order) - 1)
    return free > mark_of(mem, zone, level)
