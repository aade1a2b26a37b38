"""Whether zoneinfo's NUMA counters agree with each other: VM-numa.

An allocation counts for the zone that served it as a hit or a miss, and as local or other; a miss
is foreign to the zone that was asked first, which may be any. So two sums agree in every zone, and
two more only over all zones.

Up to 4.13 a reader sees what CPUs have told; later it sees all, but for the allocation that each
CPU may be counting right then.
Source: mm/page_alloc.c (zone_statistics) and mm/vmstat.c, 2.6.37 to 6.12.
"""

from collections.abc import Sequence

from pagefuzz.kernel.zoneinfo import ZoneInfo
from pagespec.vmstat.drift import kept_by_cpus

COUNTERS = ("numa_hit", "numa_miss", "numa_foreign", "numa_local", "numa_other")


def zones_counted(zones: Sequence[ZoneInfo]) -> list[ZoneInfo]:
    """The zones whose allocations are counted so."""
    return [zone for zone in zones if all(word in zone.amounts for word in COUNTERS)]


def complaint_on_zone(zone: ZoneInfo) -> str:
    """Say how a zone's own sums disagree, or nothing."""
    hit, miss, _, local, other = (zone.amounts[word] for word in COUNTERS)
    return _complaint(
        f"{zone.title}: hit {hit} + miss {miss}",
        hit + miss,
        f"local {local} + other {other}",
        local + other,
        2 * _unseen(zone),
    )


def complaint_on_all(zones: Sequence[ZoneInfo]) -> str:
    """Say how the sums over all zones disagree, or nothing."""
    miss, foreign = (sum(zone.amounts[word] for zone in zones) for word in COUNTERS[1:3])
    unseen = sum(map(_unseen, zones))
    return _complaint(f"all zones: miss {miss}", miss, f"foreign {foreign}", foreign, unseen)


def _complaint(left: str, got: int, right: str, expected: int, most: int) -> str:
    if abs(got - expected) <= most:
        return ""
    return (
        f"{left} differs by {abs(got - expected)} from {right}: expected at most {most}, for what"
        " CPUs had not told when it was read."
    )


def _unseen(zone: ZoneInfo) -> int:
    """How far what is printed of two counters of a zone may differ if they are the same."""
    if not _is_told(zone):
        return len(zone.pagesets)
    kept = kept_by_cpus([cpu.threshold or 0 for cpu in zone.pagesets.values()], "inc")
    return kept.most - kept.least


def _is_told(zone: ZoneInfo) -> bool:
    """Whether these counters are kept like others, with the zone's threshold: up to 4.13.

    Then they stand among the others, in front of that of CMA's free frames; they were the last of
    all before releases printed managed frames.
    """
    words = [*zone.amounts]
    if "managed" not in words:
        return True
    return "nr_free_cma" in words and words.index("numa_hit") < words.index("nr_free_cma")
