"""Migratetypes as plain numbers: the twin of the spec's `migratetype`."""

from pagespec import migratetype as words
from pagespec.migratetype import FALLBACKS, REQUESTED, MigrateType

UNMOVABLE = words.UNMOVABLE.value
MOVABLE = words.MOVABLE.value
RECLAIMABLE = words.RECLAIMABLE.value
HIGHATOMIC = words.HIGHATOMIC.value
CMA = words.CMA.value
ISOLATE = words.ISOLATE.value
RESERVE = words.RESERVE.value

MOST_REQUESTED = max(REQUESTED).value
"""The largest number of a type that a request may have; those below are all of that kind."""

FIRST_FALLBACK = tuple(FALLBACKS[mt][0].value for mt in REQUESTED)
LAST_FALLBACK = tuple(FALLBACKS[mt][1].value for mt in REQUESTED)
"""By the type of a request: whose memory it may take, and whose if that has none."""

TYPES: tuple[MigrateType, ...] = tuple(MigrateType)
"""The type of each number."""
