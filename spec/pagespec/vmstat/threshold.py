"""How much a CPU may keep to itself before it tells the zone.

>>> for cpus, gib in ((2, 1), (2, 3), (2, 4), (2, 12), (4, 3), (4, 12), (8, 16), (112, 62)):
...     print(cpus, gib, normal_threshold(cpus, gib * 2**18))
2 1 20
2 3 24
2 4 28
2 12 32
4 3 36
4 12 48
8 16 72
112 62 125

The table in a comment of the kernel's own source has other values in some rows; the formula is what
real machines follow.
Source: mm/vmstat.c (calculate_normal_threshold, calculate_pressure_threshold,
refresh_zone_stat_thresholds), 2.6.24 to 6.12.
"""

from collections.abc import Sequence

from pagespec.watermark.marks import Marks

MOST = 125
"""The largest threshold of a cell of eight bits, which may hold one more for a moment."""

UNIT_PAGES = 2**15
"""Memory is measured in units of 128 MiB, 32,768 frames."""


def normal_threshold(cpus: int, pages: int) -> int:
    """The threshold of a zone of so many frames, for so many CPUs that run.

    It grows with the doublings of either, so that what all CPUs together keep back grows about as
    fast as their number.

    pre: 1 <= cpus <= 8192 and 0 <= pages <= 2**40
    post: 2 <= __return__ <= 125
    """
    return min(MOST, 2 * cpus.bit_length() * (1 + (pages // UNIT_PAGES).bit_length()))


def pressure_threshold(cpus: int, marks: Marks) -> int:
    """The threshold while kswapd is awake: all CPUs together keep back no more than low less min.

    At least 1, so that this holds only where there is a frame for each CPU between the two. In a
    small zone it can be larger than the normal one.

    pre: cpus >= 1 and marks.min <= marks.low
    post: 1 <= __return__ <= 125
    post: __return__ == 1 or __return__ * cpus <= marks.low - marks.min
    """
    return min(MOST, max(1, (marks.low - marks.min) // cpus))


def node_threshold(of_zones: Sequence[int]) -> int:
    """A node's threshold: the largest normal one of its zones; it is never lowered for kswapd."""
    return max(of_zones)


def drift_mark(cpus: int, threshold: int, marks: Marks) -> int:
    """Below this count a zone must be looked at closely; 0 if what CPUs keep back is too little.

    From the mark up, even if every CPU has kept all it may, the zone is at its high mark or above.

    pre: cpus >= 1 and threshold >= 0 and 0 <= marks.min <= marks.low <= marks.high
    post: __return__ == 0 or __return__ - cpus * threshold == marks.high
    post: (__return__ == 0) == (cpus * threshold <= marks.low - marks.min)
    """
    drift = cpus * threshold
    return marks.high + drift if drift > marks.low - marks.min else 0
