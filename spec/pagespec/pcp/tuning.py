"""How a list adapts to its load: drains that grow with frees, refills that grow with requests.

Two generations. From 5.13 a drain doubles its batch as long as nothing is allocated. Since 6.7 the
refill doubles too, and `high` itself moves between two bounds: up with the load, down as the zone
runs low.

Source: mm/page_alloc.c (nr_pcp_free, nr_pcp_high, nr_pcp_alloc, decay_pcp_high), 5.15, 6.1, 6.12.
"""

from typing import NamedTuple

from pagespec.frames import SIZES
from pagespec.pcp.index import COSTLY
from pagespec.types import Order

SCALE = 5
"""A batch is doubled at most so often (CONFIG_PCP_BATCH_SCALE_MAX)."""


class Pressure(NamedTuple):
    """What the lists ask of their zone: whether it is being reclaimed, or below its high mark."""

    reclaiming: bool = False
    below_high: bool = False


CALM = Pressure()


class Doubling(NamedTuple):
    """The state of 5.13 to 6.6. factor: how often the next drain doubles its batch."""

    high: int
    batch: int
    factor: int = 0


def high_of(load: Doubling, zone: Pressure) -> int:
    """The number of frames from which a free drains: less while kswapd is at work.

    pre: load.high >= 0 and load.batch >= 1
    post: 0 <= __return__ <= load.high
    """
    return min(4 * load.batch, load.high) if zone.reclaiming else load.high


def drain_of(load: Doubling, count: int, zone: Pressure, *, free_high: bool = False) -> int:
    """How many frames a drain takes.

    free_high: since 5.17 a list that frees blocks of higher orders again and again keeps nothing,
    so that those blocks merge.

    pre: load.high >= 0 and load.batch >= 1 and 0 <= load.factor <= 10 and count >= 1
    post: __return__ >= 1 and (free_high or __return__ <= max(1, load.high))
    """
    if free_high:
        return count
    high = high_of(load, zone)
    if high < load.batch:
        return 1
    most = high - load.batch
    return max(load.batch, min(load.batch << load.factor, most))


def after_drain(load: Doubling, zone: Pressure, *, free_high: bool = False) -> Doubling:
    """The state after a drain: the next one doubles, unless this one met its limit.

    pre: load.high >= 0 and load.batch >= 1 and 0 <= load.factor <= 10
    post: __return__ == load or __return__ == load._replace(factor=load.factor + 1)
    """
    high = high_of(load, zone)
    if free_high or high < load.batch or load.batch << load.factor >= high - load.batch:
        return load
    return load._replace(factor=load.factor + 1)


