"""The buffer in which caches are kept, and the accessors by which kernels read and write it.

Each frame has a *row* of one cache line, as the kernel has its `struct page`; the row of a slab's
first frame says how the slab stands. A cache has a *record*: a few lines of its own, and one area
of whole lines for each CPU, so that what one CPU writes is in no line of another's. Rows, records
and areas go by their first byte.

An object is known by its *place*: the number of its first word in the frames' own memory, which is
a buffer beside this one. As in the kernel a free object's first word is its link to the next one;
of an object that is held it says so, and who is charged. That one word tells legal frees from all
others, so the check is always on.

Cost: 24 KiB, 64 bytes for each frame, group and CPU, 8 bytes for each cache that there may be, and
the records of those that there are. The frames' own memory costs what has been touched of it.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from pageimpl.memory import ALIGNMENT, Field, Memory, OutsideMemory, Words, aligned_bytes
from pagespec.machine import MAX_SLOTS

LINE = ALIGNMENT

WORD_SHIFT = 3

WORD = 1 << WORD_SHIFT

FRAME_SHIFT = 9
"""A frame has 2**9 words."""

FRAME_WORDS = 1 << FRAME_SHIFT

NOTHING = 0
"""No object, no slab, no cache: neither a place, a row nor a record ever begins there."""

HELD = 1 << 62
"""In the first word of an object that a caller has; below it is who is charged."""

NAMED = 1 << 61
"""Beside it, while a request is looked at that names the object; of frames, beside their order."""

WITHHELD = 1 << 60
"""Beside it, of an object that is to be withheld by the request that frees it."""

CHARGED = (1 << 60) - 1
"""The bits that say who is charged."""


class Pages(NamedTuple):
    """The page allocator's two kernels as slabs call them, and where their machine code begins.

    Slabs call it by that address. Otherwise its code would be compiled again into each of the many
    kernels above, which would take a minute, and gain nothing: slabs come and go rarely.
    """

    alloc: Callable[[Memory, int, int], int]
    free: Callable[[Memory, int, int, int], int]
    alloc_entry: int
    free_entry: int


class SlabMemory:
    """The buffer of one machine's caches, over its zone and over the words of the zone's frames.

    Its first words have the addresses of the zone, of the frames' own memory, and of the page
    allocator's kernels.
    """

    __slots__ = ("address", "array", "objects", "pages", "size", "view", "zone")

    def __init__(self, size: int, zone: Memory, objects: Words, pages: Pages) -> None:
        self.array = aligned_bytes(size)
        self.size = size
        self.zone = zone
        self.objects = objects
        self.pages = pages
        self.address = int(self.array.ctypes.data)
        self.view = self.array.data.cast("q")
        addresses = (zone.address, objects.address, pages.alloc_entry, pages.free_entry)
        for word, address in enumerate(addresses):
            self.view[word] = address


def zone_of(mem: SlabMemory) -> Memory:
    """The zone from which slabs are taken."""
    return mem.zone


def objects_of(mem: SlabMemory) -> Words:
    """The words of the zone's frames."""
    return mem.objects


def alloc_frames(mem: SlabMemory, order: int, want: int) -> int:
    """Ask the page allocator for a block of the zone, as its `alloc_pages` is asked."""
    return mem.pages.alloc(mem.zone, order, want)


def free_frames(mem: SlabMemory, pfn: int, order: int, want: int) -> int:
    """Give a block back, as its `free_pages` takes it."""
    return mem.pages.free(mem.zone, pfn, order, want)


CALLS: tuple[tuple[Callable[..., int], Field], ...] = (
    (alloc_frames, Field(WORD, 2 * WORD)),
    (free_frames, Field(WORD, 3 * WORD)),
)
"""The two that go to the page allocator, with the word that has its kernel's address."""

POINTERS: tuple[tuple[Callable[..., object], Field], ...] = (
    (zone_of, Field(8, 0)),
    (objects_of, Field(8, 8)),
)
"""The two accessors that lead to another buffer."""

Load: TypeAlias = Callable[[SlabMemory], int]
Store: TypeAlias = Callable[[SlabMemory, int], None]
LoadAt: TypeAlias = Callable[[SlabMemory, int], int]
StoreAt: TypeAlias = Callable[[SlabMemory, int, int], None]

LOADS: list[tuple[Callable[..., int], Field]] = []
STORES: list[tuple[Callable[..., None], Field]] = []
"""Every accessor with its field, as in `memory`."""

