"""A CPU's page lists in the zone's memory: an area of slots for each CPU, apart by cache lines.

The first slots of an area are the heads of its lists, circular like all others: the front of a list
is the end that requests are served from. Two cache lines of words follow, the first of which has
what every request touches. Where hot and cold blocks are kept apart, a CPU has two areas, one after
the other.
"""

from pageimpl.atomics import exchanger_at, releaser_at
from pageimpl.memory import LOADS, RECORD, STORES, Field, LoadAt, Memory, OutsideMemory, StoreAt

HEADS = 16
"""Slots at an area's start for the heads of lists."""

AREA_SLOTS = 24
"""Slots of an area: six cache lines."""

_words = iter(range(HEADS * RECORD, AREA_SLOTS * RECORD, 8))


def area_word() -> tuple[LoadAt, StoreAt]:
    """The accessors of a word that every area has; its index is the area's first slot."""
    field = Field(8, next(_words), RECORD)
    step, at = RECORD // 8, field.offset // 8

    def load(mem: Memory, q: int) -> int:
        if not 0 <= q <= mem.slots - AREA_SLOTS:
            raise OutsideMemory(q, mem.slots)
        value: int = mem.views[8][q * step + at]
        return value

    def store(mem: Memory, q: int, value: int) -> None:
        if not 0 <= q <= mem.slots - AREA_SLOTS:
            raise OutsideMemory(q, mem.slots)
        mem.views[8][q * step + at] = value

    LOADS.append((load, field))
    STORES.append((store, field))
    return load, store


# The frames in all lists together, and their sizes: how many move at once, and from how many a free
# drains. What they learn: `factor` and `freed`. The bounds of `high` since 6.7.
count_of, set_count = area_word()
batch_of, set_batch = area_word()
high_of, set_high = area_word()
factor_of, set_factor = area_word()
freed_of, set_freed = area_word()
high_min_of, set_high_min = area_word()
high_max_of, set_high_max = area_word()
unplugged_of, set_unplugged = area_word()

# Whether the last free was of a higher order; whether a flush waits for a batch; from how many
# frames down hot lists refill; whether the CPU belongs to another node than the zone. What belongs
# to a CPU is kept in its first area.
high_order_of, set_high_order = area_word()
waits_of, set_waits = area_word()
low_of, set_low = area_word()
far_of, set_far = area_word()

# The lists' lock, where the era's guard is one: 1 while somebody has it.
lists_lock_of, set_lists_lock = area_word()
exchange_lists_lock = exchanger_at(lists_lock_of, set_lists_lock)
release_lists_lock = releaser_at(lists_lock_of, set_lists_lock)

_cells = iter(range(next(_words), AREA_SLOTS * RECORD))


def area_cell() -> tuple[LoadAt, StoreAt]:
    """The accessors of a signed byte that every area has: what does not fit is cut off."""
    field = Field(1, next(_cells), RECORD, signed=True)

    def load(mem: Memory, q: int) -> int:
        if not 0 <= q <= mem.slots - AREA_SLOTS:
            raise OutsideMemory(q, mem.slots)
        value: int = mem.views[1][q * RECORD + field.offset]
        return (value ^ 0x80) - 0x80

    def store(mem: Memory, q: int, value: int) -> None:
        if not 0 <= q <= mem.slots - AREA_SLOTS:
            raise OutsideMemory(q, mem.slots)
        mem.views[1][q * RECORD + field.offset] = value & 0xFF

    LOADS.append((load, field))
    STORES.append((store, field))
    return load, store


# What the CPU keeps of the counts of free frames and of CMA's, and how many refreshes its lists may
# still rest.
free_cell_of, set_free_cell = area_cell()
cma_cell_of, set_cma_cell = area_cell()
rest_of, set_rest = area_cell()
