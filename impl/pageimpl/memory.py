"""One flat buffer of 16-byte records, and the accessors by which kernels read and write it.

Every frame has a record in a *slot*. The list heads lie in the first slots of the same index
space, so that a link is a slot number wherever it points, and every field's offset is a constant.
A slot's number agrees with its frame's index modulo the largest block's size: the buddy of the
block at slot p is at `p ^ (1 << order)`.

The accessors are plain functions over a `Memory`, which refuses to leave the buffer. Compiled
code sees the buffer's address instead, and `intrinsics` lowers the same calls to single loads and
stores. So one kernel text runs in both forms.

Cost: 16 bytes a frame, one bit a frame of pair maps, and 64 KiB to 3 MiB of fixed slots.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

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


class Field(NamedTuple):
    """Where a value lies: at `offset + index * stride` bytes, `width` bytes wide, unsigned below 8.

    A stride of 0 means that there is one, and its accessors take no index.
    """

    width: int
    offset: int
    stride: int = 0


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


# The record. A list head's record holds its list's ends. Where a frame counts references, slot o
# counts the free blocks of order o. References have 32 bits: more than anybody takes one at a time.
# The type is a pageblock's, in the record of its first slot, which exists also where the zone's
# start cuts the pageblock.
next_of, set_next = record_field(4, 0)
prev_of, set_prev = record_field(4, 4)
refs_of, set_refs = record_field(4, 8)
nr_free_of, set_nr_free = record_field(4, 8)
tag_of, set_tag = record_field(1, 12)
owner_of, set_owner = record_field(1, 13)
type_of, set_type = record_field(1, 14)

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
boot_to_tail_of, set_boot_to_tail = zone_global()
moved_to_tail_of, set_moved_to_tail = zone_global()
nofragment_of, set_nofragment = zone_global()
retypes_on_merge_of, set_retypes_on_merge = zone_global()
takes_poisoned_of, set_takes_poisoned = zone_global()
returns_poisoned_of, set_returns_poisoned = zone_global()

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


LOADS += [(byte_at, Field(1, 0, 1)), (word_at, Field(8, 0, 8))]
STORES += [(set_byte, Field(1, 0, 1)), (set_word, Field(8, 0, 8))]
