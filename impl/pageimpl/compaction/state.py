"""The buffer in which compaction is kept, and the accessors by which kernels read and write it.

It lies over the zone's own memory. What there is once has words at its start: the design, what is
remembered between runs, and the one run that may be under way, since requests are served one after
the other. Each slot of the zone has four words behind them: the links of isolated blocks, whether a
held block is on the LRU, what others take for its order, and whether its pageblock is passed over.

Positions are frame numbers, as in the spec; frames' words go by slots, as in the zone.

Cost: 32 bytes for each slot of the zone, 112 for each frame, and 4 KiB.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from pageimpl.memory import ALIGNMENT, Field, Memory, OutsideMemory, aligned_bytes
from pagespec.compaction.design import CLUSTER as _CLUSTER
from pagespec.types import MAX_TOP

WORD = 8

CLUSTER = _CLUSTER

NONE = 0
"""No block: slot 0 is no frame's."""

NO_FRAME = -1
"""No frame, where frame numbers are kept."""


class Calls(NamedTuple):
    """The zone's kernels that compaction calls by their addresses, as slabs call theirs.

    Otherwise their code would be compiled again into each of the many kernels above. entries: where
    their machine code begins, in the same order; 0 where nothing is compiled.
    """

    alloc: Callable[[Memory, int, int], int]
    put: Callable[[Memory, int, int], int]
    drain: Callable[[Memory, int], int]
    free: Callable[[Memory, int, int, int], int]
    entries: tuple[int, int, int, int]


class CompactionMemory:
    """The buffer of one zone that is compacted; its first words have the addresses of others."""

    __slots__ = ("address", "array", "calls", "size", "view", "zone")

    def __init__(self, size: int, zone: Memory, calls: Calls) -> None:
        self.array = aligned_bytes(size)
        self.size = size
        self.zone = zone
        self.calls = calls
        self.address = int(self.array.ctypes.data)
        self.view = self.array.data.cast("q")
        for word, address in enumerate((zone.address, *calls.entries)):
            self.view[word] = address


def zone_of(mem: CompactionMemory) -> Memory:
    """The zone that is compacted."""
    return mem.zone


def alloc_block(mem: CompactionMemory, order: int, want: int) -> int:
    """Ask the zone for a block, as its `alloc_pages` is asked."""
    return mem.calls.alloc(mem.zone, order, want)


def put_block(mem: CompactionMemory, pfn: int, want: int) -> int:
    """Drop a reference to a block of the zone, as its `put_page` does."""
    return mem.calls.put(mem.zone, pfn, want)


def drain_zone(mem: CompactionMemory, cpu: int) -> int:
    """Drain what every CPU of the zone keeps, as its `drain_every_cpu` does."""
    return mem.calls.drain(mem.zone, cpu)


def free_block_of(mem: CompactionMemory, p: int, order: int, want: int) -> int:
    """Return a block that nobody holds to the zone, as `calls.return_block` does."""
    return mem.calls.free(mem.zone, p, order, want)


CALLS: tuple[tuple[Callable[..., int], Field], ...] = (
    (alloc_block, Field(WORD, 1 * WORD)),
    (put_block, Field(WORD, 2 * WORD)),
    (drain_zone, Field(WORD, 3 * WORD)),
    (free_block_of, Field(WORD, 4 * WORD)),
)
"""Those that go to the zone, with the word that has the kernel's address."""

POINTERS: tuple[tuple[Callable[..., object], Field], ...] = ((zone_of, Field(WORD, 0)),)
"""The accessor that leads to another buffer."""

Load: TypeAlias = Callable[[CompactionMemory], int]
Store: TypeAlias = Callable[[CompactionMemory, int], None]
LoadAt: TypeAlias = Callable[[CompactionMemory, int], int]
StoreAt: TypeAlias = Callable[[CompactionMemory, int, int], None]

LOADS: list[tuple[Callable[..., int], Field]] = []
STORES: list[tuple[Callable[..., None], Field]] = []
"""Every accessor with its field, as in `memory`."""

ORDERS = MAX_TOP + 1
"""How many lists of isolated blocks there may be."""

SOURCES = CLUSTER
"""How many blocks may be isolated to be moved at a time: each has a frame at least."""

KINDS = 8
"""How many kinds of stretches with interrupts off are told apart."""

