"""Counting whose memory was given: the twin of the spec's `vmstat.count`."""

from pageimpl.jitcache import kernel
from pageimpl.vmstat.counters import area_of
from pageimpl.vmstat.state import (
    CounterMemory,
    by_node_of,
    cpu_node_of,
    first_place_of,
    node_of,
    numa_on_of,
    ordinal_of,
)
from pageimpl.vmstat.update import change
from pageimpl.vmstat.verbs import FOREIGN, HIT, INTERLEAVE, LOCAL, MISS, OTHER


@kernel
def count_one(mem: CounterMemory, cpu: int, item: int, zone: int) -> None:
    """Add one to a statistic of the zone, or of its node."""
    number = ordinal_of(mem, node_of(mem, zone)) if by_node_of(mem, item) else zone
    change(mem, cpu, first_place_of(mem, item) + number, 1, 1, False)


@kernel
def count(
    mem: CounterMemory, cpu: int, preferred: int, zone: int, times: int, interleave: bool
) -> None:
    """Count so many allocations, unless the statistics are turned off."""
    if not numa_on_of(mem):
        return
    node = node_of(mem, zone)
    hit = node == node_of(mem, preferred)
    local = LOCAL if node == cpu_node_of(mem, area_of(mem, cpu)) else OTHER
    for _ in range(times):
        count_one(mem, cpu, HIT if hit else MISS, zone)
        if not hit:
            count_one(mem, cpu, FOREIGN, preferred)
        count_one(mem, cpu, local, zone)
        if interleave:
            count_one(mem, cpu, INTERLEAVE, zone)