SLOTS_FIRST = 8 * LINE
"""The first byte of the array of bulk requests; what the machine has once lies before it."""

DETACHED_FIRST = SLOTS_FIRST + WORD * MAX_SLOTS
"""The first byte of the places that are collected from it."""

ROWS_FIRST = DETACHED_FIRST + WORD * MAX_SLOTS
"""The first byte of the frames' rows, of which row 0 is nobody's."""

_words = iter(range(4 * WORD, SLOTS_FIRST, WORD))


def machine_word() -> tuple[Load, Store]:
    """The accessors of a value that the machine has once."""
    field = Field(WORD, next(_words))
    index = field.offset // WORD

    def load(mem: SlabMemory) -> int:
        value: int = mem.view[index]
        return value

    def store(mem: SlabMemory, value: int) -> None:
        mem.view[index] = value

    LOADS.append((load, field))
    STORES.append((store, field))
    return load, store


def word_of(words: Iterator[int]) -> tuple[LoadAt, StoreAt]:
    """The accessors of the next word of a row, record or area, each by its first byte."""
    field = Field(WORD, next(words), 1)

    def index(mem: SlabMemory, at: int) -> int:
        byte = at + field.offset
        if not at >= ROWS_FIRST or byte > mem.size - WORD or at % WORD:
            raise OutsideMemory(byte, mem.size)
        return byte // WORD

    def load(mem: SlabMemory, at: int) -> int:
        value: int = mem.view[index(mem, at)]
        return value

    def store(mem: SlabMemory, at: int, value: int) -> None:
        mem.view[index(mem, at)] = value

    LOADS.append((load, field))
    STORES.append((store, field))
    return load, store


