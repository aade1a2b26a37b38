"""A request to the counters as a row of plain numbers: the twin of the spec's `vmstat.verbs`."""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from pagespec.verbs import Outcome
from pagespec.vmstat.machine import Item
from pagespec.vmstat.verbs import LEVELS, CounterOp, CounterVerb

MOD = 0
INC = 1
DEC = 2
LAND = 3
REFRESH = 4
UNPLUG = 5
PLUG = 6
WAKE = 7
REST = 8
MIN_FREE = 9
RESIZE = 10
READ = 11
CHECK = 12
TAKE = 13
COUNT = 14
NUMA_OFF = 15
NUMA_ON = 16

VERBS = (
    CounterVerb.MOD,
    CounterVerb.INC,
    CounterVerb.DEC,
    CounterVerb.LAND,
    CounterVerb.REFRESH,
    CounterVerb.UNPLUG,
    CounterVerb.PLUG,
    CounterVerb.WAKE,
    CounterVerb.REST,
    CounterVerb.MIN_FREE,
    CounterVerb.RESIZE,
    CounterVerb.READ,
    CounterVerb.CHECK,
    CounterVerb.TAKE,
    CounterVerb.COUNT,
    CounterVerb.NUMA_OFF,
    CounterVerb.NUMA_ON,
)
"""The verb of each number."""

NUMBER_OF = {verb: number for number, verb in enumerate(VERBS)}

# The items; from HIT on they are NUMA statistics.
FREE = 0
CMA = 1
ISOLATED = 2
HIT = 3
MISS = 4
FOREIGN = 5
INTERLEAVE = 6
LOCAL = 7
OTHER = 8

ITEMS = (
    Item.FREE,
    Item.CMA,
    Item.ISOLATED,
    Item.HIT,
    Item.MISS,
    Item.FOREIGN,
    Item.INTERLEAVE,
    Item.LOCAL,
    Item.OTHER,
)
"""The item of each number."""

ITEM_NUMBERS = {item: number for number, item in enumerate(ITEMS)}

MOST_OPENED = len(ITEMS)
"""How many updates one request puts under way at most: one for each item, by a refresh."""

# The columns of a row. What else a verb says besides these goes by the amount: of MOD what it adds,
# of LAND the number, of CHECK and TAKE the order, of COUNT the preferred zone, of RESIZE and
# MIN_FREE pages and KiB.
COLUMN_VERB = 0
COLUMN_CPU = 1
COLUMN_ITEM = 2
COLUMN_WHERE = 3
COLUMN_AMOUNT = 4
COLUMN_TIMES = 5
COLUMN_FLAGS = 6
COLUMN_RESULT = 7
COLUMNS = 8

IRQS_ON = 1
OPEN = 2
CLOSE = 4
RECLAIM = 8
INTERLEAVED = 16
SILENT = 32
LEVEL_SHIFT = 6

LEVEL_MIN = 0
LEVEL_LOW = 1
LEVEL_HIGH = 2

BEYOND = 2**62
"""A number larger than any that a request may name; larger ones are cut off here."""

AMOUNTS: dict[CounterVerb, str] = {
    CounterVerb.MOD: "by",
    CounterVerb.INC: "by",
    CounterVerb.DEC: "by",
    CounterVerb.LAND: "number",
    CounterVerb.CHECK: "order",
    CounterVerb.TAKE: "order",
    CounterVerb.COUNT: "preferred",
    CounterVerb.RESIZE: "pages",
    CounterVerb.MIN_FREE: "pages",
}
"""What of a request is its amount."""


def _bounded(number: int) -> int:
    return min(max(number, -BEYOND), BEYOND)


def numbers_of(op: CounterOp) -> tuple[int, int, int, int, int, int, int]:
    """A row's columns up to the result."""
    amount: int = getattr(op, AMOUNTS[op.verb]) if op.verb in AMOUNTS else 0
    return (
        NUMBER_OF[op.verb],
        _bounded(op.cpu),
        ITEM_NUMBERS[op.item],
        _bounded(op.where),
        _bounded(amount),
        _bounded(op.times),
        IRQS_ON * op.irqs_on
        | OPEN * op.open
        | CLOSE * op.close
        | RECLAIM * op.reclaim
        | INTERLEAVED * op.interleave
        | SILENT * op.silent
        | LEVELS.index(op.level) << LEVEL_SHIFT,
    )


def rows_of(ops: Iterable[CounterOp]) -> npt.NDArray[np.int64]:
    """A row for each request, without results."""
    rows = [(*numbers_of(op), 0) for op in ops]
    return np.array(rows, np.int64).reshape(len(rows), COLUMNS)


def op_of(row: Sequence[int]) -> tuple[CounterOp, Outcome]:
    """The request of a row as far as its verb tells it, and what the twin answered."""
    verb, cpu, item, where, amount, times, flags, result = row
    name = AMOUNTS.get(VERBS[verb])
    op = CounterOp(
        VERBS[verb],
        cpu,
        ITEMS[item],
        where,
        by=amount if name == "by" else 0,
        times=times,
        irqs_on=flags & IRQS_ON != 0,
        open=flags & OPEN != 0,
        number=amount if name == "number" else 0,
        close=flags & CLOSE != 0,
        level=LEVELS[flags >> LEVEL_SHIFT],
        order=amount if name == "order" else 0,
        reclaim=flags & RECLAIM != 0,
        preferred=amount if name == "preferred" else 0,
        interleave=flags & INTERLEAVED != 0,
        pages=amount if name == "pages" else 0,
        silent=flags & SILENT != 0,
    )
    return op, result
