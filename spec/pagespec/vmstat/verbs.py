"""One request to the counters as a value: the vocabulary of traces, streams, laws and engines."""

from enum import Enum
from typing import Literal, NamedTuple, TypeAlias, get_args

from pagespec.types import Order
from pagespec.vmstat.machine import Item

Level: TypeAlias = Literal["min", "low", "high"]
"""A watermark by its name."""

LEVELS: tuple[Level, ...] = get_args(Level)
"""All of them, lowest first."""


class CounterVerb(Enum):
    """What counters may be asked for. The value is its word in traces."""

    __hash__ = object.__hash__

    MOD = "mod"
    INC = "inc"
    DEC = "dec"
    LAND = "land"
    REFRESH = "refresh"
    UNPLUG = "unplug"
    PLUG = "plug"
    WAKE = "wake"
    REST = "rest"
    MIN_FREE = "minfree"
    RESIZE = "resize"
    READ = "read"
    CHECK = "check"
    TAKE = "take"
    COUNT = "count"
    NUMA_OFF = "numaoff"
    NUMA_ON = "numaon"


ANSWERS = frozenset({CounterVerb.REFRESH, CounterVerb.READ, CounterVerb.CHECK, CounterVerb.TAKE})
"""The verbs whose outcome says more than that they were done."""

ALL = -1
"""In place of a zone or node: the whole machine."""

MOST_TIMES = 2**20
"""How often at most one request repeats a change."""


class CounterOp(NamedTuple):
    """One request.

    cpu: who changes, refreshes, counts, or is unplugged or plugged in. item, where: the counter, by
    its zone or node, or ALL of them to read. by: what MOD adds, in pages. times: how often INC, DEC
    and COUNT are repeated. irqs_on: of MOD, INC and DEC, whether the caller may be interrupted;
    of COUNT, whether it is all the same, which no trace says but who asks.
    open: of the same and REFRESH, whether it stops before it tells what is behind the cell, or
    behind the zones. number: of LAND, which update goes on, the oldest being 0. close: of READ,
    whether what CPUs keep is added up. level, order: of CHECK and TAKE, which mark the zone is to
    keep above, without a block of that order. reclaim: of CHECK, whether reclaim asks. preferred,
    interleave: of COUNT. pages: of RESIZE the frames, of MIN_FREE the KiB. silent: of RESIZE.
    """

    verb: CounterVerb
    cpu: int = 0
    item: Item = Item.FREE
    where: int = 0
    by: int = 0
    times: int = 1
    irqs_on: bool = False
    open: bool = False
    number: int = 0
    close: bool = False
    level: Level = "min"
    order: Order = 0
    reclaim: bool = False
    preferred: int = 0
    interleave: bool = False
    pages: int = 0
    silent: bool = False