def machine_row(first: int) -> tuple[LoadAt, StoreAt]:
    """The accessors of the words of a row that the machine has once, from a byte on."""
    field = Field(WORD, first, WORD)

    def load(mem: SlabMemory, number: int) -> int:
        if not 0 <= number < MAX_SLOTS:
            raise OutsideMemory(number, MAX_SLOTS)
        value: int = mem.view[first // WORD + number]
        return value

    def store(mem: SlabMemory, number: int, value: int) -> None:
        if not 0 <= number < MAX_SLOTS:
            raise OutsideMemory(number, MAX_SLOTS)
        mem.view[first // WORD + number] = value

    LOADS.append((load, field))
    STORES.append((store, field))
    return load, store


slot_at, set_slot = machine_row(SLOTS_FIRST)
detached_at, set_detached = machine_row(DETACHED_FIRST)

# Where things are: the address of place 0; the frames, CPUs and groups that there are; the first
# bytes of the CPUs' and groups' rows, of the table of caches and of the records behind it; where
# the next record will be, if none that was given up has its size, and where the buffer ends; the
# last record that was given up; how many bytes a request lacked that found no room; and the records
# in the order in which their caches were made.
base_of, set_base = machine_word()
pages_of, set_pages = machine_word()
cpus_of, set_cpus = machine_word()
groups_of, set_groups = machine_word()
cpu_rows_of, set_cpu_rows = machine_word()
group_rows_of, set_group_rows = machine_word()
table_of, set_table = machine_word()
records_of, set_records = machine_word()
next_record_of, set_next_record = machine_word()
end_of, set_end = machine_word()
given_up_of, set_given_up = machine_word()
lacking_of, set_lacking = machine_word()
first_cache_of, set_first_cache = machine_word()
last_cache_of, set_last_cache = machine_word()

# The era's choices, the design and the scheme, in the numbers of `choices`; those that are yes or
# no are 1 or 0. The limit of groups is -1 if there is none.
design_of, set_design = machine_word()
scheme_of, set_scheme = machine_word()
charge_of, set_charge = machine_word()
counted_cpus_of, set_counted_cpus = machine_word()
limit_of, set_limit = machine_word()
keeps_more_partials_of, set_keeps_more_partials = machine_word()
detaches_by_swapping_of, set_detaches_by_swapping = machine_word()
undoes_in_bulk_of, set_undoes_in_bulk = machine_word()
opens_slow_path_of, set_opens_slow_path = machine_word()
splices_chains_of, set_splices_chains = machine_word()
keeps_no_partials_of, set_keeps_no_partials = machine_word()
halves_slabs_of, set_halves_slabs = machine_word()
undoes_unhooked_of, set_undoes_unhooked = machine_word()

# How many slots of the array of bulk requests are filled.
nr_slots_of, set_nr_slots = machine_word()

# A list of slabs is circular, and its head the two words at which a row begins as well.
_row = iter(range(0, LINE, WORD))
next_of, set_next = word_of(_row)
prev_of, set_prev = word_of(_row)

# The row of a frame. Each frame of a slab has the row of its first one; that one has the cache's
# record, how many objects are not on the slab's own chain, the place of the chain's first object,
# and whether a CPU has the slab. The first frame of an object that is whole frames has their order
# and one more.
slab_of, set_slab = word_of(_row)
cache_of, set_cache = word_of(_row)
inuse_of, set_inuse = word_of(_row)
chain_of, set_chain = word_of(_row)
frozen_of, set_frozen = word_of(_row)
large_of, set_large = word_of(_row)

# Of a partial slab that a CPU keeps, which no list leads back from: the spec's `counted`.
counted_of, set_counted = word_of(iter((WORD,)))

# The row of a CPU: for whom it has charged bytes in advance, and how many; the first and the last
# object that is withheld there.
_cpu = iter(range(0, LINE, WORD))
stock_group_of, set_stock_group = word_of(_cpu)
stock_bytes_of, set_stock_bytes = word_of(_cpu)
first_withheld_of, set_first_withheld = word_of(_cpu)
last_withheld_of, set_last_withheld = word_of(_cpu)

# The row of a group: whether there is one of that number, what the spec's has, and how many objects
# that callers have are charged to it.
_group = iter(range(0, LINE, WORD))
known_of, set_known = word_of(_group)
online_of, set_online = word_of(_group)
charged_pages_of, set_charged_pages = word_of(_group)
rest_of, set_rest = word_of(_group)
lost_of, set_lost = word_of(_group)
nr_charged_of, set_nr_charged = word_of(_group)

# The table of caches: the record of each number and group, or NOTHING.
record_at, set_record = word_of(iter((0,)))

# The record of a cache. The heads of the node's three lists come first, so that each is as far
# from the record as its number says.
LIST_BYTES = 2 * WORD
PARTIAL = 0
FULL = LIST_BYTES
EMPTY = 2 * LIST_BYTES
RECORD_LINES = 3
_cache = iter(range(3 * LIST_BYTES, RECORD_LINES * LINE, WORD))
number_of, set_number = word_of(_cache)
group_of, set_group = word_of(_cache)
size_of, set_size = word_of(_cache)
words_of, set_words = word_of(_cache)
order_of, set_order = word_of(_cache)
count_of, set_count = word_of(_cache)
kept_of, set_kept = word_of(_cache)
partials_of, set_partials = word_of(_cache)
batch_of, set_batch = word_of(_cache)
shared_limit_of, set_shared_limit = word_of(_cache)
nr_partial_of, set_nr_partial = word_of(_cache)
nr_slabs_of, set_nr_slabs = word_of(_cache)
nr_free_of, set_nr_free = word_of(_cache)
cache_touched_of, set_cache_touched = word_of(_cache)
earlier_of, set_earlier = word_of(_cache)
later_of, set_later = word_of(_cache)
area_bytes_of, set_area_bytes = word_of(_cache)
bytes_of, set_bytes = word_of(_cache)

AREAS_FIRST = RECORD_LINES * LINE
"""Where the area of CPU 0 begins in a record."""

# The area of a CPU in SLUB: the chain's first object and the number that changes with each use,
# side by side so that one instruction can exchange both; the slab; the first of its partial slabs,
# which are linked by `next`, and how many they are.
_area = iter(range(0, LINE, WORD))
head_of, set_head = word_of(_area)
tid_of, set_tid = word_of(_area)
own_slab_of, set_own_slab = word_of(_area)
first_partial_of, set_first_partial = word_of(_area)
nr_kept_of, set_nr_kept = word_of(_area)

# The area of a CPU in SLAB, and behind the last that which all CPUs share: how many entries
# there are, whether it was used since it was last looked at, and the entries.
_array = iter(range(0, 3 * WORD, WORD))
avail_of, set_avail = word_of(_array)
touched_of, set_touched = word_of(_array)
entry_at, set_entry = word_of(_array)
"""An entry goes by the area's first byte and 8 bytes for each entry before it."""

ENTRIES_FIRST = 2 * WORD
