"""One request of compaction as a value: the vocabulary of traces, streams, laws and engines."""

from enum import Enum, IntEnum
from typing import Literal, NamedTuple, TypeAlias, get_args

from pagespec.migratetype import MOVABLE, MigrateType
from pagespec.types import Order, Pfn

Mode: TypeAlias = Literal["async", "sync"]
"""Whether the caller will not wait for locks and full pageblocks, or will."""

MODES: tuple[Mode, ...] = get_args(Mode)

WHOLE: Order = -1
"""The order of a compaction that is for no block in particular, but for the whole zone."""

MAX_STRAY = 127
"""The largest number that a word may hold which is mistaken for an order."""


class CompactionVerb(Enum):
    """What may be asked for. The value is its word in traces.

    ALLOC, FREE: a block; whoever holds a MOVABLE one has declared that it may be moved. PIN, UNPIN:
    one more reference to it, under which it may not be. STRAY: whoever holds a block uses the word
    in which others look for its order. COMPACT: compact the zone. DIRECT: allocate, and where that
    fails compact and try again. BACKGROUND: what the worker does when it is woken for an order.
    CLAIM: every frame of a range, if all of them are free. DRAIN_ALL: what CPUs keep goes back.
    REST: kswapd falls asleep, and with it what compaction remembers, if a run has met its end.
    """

    __hash__ = object.__hash__

    ALLOC = "alloc"
    FREE = "free"
    PIN = "pin"
    UNPIN = "unpin"
    STRAY = "stray"
    COMPACT = "compact"
    DIRECT = "direct"
    BACKGROUND = "background"
    CLAIM = "claim"
    DRAIN_ALL = "drainall"
    REST = "rest"


class Result(IntEnum):
    """The outcome of COMPACT and BACKGROUND.

    SKIPPED: there was no use in trying. SUCCESS: there is such a block now, or one was captured.
    COMPLETE: the scanners met after the whole zone; PARTIAL: they met after a part of it.
    CONTENDED: it was given up, since a lock was contended or the caller is to die.
    """

    SKIPPED = 0
    SUCCESS = 1
    COMPLETE = 2
    PARTIAL = 3
    CONTENDED = 4


ANSWERS: dict[CompactionVerb, type[Result]] = {
    CompactionVerb.COMPACT: Result,
    CompactionVerb.BACKGROUND: Result,
}
"""The verbs whose outcome is one of these."""

FRAMES = frozenset({CompactionVerb.ALLOC, CompactionVerb.DIRECT, CompactionVerb.CLAIM})
"""The verbs whose outcome is a first frame, or NO_MEMORY."""


class CompactionOp(NamedTuple):
    """One request.

    cpu: who asks. order: of ALLOC, FREE, DIRECT, COMPACT and BACKGROUND; of STRAY the number that
    others take for an order, 0 to MAX_STRAY. pfn: of FREE, PIN, UNPIN and STRAY, the block's first
    frame; of CLAIM, the range's. pages: of CLAIM. mt: the type that ALLOC and DIRECT ask for, and
    that COMPACT is for. lru: of ALLOC and DIRECT, whether the block is on the LRU, or movable in
    another way. mode: of COMPACT and DIRECT. killed: of COMPACT and DIRECT, whether the caller is
    to die, so that it gives up. whole: of COMPACT, whether it is for the whole zone, as by
    /proc/sys/vm/compact_memory, whatever the order says; of DIRECT, whether it is the last resort,
    which passes over no pageblock. irq: of FREE, whether an interrupt asks.
    """

    verb: CompactionVerb
    cpu: int = 0
    order: Order = 0
    pfn: Pfn = 0
    pages: int = 0
    mt: MigrateType = MOVABLE
    lru: bool = True
    mode: Mode = "sync"
    killed: bool = False
    whole: bool = False
    irq: bool = False
