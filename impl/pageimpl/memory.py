"""One flat buffer of 16-byte records, and the accessors by which kernels read and write it.

Every frame has a record in a *slot*. The list heads lie in the first slots of the same index
space, so that a link is a slot number wherever it points, and every field's offset is a constant.
A slot's number agrees with its frame's index modulo the largest block's size: the buddy of the
block at slot p is at `p ^ (1 << order)`.

The accessors are plain functions over a `Memory`, which refuses to leave the buffer. Compiled
code sees the buffer's address instead, and `intrinsics` lowers the same calls to single loads and
stores. So one kernel text runs in both forms.

Behind the frames' slots lie those of the CPUs' lists, which `pcp.state` describes.

Cost: 16 bytes a frame, one bit a frame of pair maps, 64 KiB to 3 MiB of fixed slots, and 384 bytes
for each CPU's lists, twice that where hot and cold ones are kept apart.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from pageimpl.atomics import adder, adder_at, comparer_at, exchanger, releaser
from pagespec.machine import MAX_SLOTS
from pagespec.types import ZoneClass

RECORD = 16
"""Bytes of a record."""

HEAD_SLOTS = 4096
"""Slots before the first frame's."""

TYPES_SHIFT = 3
"""The head of the free list of order o and type t is slot o << 3 | t."""

ALIGNMENT = 64
"""Bytes of a cache line, to which every buffer is aligned."""

# The tag byte of a frame: 0, or a mark above the order of the block that the frame heads. BUDDY
# marks a free block; a guard, which merges like one and is on no list, has both marks.
BUDDY = 0x10
GUARD = 0x20
ORDER_BITS = 0x0F

# The owner byte of a frame. A present frame starts as NEVER. Of a block that is held, the head is
# marked, and the byte also has the block's order and the type that was asked for. Other frames
# have bits: whether they ever headed such a block, and whether they are poisoned or start a
# pageblock that is offline.
NEVER = 0
GIVEN = 1
HOLE = 2
POISONED = 4
OFFLINE = 8
HELD = 0x80
COMPOUND = 0x40
TYPE_BITS = 0x30
TYPE_SHIFT = 4


class OutsideMemory(IndexError):
    """Plain code reached for a slot that the buffer does not have.

    Compiled code would have read whatever lies there.
    """

    def __init__(self, index: int, count: int) -> None:
        super().__init__(f"index {index} is outside the buffer: expected 0 to {count - 1}")


def aligned_bytes(size: int) -> npt.NDArray[np.uint8]:
    """That many zero bytes, aligned to a cache line."""
    raw = np.zeros(size + ALIGNMENT, np.uint8)
    return raw[-raw.ctypes.data % ALIGNMENT :][:size]


