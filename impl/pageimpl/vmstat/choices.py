"""What eras and designs of NUMA statistics have chosen, as small numbers."""

from pagespec.era import CloseReads, MarksRule
from pagespec.vmstat.numa import Reading

S8 = 0
S16 = 1
U16 = 2
LONG = 3
WIDTHS: dict[str, int] = {"s8": S8, "s16": S16, "u16": U16, "long": LONG}
WIDTH_BYTES = (1, 2, 2, 8)

# Thresholds of an item's own: a cell that is never told by who changes it, and none.
NEVER = -1
OF_PLACE = -2

UNSAID = -1
"""In place of a threshold that the machine says."""

READ_TOLD = 0
READ_CLOSE = 1
READ_TOLD_IN_ALL = 2
READ_FOLDS = 3
READINGS: dict[Reading, int] = {
    "told": READ_TOLD,
    "close": READ_CLOSE,
    "told-in-all": READ_TOLD_IN_ALL,
    "folds": READ_FOLDS,
}

NOBODY_READS_CLOSE = 0
AWAKE_READ_CLOSE = 1
RECLAIM_READS_CLOSE = 2
CLOSE_READS: dict[CloseReads, int] = {
    "never": NOBODY_READS_CLOSE,
    "while-reclaiming": AWAKE_READ_CLOSE,
    "reclaim": RECLAIM_READS_CLOSE,
}

MARKS_THIRDS = 0
MARKS_QUARTERS = 1
MARKS_SHIFT = 2
MARKS_SCALE = 3
MARKS_RULES: dict[MarksRule, int] = {
    "thirds": MARKS_THIRDS,
    "quarters": MARKS_QUARTERS,
    "shift": MARKS_SHIFT,
    "scale": MARKS_SCALE,
}

# What an update does next.
TELL_PLACE = 0
TELL_TOTAL = 1
WRITE_CELL = 2
