"""How many frames a per-CPU list asks for at once, and how many it may keep.

`batch` frames move between the buddy and a list under one hold of the zone's lock: enough to make
the lock cheap, few enough that nobody waits. `high` is where a free begins to drain. Both follow
from the zone's size, and later from its low watermark and the number of CPUs.

>>> [raw_batch(65536, *rule) for rule in BATCH_RULES.values()]
[16, 15, 15]
>>> [raw_batch(1048576, *rule) for rule in BATCH_RULES.values()]
[16, 31, 63]

Source: mm/page_alloc.c (zone_batchsize, zone_highsize, setup_per_cpu_pageset), 2.6.11 to 6.12.
"""

from typing import Literal, NamedTuple, TypeAlias

from pagespec.frames import SIZES

BatchRule: TypeAlias = Literal["256k", "512k-rounded", "1m-rounded"]


class Cap(NamedTuple):
    """The limit of a batch before it is quartered, in frames; and whether the result is rounded."""

    cap_pages: int
    rounded: bool


BATCH_RULES: dict[BatchRule, Cap] = {
    "256k": Cap(64, rounded=False),
    "512k-rounded": Cap(128, rounded=True),
    "1m-rounded": Cap(256, rounded=True),
}
"""Per rule: until 2.6.11, from 2.6.24 to 4.18, and since."""

MOST_BY_FRACTION = 96
"""The largest batch where the administrator sets the lists' share of a zone, until 5.12."""

LEAST_FRACTION = 8
"""No CPU's list may keep more than one frame in so many of the zone."""


def largest_power_up_to(number: int) -> int:
    """The largest power of two that is not larger than the number.

    pre: 1 <= number < 32768
    post: __return__ <= number < 2 * __return__
    post: __return__ in SIZES
    """
    order = 0
    while SIZES[order + 1] <= number:
        order += 1
    return SIZES[order]


def raw_batch(managed: int, cap_pages: int, rounded: bool) -> int:
    """A thousandth of the zone, capped and quartered, as frames.

    Rounded, it is one less than a power of two: batches of a power of two made the pages of two
    CPUs collide in the caches. A small zone then has 0, which stands for a batch of one frame.

    pre: managed >= 0
    pre: cap_pages in (64, 128, 256)
    post: 0 <= __return__ <= cap_pages // 4
    post: rounded or __return__ >= 1
    """
    batch = max(1, min(managed // 1024, cap_pages) // 4)
    return largest_power_up_to(batch + batch // 2) - 1 if rounded else batch


class Pageset(NamedTuple):
    """The sizes of one list: it refills at `low`, drains at `high`, and moves `batch` frames."""

    low: int
    high: int
    batch: int


def hot_and_cold(batch: int) -> tuple[Pageset, Pageset]:
    """The two lists of 2.6.11: warm frames, of which some always stay, and cold ones.

    pre: batch >= 1
    post: all(0 <= kind.low < kind.high and kind.batch == batch for kind in __return__)
    """
    return Pageset(2 * batch, 6 * batch, batch), Pageset(0, 2 * batch, batch)


def six_batches(raw: int) -> Pageset:
    """From 2.6.32 to 5.12. A raw batch of 0 keeps nothing: every free drains its one frame.

    pre: raw >= 0
    post: __return__.batch >= 1
    post: raw == 0 or __return__.high > __return__.batch
    """
    return Pageset(0, 6 * raw, max(1, raw))


def by_fraction(managed: int, fraction: int) -> Pageset:
    """Until 5.12, where the administrator gives each CPU one frame in `fraction` of the zone.

    pre: managed >= 0
    pre: fraction >= 8
    post: __return__.high * fraction <= managed
    post: 1 <= __return__.batch <= MOST_BY_FRACTION
    """
    high = managed // fraction
    return Pageset(0, high, min(max(1, high // 4), MOST_BY_FRACTION))


def high_by_watermark(low_mark: int, cpus: int, batch: int) -> int:
    """Since 5.14: the CPUs of the zone's node share its low watermark; four batches at least.

    Kswapd sleeps until the low mark is reached, so what the lists hold in all stays a fraction of
    what it would have to find again.

    pre: low_mark >= 0 and cpus >= 1 and batch >= 1
    post: __return__ >= 4 * batch
    post: __return__ == 4 * batch or __return__ * cpus <= low_mark
    """
    return max(low_mark // cpus, 4 * batch)


def highest(managed: int, cpus: int, batch: int) -> int:
    """Since 6.7: up to where `high` may grow by itself.

    pre: managed >= 0 and cpus >= 1 and batch >= 1
    post: __return__ >= 4 * batch
    post: __return__ == 4 * batch or __return__ * cpus * LEAST_FRACTION <= managed
    """
    return max(managed // LEAST_FRACTION // cpus, 4 * batch)
