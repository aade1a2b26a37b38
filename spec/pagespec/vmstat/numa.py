"""Five ways to count whose memory was given, from one line of per-CPU words to events and back.

These counters grow with every allocation and nothing in the kernel decides by them. So each design
weighs a shared cache line against how fresh a reader's number is.
Source: mm/page_alloc.c (zone_statistics) and mm/vmstat.c, 2.6.9 to 6.12; the draft of 19 December
2017, "mm: enlarge NUMA counters threshold size" (linux-mm), which was not merged: its fourth patch
of five lets numastat and zoneinfo add up what CPUs keep, and leaves /proc/vmstat as it was.
"""

from typing import Literal, NamedTuple, TypeAlias

from pagespec.vmstat.cell import Width

NumaName: TypeAlias = Literal["longs", "items", "u16", "s16-draft", "events"]
Reading: TypeAlias = Literal["told", "close", "told-in-all", "folds"]
"""What a reader sees: what has been told; what the CPUs keep as well; the latter for a zone or
node, but in all only what has been told; or everything, since reading makes every CPU tell."""


class NumaDesign(NamedTuple):
    """One way to count.

    of_node: whether a node counts, not each of its zones. width: of a CPU's cell. threshold: beyond
    which a cell is told; None for the zone's own, with cells of its other counters, and -1 for
    never. overstep: whether half of it is left behind. refreshed: whether the periodic worker of a
    CPU tells these cells, too. reading: what a reader sees. switch: whether they can be turned off.
    """

    of_node: bool
    width: Width
    threshold: int | None
    overstep: bool
    refreshed: bool
    reading: Reading
    switch: bool


NEVER = -1
"""The threshold of cells that only readers and the end of a CPU empty."""

NUMA_DESIGNS: dict[NumaName, NumaDesign] = {
    "longs": NumaDesign(False, "long", NEVER, False, False, "close", False),
    "items": NumaDesign(False, "s8", None, True, True, "told", False),
    "u16": NumaDesign(False, "u16", 2**16 - 3, False, True, "told-in-all", True),
    "s16-draft": NumaDesign(True, "s16", 2**15 - 3, True, True, "told-in-all", True),
    "events": NumaDesign(False, "long", NEVER, False, False, "folds", True),
}
"""Per name, the design; the switch of u16 came in 4.15."""

RELEASES: dict[NumaName, str] = {
    "longs": "2.6.9",
    "items": "2.6.18 to 4.13",
    "u16": "4.14 to 5.13",
    "s16-draft": "never merged",
    "events": "since 5.14",
}
"""Per design, the kernels that count so."""