def after_alloc(load: Doubling) -> Doubling:
    """The state after a block was taken from a list: drains grow half as much.

    pre: load.factor >= 0
    post: 0 <= __return__.factor <= load.factor
    """
    return load._replace(factor=load.factor // 2) if load.factor else load


def frees_high(load: Doubling, order: Order) -> bool:
    """Since 5.17: whether freeing a block of that order empties the lists.

    post: not __return__ or (load.factor != 0 and 0 < order <= COSTLY)
    """
    return load.factor != 0 and 1 <= order <= COSTLY


class Tuned(NamedTuple):
    """The state since 6.7.

    high moves between high_min and high_max. factor: how often the next refill doubles its batch.
    freed: frames that were freed of late, which drains follow. high_order: whether the last free
    was of a higher order. waits: whether a flush waits for a batch (a large data cache).
    """

    high_min: int
    high_max: int
    batch: int
    high: int = 0
    factor: int = 0
    freed: int = 0
    high_order: bool = False
    waits: bool = False

    @property
    def fixed(self) -> bool:
        """Whether `high` cannot move: so the administrator, a small zone or disabling has it."""
        return self.high_min == self.high_max


def _within(load: Tuned, high: int) -> int:
    return max(load.high_min, min(high, load.high_max))


def refill(load: Tuned, order: Order, count: int, zone: Pressure) -> tuple[int, Tuned]:
    """How many blocks a list of that order asks for when it is empty, and the state after.

    pre: 0 <= load.high_min <= load.high_max and load.batch >= 1 and count >= 0
    pre: 0 <= load.factor <= SCALE and order in (0, 1, 9)
    post: 1 <= __return__[0] <= max(2, load.batch << SCALE)
    """
    load = load._replace(high=_within(load, load.high))
    batch = load.batch
    if load.high < batch:
        return 1, load
    asked = batch if order > 0 else batch * SIZES[load.factor]
    if not load.fixed and not zone.below_high:
        load = load._replace(high=min(load.high + asked, load.high_max))
    if order == 0:
        most = max(load.high - count - batch, batch)
        if asked <= most and load.factor < SCALE:
            load = load._replace(factor=load.factor + 1)
        asked = min(asked, most)
    return (max(asked // SIZES[order], 2) if asked > 1 else asked), load


def taken(load: Tuned) -> Tuned:
    """The state when a block is asked for: what was freed before counts half.

    pre: load.freed >= 0
    post: 0 <= __return__.freed <= load.freed
    """
    return load._replace(freed=load.freed // 2) if load.freed else load


class Freed(NamedTuple):
    """What follows from a free: the state, and how many frames to drain, 0 for none."""

    load: Tuned
    drain: int


def freed(load: Tuned, order: Order, count: int, zone: Pressure) -> Freed:
    """A block is freed onto the lists, which hold `count` frames with it.

    pre: 0 <= load.high_min <= load.high_max and load.batch >= 1 and load.freed >= 0
    pre: order in (0, 1, 9) and count >= SIZES[order]
    post: 0 <= __return__.drain <= count
    """
    batch, high_order = load.batch, 1 <= order <= COSTLY
    free_high = high_order and load.high_order and load.freed >= batch
    free_high = free_high and (not load.waits or count >= batch)
    late = load.freed + (SIZES[order] if load.freed < batch << SCALE else 0)
    drains_at, high = _drain_at(load, late, count, zone, free_high)
    load = Tuned(
        load.high_min, load.high_max, batch, high, load.factor // 2, late, high_order, load.waits
    )
    if count < drains_at:
        return Freed(load, 0)
    if free_high:
        return Freed(load, min(count, batch << SCALE))
    if drains_at < batch:
        return Freed(load, 1)
    return Freed(load, max(batch, min(late, drains_at - batch)))


def _drain_at(
    load: Tuned, late: int, count: int, zone: Pressure, free_high: bool
) -> tuple[int, int]:
    """From how many frames this free drains, and the `high` that it leaves.

    late: the frames that were freed of late, with this free's.

    pre: 0 <= load.high_min <= load.high_max and load.batch >= 1 and late >= 0
    post: load.high_min <= __return__[1] <= load.high_max
    """
    high = _within(load, load.high)
    if high == 0:
        return 0, 0
    if free_high:
        return 0, max(high - (load.batch << SCALE), load.high_min)
    lowered = max(high - max(late, load.batch), load.high_min)
    if zone.reclaiming:
        return min(4 * load.batch, lowered), lowered
    if load.fixed:
        return high, high
    if zone.below_high:
        return max(count, load.high_min), lowered
    if count >= high and high < late + load.batch:
        return high, _within(load, late + load.batch)
    return high, high


def decay(load: Tuned, count: int) -> Freed:
    """What the periodic worker does: `high` falls by an eighth, and what is above it is drained.

    pre: 0 <= load.high_min <= load.high_max and load.batch >= 1 and count >= 0
    pre: load.high >= 0
    post: 0 <= __return__.drain <= count
    post: count - __return__.drain <= __return__.load.high
    post: load.high <= load.high_min or __return__.load.high >= load.high_min
    """
    high = load.high
    if high > load.high_min:
        high = max(count - (load.batch << SCALE), high - (high >> 3), load.high_min)
    return Freed(load._replace(high=high), max(0, count - high))
