"""The buffer in which a machine's counters are kept, and the accessors by which kernels use it.

Whatever two CPUs may want at once lies in cache lines of its own: a row for each item, node and
zone, half a line for each counter, and for each CPU an *area*, whose first line says how the CPU
stands and whose other lines are its cells. A cell is as wide as the kernel's own, and what does not
fit is cut off as it would be there. Behind the areas is the table of updates under way.

Every row's place is a constant. An area, a cell and an update go by their first byte.

Cost: 90 KiB, and for each CPU 64 bytes and its cells, up to 14 KiB with 256 zones.
"""

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeAlias

from pageimpl.atomics import adder, adder_at, comparer_at
from pageimpl.memory import ALIGNMENT, Field, OutsideMemory, aligned_bytes
from pagespec.host import MAX_NODES
from pagespec.vmstat.machine import MAX_ZONES, Item

LINE = ALIGNMENT

MAX_PLACES = (len(Item) - 1) * MAX_ZONES + MAX_NODES
"""Every item but one is counted by zone at most; the frames that are isolated, by node."""


class CounterMemory:
    """The buffer of one machine's counters."""

    __slots__ = ("address", "array", "size", "views")

    def __init__(self, size: int) -> None:
        self.array = aligned_bytes(size)
        self.size = size
        self.address = int(self.array.ctypes.data)
        octets = self.array.data
        self.views = {code: octets.cast(code) for code in CODES.values()}


Code: TypeAlias = Literal["b", "h", "H", "q"]

CODES: dict[tuple[int, bool], Code] = {
    (1, True): "b",
    (2, True): "h",
    (2, False): "H",
    (8, False): "q",
}
"""How Python reads a field, by its width and whether a narrow one is signed."""

Load: TypeAlias = Callable[[CounterMemory], int]
Store: TypeAlias = Callable[[CounterMemory, int], None]
LoadAt: TypeAlias = Callable[[CounterMemory, int], int]
StoreAt: TypeAlias = Callable[[CounterMemory, int, int], None]

LOADS: list[tuple[Callable[..., int], Field]] = []
STORES: list[tuple[Callable[..., None], Field]] = []
"""Every accessor with its field, as in `memory`."""


class Rows(NamedTuple):
    """Rows of words: the first byte of all, the bytes and the number of rows, and the words."""

    first: int
    stride: int
    number: int
    words: Iterator[int]


def rows_from(first: int, stride: int, number: int) -> Rows:
    """Rows of so many bytes each, from a byte on."""
    return Rows(first, stride, number, iter(range(first, first + stride, 8)))


