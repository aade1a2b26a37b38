"""The boost: a fallback that breaks up a pageblock makes kswapd work ahead for a while.

Source: mm/page_alloc.c (boost_watermark), 5.0 to 6.12.
"""

from pagespec.events import Event, Kind
from pagespec.frames import SIZES
from pagespec.highatomic import managed_pages
from pagespec.pageblock import pageblock_order
from pagespec.watermark.marks import boosted
from pagespec.zone import Zone


def boost_watermark(zone: Zone) -> None:
    """Raise the zone's marks by a pageblock's frames, if it has marks and the era does so.

    Until 5.10 kswapd was told to wake also where nothing was raised.
    """
    levels = zone.levels
    if levels is None or not zone.machine.era.boosts:
        return
    size = SIZES[pageblock_order(zone)]
    pages = managed_pages(zone)
    if boosted(0, levels.marks.high, pages, size) == 0:
        levels.boosted = levels.boosted or zone.machine.era.wakes_unboosted
        return
    levels.boost = boosted(levels.boost, levels.marks.high, pages, size)
    # Also when no boost was left to add.
    levels.boosted = True
    zone.log.append(Event(Kind.BOOSTED, 0, pageblock_order(zone)))
