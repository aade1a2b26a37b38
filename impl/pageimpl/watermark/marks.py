"""The marks of a zone by the era's formula, by shifts: the twin of the spec's `watermark.marks`.

Plain Python: it runs once for each zone, before boot.
"""

from math import isqrt
from typing import NamedTuple

from pagespec.era import Era

# Per rule: by how much the memory is shifted to the left under the root, and the limit in KiB.
MIN_FREE_RULES = {"root": (0, 1 << 14), "64m": (4, 1 << 16), "256m": (4, 1 << 18)}

LEAST_KBYTES = 128


class Marks(NamedTuple):
    """Three numbers of free frames."""

    min: int
    low: int
    high: int


def min_free_kbytes(lowmem_kbytes: int, rule: str) -> int:
    """The kernel's own choice for so much memory."""
    shift, most = MIN_FREE_RULES[rule]
    return min(max(isqrt(lowmem_kbytes << shift), LEAST_KBYTES), most)


def marks_of(era: Era, kbytes: int, managed: int, lowmem_pages: int) -> Marks:
    """The marks of a zone for a given min_free_kbytes, which zones of so many frames share."""
    share = (kbytes >> 2) * managed // max(1, lowmem_pages)
    if era.marks == "thirds":
        return Marks(share, share << 1, 3 * share)
    if era.marks == "quarters":
        return Marks(share, 5 * share >> 2, 6 * share >> 2)
    if era.marks == "shift":
        return Marks(share, share + (share >> 2), share + (share >> 1))
    gap = max(share >> 2, managed // 1000)
    return Marks(share, share + gap, share + 2 * gap)
