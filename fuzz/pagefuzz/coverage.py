"""Which events a run has reached, and which it must reach before its silence means anything.

A run that never split a block has said nothing about splitting: it is vacuous, not green.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from enum import Enum
from operator import attrgetter
from typing import TypeAlias

from pagefuzz.compaction.events import CompactionEvent, name_of_compaction_event
from pagefuzz.counters.events import CounterEvent, name_of_counter_event
from pagefuzz.late import Late
from pagefuzz.schedule.meetings import Meeting
from pagefuzz.slabs.events import SlabEvent, name_of_slab_event
from pagespec.compaction.events import Kind as Compacted
from pagespec.compaction.verbs import CompactionOp, CompactionVerb
from pagespec.events import Event, Kind
from pagespec.frames import SIZES
from pagespec.migratetype import MigrateType
from pagespec.pcp.index import COSTLY
from pagespec.slab.verbs import SlabOp, SlabVerb
from pagespec.types import FAULT, NO_MEMORY, Refusal
from pagespec.verbs import Op, Outcome, Verb
from pagespec.vmstat.verbs import CounterOp, CounterVerb
from pagespec.zone import Zone, free_blocks

Number: TypeAlias = int
"""What tells events of one kind apart: the order; the refusal's code; of a fallback the pair of
types, see `pair`; of CPUs' lists the order up to `HUGE`; 0 where nothing does."""


class Crowd(Enum):
    """What happens while nine tenths of the memory or more are given out."""

    ASKED = "request over 90 % occupancy"
    FAILED = "failure over 90 % occupancy"
    FELL_BACK = "fallback over 90 % occupancy"


Met: TypeAlias = tuple[
    Kind
    | Verb
    | Crowd
    | Late
    | CounterEvent
    | CounterVerb
    | SlabEvent
    | SlabVerb
    | Compacted
    | CompactionEvent
    | CompactionVerb
    | Meeting,
    Number,
]
"""An event, that a request of a verb was served, or what happened in a crowd, late, to counters, to
slabs, to a zone that is compacted, or between contexts."""

Reached: TypeAlias = Counter[Met]
"""How often each happened."""

BY_ORDER = frozenset(
    {Kind.ALLOC, Kind.FREE, Kind.FAIL, Kind.SPLIT, Kind.MERGE, Kind.HEAD, Kind.TAIL}
    | {Kind.GET, Kind.KEPT, Kind.TAILS, Kind.REFUSE}
)
"""The kinds that are told apart by the event's order, or by the code that stands in its place."""

OF_LISTS = frozenset({Kind.REFILL, Kind.FROM_LIST, Kind.TO_LIST, Kind.PCPU_DRAIN})
"""The kinds that are told apart by the order of the list, of which huge ones count as one."""

HUGE = COSTLY + 1
"""Stands for the order of huge pages, which differs by machine."""


def pair(mt: MigrateType, from_mt: MigrateType) -> Number:
    """A number for a request of type mt that a block of another type served."""
    return mt * len(MigrateType) + from_mt


_told = attrgetter("kind", "order", "mt", "from_mt")


def events_of(log: Iterable[Event]) -> Reached:
    """How often the log has each event."""
    reached: Reached = Counter()
    # Most of a log is the same few events over and over.
    seen = Counter(map(_told, log))
    for (kind, order, mt, from_mt), count in seen.items():
        number = 0
        if kind in BY_ORDER:
            number = order
        elif kind in OF_LISTS:
            number = min(order, HUGE)
        elif kind is Kind.EXTFRAG:
            number = pair(mt, from_mt)
        reached[kind, number] += count
    return reached


def is_crowded(managed: int, given_out: int) -> bool:
    """Whether so many frames are nine tenths of those that the allocator manages, or more."""
    return 10 * given_out >= 9 * managed


def events_in_crowd(outcome: Outcome, log: Iterable[Event]) -> Iterator[Met]:
    """What a request of a crowded machine met, of which log has the events as far as they show."""
    yield Crowd.ASKED, 0
    if outcome == NO_MEMORY:
        yield Crowd.FAILED, 0
    if any(event.kind is Kind.EXTFRAG for event in log):
        yield Crowd.FELL_BACK, 0


def verbs_served(
    done: Iterable[tuple[Op | CounterOp | SlabOp | CompactionOp, Outcome]],
) -> Reached:
    """How often requests of each verb were served.

    Several verbs bring about the same events: that a range was isolated says not who asked for it.
    """
    served = Counter(op.verb for op, outcome in done if outcome >= 0)
    return Counter({(verb, 0): count for verb, count in served.items()})


def events_from_outside(op: Op, outcome: Outcome) -> Iterator[tuple[Kind, Number]]:
    """The events that a caller can tell from a request and its outcome alone."""
    if outcome == FAULT:
        return
    if op.verb is Verb.ALLOC and outcome == NO_MEMORY:
        yield Kind.FAIL, op.order
    elif outcome <= max(Refusal):
        # Reasons may go unsaid.
        yield Kind.REFUSE, Refusal.UNSAID
    elif op.verb is Verb.ALLOC:
        yield Kind.ALLOC, op.order
    elif op.verb is Verb.FREE:
        yield Kind.FREE, op.order


def events_between(
    before: Zone, op: Op, outcome: Outcome, after: Zone
) -> Iterator[tuple[Kind, Number]]:
    """The splits and merges that two states show, for an allocator that logs nothing.

    A block that was cut lost its order step by step, and one that grew gained it so.
    """
    was, becomes = set(free_blocks(before)), set(free_blocks(after))
    if op.verb is Verb.ALLOC and outcome >= 0:
        for pfn, order in was - becomes:
            if pfn <= outcome < pfn + SIZES[order]:
                yield from ((Kind.SPLIT, higher) for higher in range(op.order + 1, order + 1))
    elif outcome == 0 and op.pfn in before.held and op.pfn not in after.held:
        freed = before.held[op.pfn].order
        for pfn, order in becomes - was:
            if pfn <= op.pfn < pfn + SIZES[order]:
                yield from ((Kind.MERGE, lower) for lower in range(freed, order))


def name_of_event(event: Met) -> str:
    """The event in words, for a table."""
    kind, number = event
    if isinstance(kind, CounterEvent):
        return name_of_counter_event(kind, number)
    if isinstance(kind, CounterVerb):
        return f"{kind.value} of counters served"
    if isinstance(kind, SlabEvent):
        return name_of_slab_event(kind, number)
    if isinstance(kind, SlabVerb):
        return f"{kind.value} of objects served"
    if isinstance(kind, Compacted | CompactionEvent):
        return name_of_compaction_event(kind, number)
    if isinstance(kind, CompactionVerb):
        return f"{kind.value} of a zone that is compacted served"
    if isinstance(kind, Verb):
        return f"{kind.value} served"
    if isinstance(kind, Crowd):
        return kind.value
    if isinstance(kind, Late):
        return kind.value
    if isinstance(kind, Meeting):
        return kind.value
    if kind is Kind.REFUSE:
        return f"{kind.value}: {Refusal(number).name}"
    if kind is Kind.EXTFRAG:
        mt, from_mt = (MigrateType(part).name for part in divmod(number, len(MigrateType)))
        return f"{kind.value}: {mt} from {from_mt}"
    if kind in OF_LISTS and number == HUGE:
        return f"{kind.value} at the order of huge pages"
    return f"{kind.value} at order {number}" if kind in BY_ORDER | OF_LISTS else kind.value