BUCKETS = 48
"""Powers of two of cycles by which they are counted."""

LONGEST = 32
"""How many of each kind are kept with their own length."""

ONCE_END = 128 * WORD
FIRST_TARGETS = ONCE_END
LAST_TARGETS = FIRST_TARGETS + ORDERS * WORD
SOURCES_FIRST = LAST_TARGETS + ORDERS * WORD
KIND_WORDS = 8
KINDS_FIRST = SOURCES_FIRST + SOURCES * WORD
BUCKETS_FIRST = KINDS_FIRST + KINDS * KIND_WORDS * WORD
LONGEST_FIRST = BUCKETS_FIRST + KINDS * BUCKETS * WORD
FRAME_WORDS = 4
FRAMES_FIRST = -(-(LONGEST_FIRST + KINDS * LONGEST * 2 * WORD) // ALIGNMENT) * ALIGNMENT
"""Where the words of slot 0 begin."""

_words = iter(range((1 + len(CALLS)) * WORD, ONCE_END, WORD))


def once() -> tuple[Load, Store]:
    """The accessors of a word that there is once."""
    field = Field(WORD, next(_words))
    index = field.offset // WORD

    def load(mem: CompactionMemory) -> int:
        value: int = mem.view[index]
        return value

    def store(mem: CompactionMemory, value: int) -> None:
        mem.view[index] = value

    LOADS.append((load, field))
    STORES.append((store, field))
    return load, store


def row(first: int, count: int, step: int = 1) -> tuple[LoadAt, StoreAt]:
    """The accessors of a row of so many words from a byte on, each so many words after the last."""
    field = Field(WORD, first, step * WORD)

    def load(mem: CompactionMemory, number: int) -> int:
        if not 0 <= number < count:
            raise OutsideMemory(number, count)
        value: int = mem.view[first // WORD + number * step]
        return value

    def store(mem: CompactionMemory, number: int, value: int) -> None:
        if not 0 <= number < count:
            raise OutsideMemory(number, count)
        mem.view[first // WORD + number * step] = value

    LOADS.append((load, field))
    STORES.append((store, field))
    return load, store


def frame_word(words: Iterator[int]) -> tuple[LoadAt, StoreAt]:
    """The accessors of the next word of a frame, by its slot."""
    offset = next(words)
    field = Field(WORD, offset, FRAME_WORDS * WORD)

    def index(mem: CompactionMemory, p: int) -> int:
        if not 0 <= p < mem.zone.slots:
            raise OutsideMemory(p, mem.zone.slots)
        return offset // WORD + p * FRAME_WORDS

    def load(mem: CompactionMemory, p: int) -> int:
        value: int = mem.view[index(mem, p)]
        return value

    def store(mem: CompactionMemory, p: int, value: int) -> None:
        mem.view[index(mem, p)] = value

    LOADS.append((load, field))
    STORES.append((store, field))
    return load, store


def _behind() -> tuple[LoadAt, StoreAt]:
    """The accessors of a word behind the frames, by its byte."""
    field = Field(WORD, 0, 1)

    def load(mem: CompactionMemory, at: int) -> int:
        if not FRAMES_FIRST <= at <= mem.size - WORD:
            raise OutsideMemory(at, mem.size)
        value: int = mem.view[at // WORD]
        return value

    def store(mem: CompactionMemory, at: int, value: int) -> None:
        if not FRAMES_FIRST <= at <= mem.size - WORD:
            raise OutsideMemory(at, mem.size)
        mem.view[at // WORD] = value

    LOADS.append((load, field))
    STORES.append((store, field))
    return load, store


word_behind, set_word_behind = _behind()

# The design, in the numbers of `choices`; what is yes or no is 1 or 0.
scan_of, set_scan = once()
targets_of, set_targets = once()
sources_of, set_sources = once()
target_mark_of, set_target_mark = once()
refused_of, set_refused = once()
stops_within_of, set_stops_within = once()
free_bound_of, set_free_bound = once()
meeting_of, set_meeting = once()
keeps_orders_of, set_keeps_orders = once()
remembers_of, set_remembers = once()
seeks_of, set_seeks = once()
captures_of, set_captures = once()
captures_movable_of, set_captures_movable = once()
skips_pinned_of, set_skips_pinned = once()
moves_others_of, set_moves_others = once()
moves_large_of, set_moves_large = once()
released_of, set_released = once()
waits_apart_of, set_waits_apart = once()
background_of, set_background = once()
heeds_skips_of, set_heeds_skips = once()
drains_after_failure_of, set_drains_after_failure = once()
drains_as_it_goes_of, set_drains_as_it_goes = once()
drains_in_parts_of, set_drains_in_parts = once()
skips_used_of, set_skips_used = once()
caches_next_of, set_caches_next = once()

# What is remembered between runs, as in the spec; the two positions of the migrate scanner are one
# for callers that will not wait, and one for those that will. Then what lies on the LRU.
cached_free_of, set_cached_free = once()
cached_async_of, set_cached_async = once()
cached_sync_of, set_cached_sync = once()
flush_of, set_flush = once()
lru_pages_of, set_lru_pages = once()
isolated_lru_of, set_isolated_lru = once()

# The run that is under way: the fields of the spec's `Run`. `target_pages` are the frames isolated
# to move blocks to.
order_of, set_order = once()
type_of, set_type = once()
cpu_of, set_cpu = once()
async_of, set_async = once()
killed_of, set_killed = once()
whole_of, set_whole = once()
direct_of, set_direct = once()
heeds_of, set_heeds = once()
told_of, set_told = once()
free_of, set_free = once()
migrate_of, set_migrate = once()
wanted_of, set_wanted = once()
contended_of, set_contended = once()
sought_of, set_sought = once()
sought_vainly_of, set_sought_vainly = once()
target_pages_of, set_target_pages = once()
nr_sources_of, set_nr_sources = once()
first_fresh_of, set_first_fresh = once()
last_fresh_of, set_last_fresh = once()

# The slot of the task that waits for a block, if there is one, and what it got, or NO_FRAME.
waits_of, set_waits = once()
captured_of, set_captured = once()

# The moves of the request, and the blocks of the last drain: how many they are, and where they are
# kept; and how many frames and list nodes the request has looked at.
nr_moves_of, set_nr_moves = once()
most_moves_of, set_most_moves = once()
moves_first_of, set_moves_first = once()
drained_first_of, set_drained_first = once()
visited_of, set_visited = once()

# Whether stretches with interrupts off are recorded, and the one that has begun: its kind, when,
# and what had been visited by then.
records_of, set_records = once()
kind_of, set_kind = once()
began_of, set_began = once()
began_at_of, set_began_at = once()

# The slots of the first and last block isolated on the list of each order, and of the held blocks
# that are to be moved, lowest first.
first_target_of, set_first_target = row(FIRST_TARGETS, ORDERS)
last_target_of, set_last_target = row(LAST_TARGETS, ORDERS)
source_at, set_source = row(SOURCES_FIRST, SOURCES)

# Of each kind of stretch: how many there were, how long all together, and the most that one
# visited; and the least of the longest, once there are LONGEST of them.
_kind = iter(range(KINDS_FIRST, BUCKETS_FIRST, WORD))
stretches_of, set_stretches = row(next(_kind), KINDS, KIND_WORDS)
cycles_of, set_cycles = row(next(_kind), KINDS, KIND_WORDS)
most_visited_of, set_most_visited = row(next(_kind), KINDS, KIND_WORDS)
least_of, set_least = row(next(_kind), KINDS, KIND_WORDS)

# By kind and power of two; and by kind and number, the longest ones' cycles and visits.
bucket_of, set_bucket = row(BUCKETS_FIRST, KINDS * BUCKETS)
longest_of, set_longest = row(LONGEST_FIRST, KINDS * LONGEST, 2)
longest_visited_of, set_longest_visited = row(LONGEST_FIRST + WORD, KINDS * LONGEST, 2)

# A frame: the next isolated block, whose order stands beside; marks of the block that it heads or
# of the pageblock that begins there; and one more than what others take for a held block's order.
_frame = iter(range(FRAMES_FIRST, FRAMES_FIRST + FRAME_WORDS * WORD, WORD))
next_target_of, set_next_target = frame_word(_frame)
target_order_of, set_target_order = frame_word(_frame)
marks_of, set_marks = frame_word(_frame)
stray_of, set_stray = frame_word(_frame)

ON_LRU = 1
ISOLATED = 2
PASSED_OVER = 4

MOVE_WORDS = 3
DRAINED_WORDS = 2