HEADER = rows_from(0, 6 * LINE, 1)
ITEM_ROWS = rows_from(HEADER.stride, LINE, len(Item))
NODE_ROWS = rows_from(ITEM_ROWS.first + LINE * len(Item), LINE, MAX_NODES)
ZONE_ROWS = rows_from(NODE_ROWS.first + LINE * MAX_NODES, LINE, MAX_ZONES)
PLACE_ROWS = rows_from(ZONE_ROWS.first + LINE * MAX_ZONES, LINE // 2, MAX_PLACES)
AREAS_FIRST = PLACE_ROWS.first + LINE // 2 * MAX_PLACES

AREA_WORDS = iter(range(0, LINE, 8))
UPDATE_WORDS = iter(range(0, LINE, 8))


def machine_word() -> tuple[Load, Store]:
    """The accessors of a value that the machine has once."""
    field = Field(8, next(HEADER.words))
    index = field.offset // 8

    def load(mem: CounterMemory) -> int:
        value: int = mem.views["q"][index]
        return value

    def store(mem: CounterMemory, value: int) -> None:
        mem.views["q"][index] = value

    LOADS.append((load, field))
    STORES.append((store, field))
    return load, store


def row_word(rows: Rows) -> tuple[LoadAt, StoreAt]:
    """The accessors of a value that every row has."""
    field = Field(8, next(rows.words), rows.stride)
    step, first, rows_there = rows.stride // 8, field.offset // 8, rows.number

    def load(mem: CounterMemory, number: int) -> int:
        if not 0 <= number < rows_there:
            raise OutsideMemory(number, rows_there)
        value: int = mem.views["q"][number * step + first]
        return value

    def store(mem: CounterMemory, number: int, value: int) -> None:
        if not 0 <= number < rows_there:
            raise OutsideMemory(number, rows_there)
        mem.views["q"][number * step + first] = value

    LOADS.append((load, field))
    STORES.append((store, field))
    return load, store


def value_at(width: int, offset: int, *, signed: bool = False) -> tuple[LoadAt, StoreAt]:
    """The accessors of a value of so many bytes at an offset from any byte behind the rows."""
    field = Field(width, offset, 1, signed=signed)
    code = CODES[width, signed]
    least = -(1 << 8 * width - 1) if code != "H" else 0
    mask = (1 << 8 * width) - 1

    def index(mem: CounterMemory, at: int) -> int:
        byte = at + offset
        if not AREAS_FIRST <= byte <= mem.size - width or byte % width:
            raise OutsideMemory(byte, mem.size)
        return byte // width

    def load(mem: CounterMemory, at: int) -> int:
        value: int = mem.views[code][index(mem, at)]
        return value

    def store(mem: CounterMemory, at: int, value: int) -> None:
        mem.views[code][index(mem, at)] = (value - least & mask) + least

    LOADS.append((load, field))
    STORES.append((store, field))
    return load, store


# How many zones and CPUs there are, and how many CPUs run. Where the CPUs' areas begin is a
# constant; how far apart they are, and where the table of updates begins, is not.
zones_of, set_zones = machine_word()
cpus_of, set_cpus = machine_word()
nr_running_of, set_nr_running = machine_word()
area_stride_of, set_area_stride = machine_word()
updates_first_of, set_updates_first = machine_word()
room_of, set_room = machine_word()

# The era's choices and the design of NUMA statistics, in the numbers of `choices`; those that are
# yes or no are 1 or 0. Thresholds that the machine says are -1 if it says none.
has_cells_of, set_has_cells = machine_word()
exchanges_cells_of, set_exchanges_cells = machine_word()
lowers_thresholds_of, set_lowers_thresholds = machine_word()
early_drift_marks_of, set_early_drift_marks = machine_word()
close_reads_of, set_close_reads = machine_word()
resized_thresholds_of, set_resized_thresholds = machine_word()
marks_rule_of, set_marks_rule = machine_word()
said_normal_of, set_said_normal = machine_word()
said_pressure_of, set_said_pressure = machine_word()
oversteps_of, set_oversteps = machine_word()
numa_refreshed_of, set_numa_refreshed = machine_word()
reading_of, set_reading = machine_word()
reads_all_cpus_of, set_reads_all_cpus = machine_word()
numa_switch_of, set_numa_switch = machine_word()

# What requests change: how many updates are under way, whether NUMA statistics are kept,
# min_free_kbytes, and how often a zone or node was told anything.
updates_of, set_updates = machine_word()
numa_on_of, set_numa_on = machine_word()
min_free_of, set_min_free = machine_word()
told_times_of, set_told_times = machine_word()
add_told_times = adder(told_times_of, set_told_times)

# Whether threads share the counters, each working for a CPU of its own.
shared_of, set_shared = machine_word()

# An item: its first counter and how many there are, none for one that is not kept; whether nodes
# count it, not zones; how wide its cells are, where they begin in an area, and their own threshold
# if they have one. What the machine has been told.
first_place_of, set_first_place = row_word(ITEM_ROWS)
nr_places_of, set_nr_places = row_word(ITEM_ROWS)
by_node_of, set_by_node = row_word(ITEM_ROWS)
width_of, set_width = row_word(ITEM_ROWS)
own_threshold_of, set_own_threshold = row_word(ITEM_ROWS)
total_of, set_total = row_word(ITEM_ROWS)
add_total = adder_at(total_of, set_total)

# A node: its number among those with memory, or -1; its threshold, and whether its kswapd is awake.
ordinal_of, set_ordinal = row_word(NODE_ROWS)
node_threshold_of, set_node_threshold = row_word(NODE_ROWS)
reclaiming_of, set_reclaiming = row_word(NODE_ROWS)

# A zone: its node and frames, its marks and thresholds as they stand, and the free frames that its
# lists would hold, whatever counters say.
node_of, set_node = row_word(ZONE_ROWS)
pages_of, set_pages = row_word(ZONE_ROWS)
min_of, set_min = row_word(ZONE_ROWS)
low_of, set_low = row_word(ZONE_ROWS)
high_of, set_high = row_word(ZONE_ROWS)
zone_threshold_of, set_zone_threshold = row_word(ZONE_ROWS)
drift_mark_of, set_drift_mark = row_word(ZONE_ROWS)
in_lists_of, set_in_lists = row_word(ZONE_ROWS)
add_in_lists = adder_at(in_lists_of, set_in_lists)

# A counter: what its zone or node has been told, its item, its zone or node, and where its cell
# lies in an area.
told_of, set_told = row_word(PLACE_ROWS)
add_told = adder_at(told_of, set_told)
item_of, set_item = row_word(PLACE_ROWS)
where_of, set_where = row_word(PLACE_ROWS)
cell_offset_of, set_cell_offset = row_word(PLACE_ROWS)

# A CPU: whether it runs, its node, and whether it is in the middle of an update with interrupts
# off.
running_of, set_running = value_at(8, next(AREA_WORDS))
cpu_node_of, set_cpu_node = value_at(8, next(AREA_WORDS))
held_up_of, set_held_up = value_at(8, next(AREA_WORDS))

# An update under way: its counter, the pages still to tell, its CPU, what it does next, and whether
# and what it still writes into the CPU's cell.
update_place_of, set_update_place = value_at(8, next(UPDATE_WORDS))
update_pages_of, set_update_pages = value_at(8, next(UPDATE_WORDS))
update_cpu_of, set_update_cpu = value_at(8, next(UPDATE_WORDS))
stage_of, set_stage = value_at(8, next(UPDATE_WORDS))
writes_cell_of, set_writes_cell = value_at(8, next(UPDATE_WORDS))
left_of, set_left = value_at(8, next(UPDATE_WORDS))

# A cell, by its width.
s8_at, set_s8 = value_at(1, 0, signed=True)
s16_at, set_s16 = value_at(2, 0, signed=True)
u16_at, set_u16 = value_at(2, 0)
long_at, set_long = value_at(8, 0)
compare_s8 = comparer_at(s8_at, set_s8)
compare_s16 = comparer_at(s16_at, set_s16)
compare_u16 = comparer_at(u16_at, set_u16)
compare_long = comparer_at(long_at, set_long)
