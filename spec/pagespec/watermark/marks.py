"""Watermarks: how little free memory a zone may have left for whom.

Below `low` kswapd is woken, until `high` it works, and below `min` only requests with rights are
served. All follow from one number, min_free_kbytes, which grows with the root of the memory.

>>> for managed in (4096, 65536, 262144, 1048576, 4194304, 16777216):
...     kbytes = min_free_kbytes(4 * managed, MIN_FREE_RULES["256m"])
...     print(kbytes, *marks_by_scale(share_of(kbytes, managed, managed), managed))
512 128 160 192
2048 512 640 768
4096 1024 1286 1548
8192 2048 3096 4144
16384 4096 8290 12484
32768 8192 24969 41746

Source: mm/page_alloc.c (init_per_zone_wmark_min, __setup_per_zone_wmarks,
setup_per_zone_lowmem_reserve, boost_watermark), 2.6.11 to 6.12.
"""

from collections.abc import Sequence
from math import isqrt
from typing import Literal, NamedTuple, TypeAlias

MinFreeRule: TypeAlias = Literal["root", "64m", "256m"]


class MinFree(NamedTuple):
    """The factor under the root, and the limit in KiB."""

    factor: int
    most_kbytes: int


MIN_FREE_RULES: dict[MinFreeRule, MinFree] = {
    "root": MinFree(1, 16384),
    "64m": MinFree(16, 65536),
    "256m": MinFree(16, 262144),
}
"""Per rule: 2.6.9, from 2.6.11 to 4.19, and by 5.8."""

LEAST_KBYTES = 128
SCALE_FACTOR = 10
"""The gap between two marks, in ten thousandths of the zone, by default."""

BOOST_FACTOR = 15000
"""How far a boost may raise the marks, in ten thousandths of the high mark, by default."""


def min_free_kbytes(lowmem_kbytes: int, rule: MinFree) -> int:
    """The kernel's own choice for a machine with so much memory below the high zone."""
    return min(max(isqrt(lowmem_kbytes * rule.factor), LEAST_KBYTES), rule.most_kbytes)


def share_of(kbytes: int, managed: int, lowmem_pages: int) -> int:
    """A zone's share of the frames that min_free_kbytes stands for.

    lowmem_pages: the frames of all zones that share them. Since 6.8 memory for movable blocks alone
    is not among these, so what such a zone would get may be more than all: it sets the gaps of its
    marks.

    pre: kbytes >= 0 and managed >= 0 and lowmem_pages >= 0
    post: __return__ >= 0
    post: managed > max(1, lowmem_pages) or __return__ <= kbytes // 4
    """
    return kbytes // 4 * managed // max(1, lowmem_pages)


def ten_thousandths(number: int, parts: int) -> int:
    """So many ten thousandths of a number, rounded down, with no product larger than needed.

    pre: number >= 0 and parts >= 0
    post: __return__ <= number * parts // 10000
    post: number * parts // 10000 - __return__ <= parts
    """
    return number // 10000 * parts + number % 10000 * parts // 10000


class Marks(NamedTuple):
    """Three numbers of free frames."""

    min: int
    low: int
    high: int


def marks_of_thirds(least: int) -> Marks:
    """2.6.9: the marks are one, two and three times the same.

    pre: least >= 0
    post: __return__.min == least
    post: __return__.min <= __return__.low <= __return__.high
    """
    return Marks(least, 2 * least, 3 * least)


def marks_of_quarters(least: int) -> Marks:
    """2.6.11: a quarter and a half above.

    pre: least >= 0
    post: __return__.min == least
    post: __return__.min <= __return__.low <= __return__.high
    """
    return Marks(least, least * 5 // 4, least * 6 // 4)


def marks_by_shift(share: int, least: int) -> Marks:
    """From 2.6.24: the gaps follow the share also where `least` is limited (high memory).

    pre: share >= 0 and least >= 0
    post: __return__.min == least
    post: __return__.min <= __return__.low <= __return__.high
    """
    return Marks(least, least + share // 4, least + share // 2)


def marks_by_scale(share: int, managed: int, factor: int = SCALE_FACTOR) -> Marks:
    """Since 4.6: the gap is a thousandth of the zone at least, so that kswapd wakes in time.

    pre: share >= 0 and managed >= 0 and factor >= 0
    post: __return__.min <= __return__.low <= __return__.high
    post: __return__.low - __return__.min == __return__.high - __return__.low
    """
    gap = max(share // 4, ten_thousandths(managed, factor))
    return Marks(share, share + gap, share + 2 * gap)


def marks_apart(marks: Marks, managed: int) -> Marks:
    """6.8: memory for movable blocks alone keeps a thousandth, 32 to 128 frames; the gaps stay.

    pre: managed >= 0 and marks.min <= marks.low <= marks.high
    post: 32 <= __return__.min <= 128
    post: __return__.high - __return__.min == marks.high - marks.min
    """
    less = marks.min - max(32, min(managed // 1024, 128))
    return Marks(marks.min - less, marks.low - less, marks.high - less)


def lowmem_reserve(managed: Sequence[int], ratio: Sequence[int]) -> list[list[int]]:
    """Per zone, what it keeps from requests that could use each higher zone, in frames.

    managed, ratio: per zone of a node, lowest first. A request that could have its memory higher up
    may use up a lower zone only down to this, in proportion to all the memory above.

    >>> lowmem_reserve([4000, 500000, 1500000], [256, 256, 32])
    [[0, 1953, 7812], [0, 0, 5859], [0, 0, 0]]
    """
    return [
        [
            sum(managed[zone + 1 : upto + 1]) // ratio[zone]
            if upto > zone and ratio[zone] and managed[zone]
            else 0
            for upto in range(len(managed))
        ]
        for zone in range(len(managed))
    ]


def boosted(boost: int, high_mark: int, managed: int, pageblock_pages: int) -> int:
    """The boost after one more fallback that broke up a pageblock: kswapd shall work ahead.

    A pageblock's frames are added, up to one and a half of the high mark without its boost; zones
    of fewer than four pageblocks are left alone.

    pre: boost >= 0 and high_mark >= 0 and managed >= 0 and pageblock_pages >= 1
    post: __return__ == boost or __return__ <= max(pageblock_pages, high_mark + high_mark // 2)
    """
    most = ten_thousandths(high_mark, BOOST_FACTOR)
    if managed < 4 * pageblock_pages or most == 0:
        return boost
    return min(boost + pageblock_pages, max(pageblock_pages, most))