class Memory:
    """The buffer of one zone: `slots` records, then `map_bytes` bytes of pair bits."""

    __slots__ = ("address", "array", "slots", "views")

    def __init__(self, slots: int, map_bytes: int = 0) -> None:
        # Whole words, so that one buffer can be seen at every width.
        self.array = aligned_bytes(slots * RECORD + -(-map_bytes // 8) * 8)
        self.slots = slots
        self.address = int(self.array.ctypes.data)
        octets = self.array.data
        self.views = {1: octets, 4: octets.cast("I"), 8: octets.cast("q")}


class Words:
    """A buffer of int64 words beside a zone, for streams and walks."""

    __slots__ = ("address", "array", "view")

    def __init__(self, count: int) -> None:
        self.array: npt.NDArray[np.int64] = aligned_bytes(count * 8).view(np.int64)
        self.address = int(self.array.ctypes.data)
        self.view = self.array.data


class Zones:
    """The zones that may serve a request, in the order in which they are tried: their addresses."""

    __slots__ = ("address", "array", "memories")

    def __init__(self, memories: Sequence[Memory]) -> None:
        self.memories = tuple(memories)
        self.array: npt.NDArray[np.int64] = np.array([m.address for m in memories], np.int64)
        self.address = int(self.array.ctypes.data)


class Field(NamedTuple):
    """Where a value lies: at `offset + index * stride` bytes, `width` bytes wide.

    A stride of 0 means that there is one, and its accessors take no index. signed: of a value
    narrower than a word, whether it may be below 0.
    """

    width: int
    offset: int
    stride: int = 0
    signed: bool = False


Load: TypeAlias = Callable[[Memory], int]
Store: TypeAlias = Callable[[Memory, int], None]
LoadAt: TypeAlias = Callable[[Memory, int], int]
StoreAt: TypeAlias = Callable[[Memory, int, int], None]

LOADS: list[tuple[Callable[..., int], Field]] = []
STORES: list[tuple[Callable[..., None], Field]] = []
"""Every accessor with its field: the table from which compiled code gets its loads and stores."""


def record_field(width: int, offset: int) -> tuple[LoadAt, StoreAt]:
    """The accessors of a field that every record has."""
    field = Field(width, offset, RECORD)
    step, first, mask = RECORD // width, offset // width, (1 << 8 * width) - 1

    def load(mem: Memory, p: int) -> int:
        if not 0 <= p < mem.slots:
            raise OutsideMemory(p, mem.slots)
        value: int = mem.views[width][p * step + first]
        return value

    def store(mem: Memory, p: int, value: int) -> None:
        if not 0 <= p < mem.slots:
            raise OutsideMemory(p, mem.slots)
        mem.views[width][p * step + first] = value & mask

    LOADS.append((load, field))
    STORES.append((store, field))
    return load, store


GLOBALS = 252 * RECORD
"""The first byte of the zone's own values: apart from the heads that an allocation scans."""

_globals = iter(range(GLOBALS, HEAD_SLOTS * RECORD, 8))


def zone_global() -> tuple[Load, Store]:
    """The accessors of a value that the zone has once."""
    field = Field(8, next(_globals))
    at = field.offset // 8

    def load(mem: Memory) -> int:
        value: int = mem.views[8][at]
        return value

    def store(mem: Memory, value: int) -> None:
        mem.views[8][at] = value

    LOADS.append((load, field))
    STORES.append((store, field))
    return load, store


def zone_row(count: int) -> tuple[LoadAt, StoreAt]:
    """The accessors of a row of values that the zone has once."""
    field = Field(8, next(_globals), 8)
    first = field.offset // 8
    for _ in range(count - 1):
        next(_globals)

    def load(mem: Memory, at: int) -> int:
        if not 0 <= at < count:
            raise OutsideMemory(at, count)
        value: int = mem.views[8][first + at]
        return value

    def store(mem: Memory, at: int, value: int) -> None:
        if not 0 <= at < count:
            raise OutsideMemory(at, count)
        mem.views[8][first + at] = value

    LOADS.append((load, field))
    STORES.append((store, field))
    return load, store


# The record. A list head's record holds its list's ends. Where a frame counts references, slot o
# counts the free blocks of order o. References have 32 bits: more than anybody takes one at a time.
# The type is a pageblock's, in the record of its first slot, which exists also where the zone's
# start cuts the pageblock. A block on a CPU's list has the type that it was listed with, and the
# head of such a list the order of its blocks.
next_of, set_next = record_field(4, 0)
prev_of, set_prev = record_field(4, 4)
refs_of, set_refs = record_field(4, 8)
add_refs = adder_at(refs_of, set_refs)
nr_free_of, set_nr_free = record_field(4, 8)
tag_of, set_tag = record_field(1, 12)
owner_of, set_owner = record_field(1, 13)
type_of, set_type = record_field(1, 14)
listed_type_of, set_listed_type = record_field(1, 15)
listed_order_of, set_listed_order = record_field(1, 15)

# The zone. A frame's slot is its pfn plus the shift; frames lie in slots [first, end). `managed`
# are the frames that the allocator looks after, `listed` has a bit for each type with lists.
top_of, set_top = zone_global()
free_pages_of, set_free_pages = zone_global()
shift_of, set_shift = zone_global()
first_of, set_first = zone_global()
end_of, set_end = zone_global()
design_of, set_design = zone_global()
placement_of, set_placement = zone_global()
origin_of, set_origin = zone_global()
span_of, set_span = zone_global()
map_of, set_map = zone_global()
managed_of, set_managed = zone_global()
listed_of, set_listed = zone_global()
pageblock_order_of, set_pageblock_order = zone_global()
isolation_order_of, set_isolation_order = zone_global()
guard_of, set_guard = zone_global()
free_cma_of, set_free_cma = zone_global()
free_highatomic_of, set_free_highatomic = zone_global()
nr_reserved_of, set_nr_reserved = zone_global()

# The era's choices, in the numbers of `era`; those that are yes or no are 1 or 0.
barrier_of, set_barrier = zone_global()
fallback_of, set_fallback = zone_global()
cma_rule_of, set_cma_rule = zone_global()
isolation_of, set_isolation = zone_global()
reserve_of, set_reserve = zone_global()
reserve_order_of, set_reserve_order = zone_global()
boot_to_tail_of, set_boot_to_tail = zone_global()
moved_to_tail_of, set_moved_to_tail = zone_global()
nofragment_of, set_nofragment = zone_global()
retypes_on_merge_of, set_retypes_on_merge = zone_global()
takes_poisoned_of, set_takes_poisoned = zone_global()
returns_poisoned_of, set_returns_poisoned = zone_global()

# What all requests count, and whether there is more to ask than the buddy: lists or marks, or
# threads that share the zone. Then what decides for each request whether a CPU's lists serve it:
# bit o says whether blocks of order o are kept in lists at all, and a want with any of the barring
# flags may not use them.
pgalloc_of, set_pgalloc = zone_global()
pgfree_of, set_pgfree = zone_global()
add_pgalloc, add_pgfree = adder(pgalloc_of, set_pgalloc), adder(pgfree_of, set_pgfree)
extended_of, set_extended = zone_global()
shared_of, set_shared = zone_global()
kept_orders_of, set_kept_orders = zone_global()
barring_of, set_barring = zone_global()

# The CPUs' lists: where those of CPU 0 start, how far apart the CPUs' are as a power of two, and
# the era's choices. `tail_flags` are those of a want that mean the end of a list.
cpus_of, set_cpus = zone_global()
lists_first_of, set_lists_first = zone_global()
sets_shift_of, set_sets_shift = zone_global()
tail_flags_of, set_tail_flags = zone_global()
nr_lists_of, set_nr_lists = zone_global()
huge_rule_of, set_huge_rule = zone_global()
tuning_of, set_tuning = zone_global()
buddy_after_lists_of, set_buddy_after_lists = zone_global()
drains_from_preferred_of, set_drains_from_preferred = zone_global()
drains_each_pageblock_of, set_drains_each_pageblock = zone_global()
can_disable_of, set_can_disable = zone_global()
counts_operations_of, set_counts_operations = zone_global()
bulk_rule_of, set_bulk_rule = zone_global()

# How large the lists are without what they learn: the batch; `high` where the machine sets it, or
# -1; what the CPUs share without watermarks, what they shared when they were sized, and what they
# share at most. Then whether they keep nothing for now, and how many pageblocks are isolated and
# not offline.
list_batch_of, set_list_batch = zone_global()
list_high_of, set_list_high = zone_global()
default_low_mark_of, set_default_low_mark = zone_global()
sized_low_of, set_sized_low = zone_global()
eighth_of, set_eighth = zone_global()
disabled_of, set_disabled = zone_global()
nr_isolated_of, set_nr_isolated = zone_global()

# The watermarks, if there are any: min, low and high, what is kept from each class of requests, and
# the era's choices.
marked_of, set_marked = zone_global()
mark_of, set_mark = zone_row(3)
boost_of, set_boost = zone_global()
boosted_of, set_boosted = zone_global()
below_high_of, set_below_high = zone_global()
reclaiming_of, set_reclaiming = zone_global()
classes_of, set_classes = zone_global()
lowmem_reserve_of, set_lowmem_reserve = zone_row(len(ZoneClass))
rights_rule_of, set_rights_rule = zone_global()
order_check_of, set_order_check = zone_global()
shortcut_of, set_shortcut = zone_global()
boosts_of, set_boosts = zone_global()
tries_high_first_of, set_tries_high_first = zone_global()
drains_on_failure_of, set_drains_on_failure = zone_global()

# How free frames are counted: in one word, or in the ways below; what a refill or drain gathers,
# and whether drains do that. What CPUs keep of the counts, from which threshold
# on they tell, and below which count a zone is looked at closely, if it ever is; whether every zone
# has such a mark from boot. The CPU at work, whether it drains the lists of others itself, and
# whether it refreshes those that are gone.
counting_of, set_counting = zone_global()
gathered_of, set_gathered = zone_global()
counts_drain_once_of, set_counts_drain_once = zone_global()
kept_free_of, set_kept_free = zone_global()
kept_cma_of, set_kept_cma = zone_global()
add_kept_free = adder(kept_free_of, set_kept_free)
add_kept_cma = adder(kept_cma_of, set_kept_cma)
cell_threshold_of, set_cell_threshold = zone_global()
drift_mark_of, set_drift_mark = zone_global()
early_drift_marks_of, set_early_drift_marks = zone_global()
looks_closely_of, set_looks_closely = zone_global()
lowers_thresholds_of, set_lowers_thresholds = zone_global()
on_cpu_of, set_on_cpu = zone_global()
drains_remotely_of, set_drains_remotely = zone_global()
refreshes_unplugged_of, set_refreshes_unplugged = zone_global()

COUNTS_IN_CELLS = 1
"""Each CPU keeps a part of what it counts."""

GATHERS = 2
"""A refill or drain is under way that counts once, when it ends."""

# The slot of the frame that each slot of the array of bulk requests holds, or 0.
frame_in_array_of, set_frame_in_array = zone_row(MAX_SLOTS)
compare_frame_in_array = comparer_at(frame_in_array_of, set_frame_in_array)

# The zone's lock, 1 while somebody has it: apart from what is read by those who wait for it.
for _ in range(8):
    next(_globals)
zone_lock_of, set_zone_lock = zone_global()
exchange_zone_lock = exchanger(zone_lock_of, set_zone_lock)
release_zone_lock = releaser(zone_lock_of, set_zone_lock)

ONE_PAGEBLOCK = 62
"""The order of pageblocks on a machine without any: one that holds every slot and starts at slot 0,
whose type is 0. So what such a machine does needs no branch of its own."""


def byte_at(mem: Memory, at: int) -> int:
    """The byte at an offset into the buffer: how pair maps are read."""
    if not 0 <= at < len(mem.array):
        raise OutsideMemory(at, len(mem.array))
    value: int = mem.views[1][at]
    return value


def set_byte(mem: Memory, at: int, value: int) -> None:
    """Write the byte at an offset into the buffer."""
    if not 0 <= at < len(mem.array):
        raise OutsideMemory(at, len(mem.array))
    mem.views[1][at] = value & 0xFF


def word_at(words: Words, at: int) -> int:
    """The word at an index."""
    if not 0 <= at < len(words.array):
        raise OutsideMemory(at, len(words.array))
    value: int = words.view[at]
    return value


def set_word(words: Words, at: int, value: int) -> None:
    """Write the word at an index."""
    if not 0 <= at < len(words.array):
        raise OutsideMemory(at, len(words.array))
    words.view[at] = value


add_word = adder_at(word_at, set_word)


def zone_at(zones: Zones, at: int) -> Memory:
    """The zone of that number."""
    if not 0 <= at < len(zones.memories):
        raise OutsideMemory(at, len(zones.memories))
    return zones.memories[at]


def alone(mem: Memory) -> Zones:
    """The zone as the only one that may serve, for as long as the calling kernel runs."""
    return Zones([mem])


LOADS += [(byte_at, Field(1, 0, 1)), (word_at, Field(8, 0, 8))]
STORES += [(set_byte, Field(1, 0, 1)), (set_word, Field(8, 0, 8))]
