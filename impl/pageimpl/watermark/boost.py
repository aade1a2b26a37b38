"""The boost: a fallback that breaks up a pageblock makes kswapd work ahead for a while.

The twin of the spec's `watermark.boost`.
"""

from pageimpl.era import WAKES_UNBOOSTED
from pageimpl.jitcache import kernel
from pageimpl.memory import (
    Memory,
    boost_of,
    boosts_of,
    managed_of,
    mark_of,
    marked_of,
    pageblock_order_of,
    set_boost,
    set_boosted,
)
from pageimpl.watermark.levels import MARK_HIGH


@kernel
def boost_watermark(mem: Memory) -> None:
    """Raise the zone's marks by a pageblock's frames, if it has marks and the era does so.

    The most is half as much again as the high mark, or a pageblock.
    """
    if not marked_of(mem) or not boosts_of(mem):
        return
    high = mark_of(mem, MARK_HIGH)
    most = high + (high >> 1)
    size = 1 << pageblock_order_of(mem)
    if managed_of(mem) < size << 2 or most == 0:
        if boosts_of(mem) & WAKES_UNBOOSTED:
            set_boosted(mem, 1)
        return
    set_boosted(mem, 1)
    set_boost(mem, min(boost_of(mem) + size, max(size, most)))
