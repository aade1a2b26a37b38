"""Thresholds and widths as the laws see them: written down once more, by other arithmetic."""

from pagespec.vmstat.counters import Counters
from pagespec.vmstat.machine import NUMA_ITEMS, CounterMachine, Place
from pagespec.vmstat.numa import NumaName
from pagespec.watermark.marks import Marks

MOST = 125
"""The most that a signed byte may hold at rest: one more must fit before it is told."""

MIB_PAGES = 256
"""The frames of a MiB."""

NUMA_LIMITS: dict[NumaName, int | None] = {
    "longs": None,
    "u16": 65533,
    "s16-draft": 32765,
    "events": None,
}
"""Beyond what a cell is told in the designs that have a threshold of their own; None for never."""

CELL_RANGES: dict[NumaName, tuple[int, int]] = {
    "longs": (0, 18446744073709551615),
    "items": (-128, 127),
    "u16": (0, 65535),
    "s16-draft": (-32768, 32767),
    "events": (0, 18446744073709551615),
}
"""What a cell of each design can hold; other counters' cells are those of `items`."""


def doublings(number: int) -> int:
    """How often 1 must be doubled to exceed the number.

    >>> [doublings(number) for number in (0, 1, 2, 3, 4, 255, 256)]
    [0, 1, 2, 2, 3, 8, 9]
    """
    size, count = 1, 0
    while size <= number:
        size, count = 2 * size, count + 1
    return count


def due_normal(cpus: int, pages: int) -> int:
    """A zone's threshold: twice the doublings of its CPUs, times those of its memory and one.

    >>> due_normal(2, 1024 * MIB_PAGES), due_normal(4, 3 * 1024 * MIB_PAGES)
    (20, 36)
    """
    return min(MOST, 2 * doublings(cpus) * (doublings(pages // (128 * MIB_PAGES)) + 1))


def due_pressure(cpus: int, marks: Marks) -> int:
    """The most that lets all CPUs together keep no more than the low mark is above the lowest one.

    >>> [due_pressure(8, Marks(512, low, 999)) for low in (512, 527, 528, 640, 9999)]
    [1, 1, 2, 16, 125]
    """
    room = marks.low - marks.min
    least, beyond = 1, MOST + 1
    while beyond - least > 1:
        middle = (least + beyond) // 2
        if middle * cpus <= room:
            least = middle
        else:
            beyond = middle
    return least


def range_of(machine: CounterMachine, place: Place) -> tuple[int, int]:
    """The least and the largest value of a cell of that counter."""
    return CELL_RANGES[machine.numa_name if place.item in NUMA_ITEMS else "items"]


def limit_of(counters: Counters, place: Place) -> int | None:
    """Beyond what a cell of that counter is told; None for never."""
    machine = counters.machine
    if place.item in NUMA_ITEMS and machine.numa_name in NUMA_LIMITS:
        own = NUMA_LIMITS[machine.numa_name]
        return own if own is None or machine.numa_threshold is None else machine.numa_threshold
    return (
        counters.node_thresholds[place.where] if place.of_node else counters.thresholds[place.where]
    )
