"""A request of compaction as a row of plain numbers: the twin of the spec's `compaction.verbs`."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pagespec.compaction import verbs as words
from pagespec.compaction.verbs import CompactionOp, CompactionVerb, Result
from pagespec.machine import MAX_CPUS, MAX_PFN

ALLOC = 0
FREE = 1
PIN = 2
UNPIN = 3
STRAY = 4
COMPACT = 5
DIRECT = 6
BACKGROUND = 7
CLAIM = 8
DRAIN_ALL = 9
REST = 10

VERBS = (
    CompactionVerb.ALLOC,
    CompactionVerb.FREE,
    CompactionVerb.PIN,
    CompactionVerb.UNPIN,
    CompactionVerb.STRAY,
    CompactionVerb.COMPACT,
    CompactionVerb.DIRECT,
    CompactionVerb.BACKGROUND,
    CompactionVerb.CLAIM,
    CompactionVerb.DRAIN_ALL,
    CompactionVerb.REST,
)
"""The verb of each number."""

NUMBER_OF = {verb: number for number, verb in enumerate(VERBS)}

WHOLE = words.WHOLE
MAX_STRAY = words.MAX_STRAY

# The results of a run; GOES_ON is none of them.
GOES_ON = -1
SKIPPED = Result.SKIPPED.value
SUCCESS = Result.SUCCESS.value
COMPLETE = Result.COMPLETE.value
PARTIAL = Result.PARTIAL.value
CONTENDED = Result.CONTENDED.value

# What is yes or no about a request, as flags of one column.
LRU = 1
ASYNC = 2
KILLED = 4
FOR_ALL = 8
IRQ = 16

# The columns of a row.
COLUMN_VERB = 0
COLUMN_CPU = 1
COLUMN_ORDER = 2
COLUMN_PFN = 3
COLUMN_PAGES = 4
COLUMN_TYPE = 5
COLUMN_FLAGS = 6
COLUMN_RESULT = 7
COLUMNS = 8

NO_CPU = 2 * MAX_CPUS - 1
"""A CPU that no machine has, in place of any that is out of range."""

BEYOND = 1 << 32
"""A number larger than any order, frame or count that a request may name."""


def _bounded(number: int) -> int:
    return min(max(number, -BEYOND), BEYOND)


def row_of(op: CompactionOp) -> tuple[int, ...]:
    """The row of a request, without its result."""
    flags = (
        LRU * op.lru
        | ASYNC * (op.mode == "async")
        | KILLED * op.killed
        | FOR_ALL * op.whole
        | IRQ * op.irq
    )
    cpu = op.cpu if 0 <= op.cpu < MAX_CPUS else NO_CPU
    pfn = op.pfn if 0 <= op.pfn < MAX_PFN else -BEYOND
    order, pages = _bounded(op.order), _bounded(op.pages)
    return NUMBER_OF[op.verb], cpu, order, pfn, pages, op.mt.value, flags, 0


def rows_of(ops: Sequence[CompactionOp]) -> npt.NDArray[np.int64]:
    """The rows of the requests, one after the other, without results."""
    return np.array([row_of(op) for op in ops], np.int64).reshape(-1)
