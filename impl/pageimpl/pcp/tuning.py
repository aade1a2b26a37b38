"""How a list adapts to its load: drains that grow with frees, refills that grow with requests.

The twin of the spec's `pcp.tuning`: what is learnt is written where it lies.
"""

from pageimpl.era import TUNE_DOUBLING, TUNE_DOUBLING_FLUSH, TUNE_TUNED
from pageimpl.jitcache import inlined, kernel
from pageimpl.memory import Memory, below_high_of, reclaiming_of, tuning_of
from pageimpl.pcp.index import COSTLY
from pageimpl.pcp.state import (
    batch_of,
    count_of,
    factor_of,
    freed_of,
    high_max_of,
    high_min_of,
    high_of,
    high_order_of,
    set_factor,
    set_freed,
    set_high,
    set_high_order,
    waits_of,
)

SCALE = 5
"""A batch is doubled at most so often (CONFIG_PCP_BATCH_SCALE_MAX)."""


@inlined
def learn_of_alloc(mem: Memory, q: int) -> None:
    """A block is asked for: drains grow half as much, and what was freed before counts half."""
    if tuning_of(mem) == TUNE_TUNED:
        set_freed(mem, q, freed_of(mem, q) >> 1)
    else:
        set_factor(mem, q, factor_of(mem, q) >> 1)


@kernel
def within(mem: Memory, q: int, high: int) -> int:
    """The number, or the bound of `high` that it is beyond."""
    return max(high_min_of(mem, q), min(high, high_max_of(mem, q)))


@kernel
def blocks_to_refill(mem: Memory, q: int, order: int) -> int:
    """How many blocks to ask the buddy for."""
    batch = batch_of(mem, q)
    if tuning_of(mem) == TUNE_TUNED:
        return tuned_refill(mem, q, order, batch)
    if tuning_of(mem) >= TUNE_DOUBLING and batch > 1:
        return max(batch >> order, 2)
    return batch


@kernel
def tuned_refill(mem: Memory, q: int, order: int, batch: int) -> int:
    """The same since 6.7: `high` grows with what is asked for, and the next refill with it."""
    high = within(mem, q, high_of(mem, q))
    set_high(mem, q, high)
    if high < batch:
        return 1
    asked = batch if order > 0 else batch << factor_of(mem, q)
    if high_min_of(mem, q) != high_max_of(mem, q) and not below_high_of(mem):
        high = min(high + asked, high_max_of(mem, q))
        set_high(mem, q, high)
    if order == 0:
        most = max(high - count_of(mem, q) - batch, batch)
        if asked <= most and factor_of(mem, q) < SCALE:
            set_factor(mem, q, factor_of(mem, q) + 1)
        asked = min(asked, most)
    return max(asked >> order, 2) if asked > 1 else asked


@inlined
def pages_to_drain(mem: Memory, q: int, order: int) -> int:
    """How many frames a free of that order drains, 0 for none; the sizes learn from it."""
    tuning = tuning_of(mem)
    if tuning == TUNE_TUNED:
        return tuned_drain(mem, q, order)
    if tuning >= TUNE_DOUBLING:
        flush = tuning == TUNE_DOUBLING_FLUSH and 1 <= order <= COSTLY and factor_of(mem, q) != 0
        if not flush and count_of(mem, q) < doubling_high(mem, q):
            return 0
        return doubling_drain(mem, q, flush)
    return batch_of(mem, q) if count_of(mem, q) >= high_of(mem, q) else 0


@kernel
def doubling_high(mem: Memory, q: int) -> int:
    """The number of frames from which a free drains: less while kswapd is at work."""
    high = high_of(mem, q)
    return min(batch_of(mem, q) << 2, high) if reclaiming_of(mem) else high


@kernel
def doubling_drain(mem: Memory, q: int, flush: bool) -> int:
    """From 5.13 to 6.6: each drain takes twice what the last one took, up to its limit.

    flush: since 5.17 a list that frees blocks of higher orders again and again keeps nothing.
    """
    if flush:
        return count_of(mem, q)
    high = doubling_high(mem, q)
    batch, factor = batch_of(mem, q), factor_of(mem, q)
    if high < batch:
        return 1
    most = high - batch
    if batch << factor < most:
        set_factor(mem, q, factor + 1)
    return max(batch, min(batch << factor, most))


@kernel
def tuned_drain(mem: Memory, q: int, order: int) -> int:
    """Since 6.7: drains follow what was freed of late, and `high` the load."""
    batch, count, recent = batch_of(mem, q), count_of(mem, q), freed_of(mem, q)
    set_factor(mem, q, factor_of(mem, q) >> 1)
    higher = 1 <= order <= COSTLY
    flush = higher and recent >= batch and high_order_of(mem, q) != 0
    flush = flush and (waits_of(mem, q) == 0 or count >= batch)
    set_high_order(mem, q, 1 if higher else 0)
    if recent < batch << SCALE:
        recent += 1 << order
        set_freed(mem, q, recent)
    high = adapted_high(mem, q, count, recent, flush)
    if count < high:
        return 0
    if flush:
        return min(count, batch << SCALE)
    if high < batch:
        return 1
    return max(batch, min(recent, high - batch))


@kernel
def adapted_high(mem: Memory, q: int, count: int, recent: int, flush: bool) -> int:
    """From how many frames this free drains; `high` moves for those that follow."""
    batch = batch_of(mem, q)
    least = high_min_of(mem, q)
    high = within(mem, q, high_of(mem, q))
    set_high(mem, q, high)
    if high == 0:
        return 0
    if flush:
        set_high(mem, q, max(high - (batch << SCALE), least))
        return 0
    lowered = max(high - max(recent, batch), least)
    if reclaiming_of(mem):
        set_high(mem, q, lowered)
        return min(batch << 2, lowered)
    if least == high_max_of(mem, q):
        return high
    if below_high_of(mem):
        set_high(mem, q, lowered)
        return max(count, least)
    if count >= high and high < recent + batch:
        set_high(mem, q, within(mem, q, recent + batch))
    return high


@kernel
def decay(mem: Memory, q: int) -> int:
    """`high` falls by an eighth; how many frames are above it."""
    count, high, least = count_of(mem, q), high_of(mem, q), high_min_of(mem, q)
    if high > least:
        high = max(count - (batch_of(mem, q) << SCALE), high - (high >> 3), least)
        set_high(mem, q, high)
    return max(0, count - high)
