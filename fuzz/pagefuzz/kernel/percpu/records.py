"""What events say of the CPUs' lists, noted in order: who moved which blocks, under one lock.

Runs of events are one record: a refill takes its blocks under one hold of the zone's lock, a drain
gives them back under one. Nothing is judged yet, because which list a freed block is on often shows
only when it leaves: the pageblock's type is in no event.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from pagespec.migratetype import MigrateType
from pagespec.types import Block, Order, Pfn


class Refill(NamedTuple):
    """A CPU took blocks from the buddy, one after the other, for requests of one type.

    lines: of each block's event. dry: whether the zone had no free block of that order left. torn:
    whether it may go on before the start, where it took `before` blocks, or behind the trace's end.
    """

    line: int
    cpu: int
    zone: int
    order: Order
    mt: MigrateType | None
    in_interrupt: bool
    blocks: list[Pfn]
    lines: list[int]
    torn: bool = False
    before: int = 0
    dry: bool = False


class Freed(NamedTuple):
    """A block came back; mt is its pageblock's type at that time, if known.

    torn: whether what follows at once, or that it is listed, may lie behind the trace's end.
    """

    line: int
    cpu: int
    zone: int
    block: Block
    mt: MigrateType | None
    in_interrupt: bool
    task: str
    torn: bool = False


class Allocated(NamedTuple):
    """A request was served; captured: from the buddy, by compaction."""

    line: int
    cpu: int
    zone: int
    block: Block
    mt: MigrateType | None
    captured: bool


class Returned(NamedTuple):
    """A block that went back to the buddy, with the type that its event prints."""

    line: int
    block: Block
    mt: MigrateType | None


class Drained(NamedTuple):
    """A CPU gave blocks back to the buddy, its own or another CPU's.

    after: the record of the free that the CPU was at, if its last event was one. torn: whether it
    may go on before the start, or behind the trace's end.
    """

    line: int
    cpu: int
    zone: int
    blocks: list[Returned]
    task: str
    after: int | None
    torn: bool = False


class Kswapd(NamedTuple):
    """A node's reclaimer woke up or went to sleep."""

    line: int
    node: int
    awake: bool


class Met(NamedTuple):
    """A snapshot was read, whose sizes hold from here. certain: nothing moved meanwhile."""

    line: int
    name: str
    certain: bool


Record: TypeAlias = Refill | Freed | Allocated | Drained | Kswapd | Met


class Fate(Enum):
    """What is next seen of a block that a list got."""

    ALLOCATED = "allocated"
    DRAINED = "drained"
    TAKEN = "taken from the buddy"
    FREED = "freed"
    UNSEEN = "not seen again"

    @property
    def silent(self) -> bool:
        """Whether nothing takes it off its list: if it went, it went in a bulk request."""
        return self in (Fate.FREED, Fate.UNSEEN)


class Next(NamedTuple):
    """The next sight of a block, and the type that it shows."""

    fate: Fate
    mt: MigrateType | None = None


NEVER = Next(Fate.UNSEEN)


@dataclass
class Notes:
    """All records so far, and what each CPU is at.

    A record of None is a free that turned out to be listed later, with a batch.
    batches: each zone's batch at the start. refills, drains, at_free, frees: numbers of records, of
        each CPU's refill and drain under way, of the free that is its last event, of each frame's
        last free.
    pending: numbers of each CPU's frees since it last did something else which may be listed later.
    moved: the line of the last block that was noted.
    before: each CPU's last kind of event before the start.
    opening: the line of each CPU's first event from the start if it may go on with that, else 0.
    """

    batches: tuple[int, ...]

    records: list[Record | None] = field(default_factory=list)
    refills: dict[int, int] = field(default_factory=dict)
    drains: dict[int, int] = field(default_factory=dict)
    at_free: dict[int, int] = field(default_factory=dict)
    frees: dict[Pfn, int] = field(default_factory=dict)
    pending: dict[int, set[int]] = field(default_factory=dict)
    moved: int = 0
    before: dict[int, str] = field(default_factory=dict)
    opening: dict[int, int] = field(default_factory=dict)


def blocks_of_batch(batch: int, order: Order) -> int:
    """Return how many blocks make a batch of frames: two at least, unless it is a single frame."""
    return max(batch >> order, 2) if batch > 1 else batch


def fates(records: list[Record | None]) -> list[tuple[Next, ...]]:
    """Return for each record what is next seen of each of its blocks; none but for frees, refills.

    A block is matched with the next line that names its first frame: the runs of two CPUs overlap.
    """
    found: list[list[Next]] = [[] for _ in records]
    last: dict[Pfn, Next] = {}
    for _, at, pfn, sight in sorted(_sights(records), key=itemgetter(0), reverse=True):
        if sight.fate in (Fate.TAKEN, Fate.FREED):
            found[at].append(last.get(pfn, NEVER))
        last[pfn] = sight
    return [tuple(reversed(each)) for each in found]


def _sights(records: list[Record | None]) -> Iterator[tuple[int, int, Pfn, Next]]:
    for at, record in enumerate(records):
        match record:
            case Refill(mt=mt, blocks=blocks, lines=lines):
                for line, pfn in zip(lines, blocks, strict=True):
                    yield line, at, pfn, Next(Fate.TAKEN, mt)
            case Freed(line=line, block=block):
                yield line, at, block.pfn, Next(Fate.FREED)
            case Allocated(line=line, block=block, mt=mt):
                yield line, at, block.pfn, Next(Fate.ALLOCATED, mt)
            case Drained(blocks=drained):
                for each in drained:
                    yield each.line, at, each.block.pfn, Next(Fate.DRAINED, each.mt)
            case _:
                pass
