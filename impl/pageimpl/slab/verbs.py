"""A request for objects as a row of plain numbers: the twin of the spec's `slab.verbs`.

The addresses of a request lie behind all rows, in a run of words that its row names, each followed
by whether it is one that is withheld.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pagespec.slab.verbs import SlabOp, SlabVerb

ALLOC = 0
FREE = 1
ALLOC_BULK = 2
FREE_BULK = 3
LARGE = 4
CREATE = 5
DESTROY = 6
SHRINK = 7
RELEASE = 8
FLUSH = 9
REAP = 10
GROUP = 11
OFFLINE = 12

VERBS = (
    SlabVerb.ALLOC,
    SlabVerb.FREE,
    SlabVerb.ALLOC_BULK,
    SlabVerb.FREE_BULK,
    SlabVerb.LARGE,
    SlabVerb.CREATE,
    SlabVerb.DESTROY,
    SlabVerb.SHRINK,
    SlabVerb.RELEASE,
    SlabVerb.FLUSH,
    SlabVerb.REAP,
    SlabVerb.GROUP,
    SlabVerb.OFFLINE,
)
"""The verb of each number."""

NUMBER_OF = {verb: number for number, verb in enumerate(VERBS)}

# The columns of a row. A run of addresses begins at the word FIRST of the whole table and has as
# many as COUNT says; of ALLOC_BULK that is how many objects are asked for.
COLUMN_VERB = 0
COLUMN_CPU = 1
COLUMN_CACHE = 2
COLUMN_GROUP = 3
COLUMN_COUNT = 4
COLUMN_FIRST = 5
COLUMN_SIZE = 6
COLUMN_ORDER = 7
COLUMN_KEPT = 8
COLUMN_PARTIALS = 9
COLUMN_BATCH = 10
COLUMN_SHARED = 11
COLUMN_STRAY = 12
COLUMN_RESULT = 13
COLUMNS = 16

UNSAID = -(2**62)
"""A size that a request leaves to the formulas."""

NO_ROOM = -(2**61)
"""What a kernel returns, before anything changes, where the buffer must be larger first."""

BEYOND = 2**60
"""A number larger than any that a request may name; larger ones are cut off here."""


def _bounded(number: int) -> int:
    return min(max(number, -BEYOND), BEYOND)


def _said(number: int | None) -> int:
    return UNSAID if number is None else _bounded(number)


def rows_of(ops: Sequence[SlabOp]) -> npt.NDArray[np.int64]:
    """The rows of the requests, without results, and their addresses behind them."""
    words: list[int] = []
    behind: list[int] = []
    for op in ops:
        first = len(ops) * COLUMNS + len(behind)
        count = op.objects if op.verb is SlabVerb.ALLOC_BULK else len(op.addresses)
        words += (NUMBER_OF[op.verb], _bounded(op.cpu), _bounded(op.cache), _bounded(op.group))
        words += (_bounded(count), first, _bounded(op.size), _said(op.order))
        words += (_said(op.objects_kept), _said(op.partials), _said(op.batch), _said(op.shared))
        words += (any(address not in op.addresses for address in op.withheld),)
        words += (0,) * (COLUMNS - COLUMN_RESULT)
        for address in op.addresses:
            behind += (_bounded(address), address in op.withheld)
    return np.array(words + behind, np.int64)
