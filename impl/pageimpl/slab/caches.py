"""The records of caches: where their areas are, how they come and go.

The twin of the spec's `slab.caches`. A record that is given up is kept for the next cache that
needs as many bytes, so that a machine whose caches come and go stays as large as it once was.
"""

from pageimpl.jitcache import inlined, kernel
from pageimpl.slab.choices import SLUB
from pageimpl.slab.lists import clear_lists
from pageimpl.slab.state import (
    AREAS_FIRST,
    ENTRIES_FIRST,
    FRAME_WORDS,
    LINE,
    NOTHING,
    WORD,
    SlabMemory,
    area_bytes_of,
    batch_of,
    bytes_of,
    count_of,
    cpus_of,
    design_of,
    earlier_of,
    end_of,
    given_up_of,
    group_of,
    groups_of,
    kept_of,
    last_cache_of,
    later_of,
    next_record_of,
    number_of,
    order_of,
    pages_of,
    partials_of,
    record_at,
    set_area_bytes,
    set_avail,
    set_batch,
    set_bytes,
    set_cache_touched,
    set_count,
    set_earlier,
    set_first_cache,
    set_first_partial,
    set_given_up,
    set_group,
    set_head,
    set_kept,
    set_lacking,
    set_last_cache,
    set_later,
    set_next_record,
    set_nr_free,
    set_nr_kept,
    set_nr_partial,
    set_nr_slabs,
    set_number,
    set_order,
    set_own_slab,
    set_partials,
    set_record,
    set_shared_limit,
    set_size,
    set_tid,
    set_touched,
    set_words,
    shared_limit_of,
    size_of,
    table_of,
)


@inlined
def area_of(mem: SlabMemory, c: int, cpu: int) -> int:
    """What a CPU has of a cache."""
    return c + AREAS_FIRST + cpu * area_bytes_of(mem, c)


@inlined
def shared_area(mem: SlabMemory, c: int) -> int:
    """The array that all CPUs share, of a cache that has one."""
    return area_of(mem, c, cpus_of(mem))


@inlined
def entry_of(mem: SlabMemory, number: int, group: int) -> int:
    """Where the table of caches says which record a number and a group have."""
    return table_of(mem) + WORD * (number * (groups_of(mem) + 1) + group)


@inlined
def record_of(mem: SlabMemory, number: int, group: int) -> int:
    """The record of a cache, or NOTHING; both numbers are in the domain of the table."""
    return record_at(mem, entry_of(mem, number, group))


@kernel
def lines_for(entries: int) -> int:
    """The bytes of the lines that hold an array of so many entries."""
    return -(-(ENTRIES_FIRST + WORD * entries) // LINE) * LINE


@kernel
def find_room(mem: SlabMemory, size: int) -> int:
    """A record of so many bytes, or NOTHING, and then it is written down how many are lacking."""
    before, c = NOTHING, given_up_of(mem)
    while c != NOTHING and bytes_of(mem, c) != size:
        before, c = c, later_of(mem, c)
    if c != NOTHING:
        if before == NOTHING:
            set_given_up(mem, later_of(mem, c))
        else:
            set_later(mem, before, later_of(mem, c))
        return c
    c = next_record_of(mem)
    if c + size > end_of(mem):
        set_lacking(mem, c + size - end_of(mem))
        return NOTHING
    set_next_record(mem, c + size)
    set_bytes(mem, c, size)
    return c


@kernel
def new_cache(mem: SlabMemory, number: int, group: int, size: int, kept: int, shared: int) -> int:
    """The record of a cache without objects, whose shape is yet to be written; NOTHING for no room.

    size: of an object. kept, shared: the objects that arrays hold, of which no more can come than
    the zone has room for.
    """
    slub = design_of(mem) == SLUB
    most = pages_of(mem) * FRAME_WORDS * WORD // size
    area = LINE if slub else lines_for(min(kept, most))
    behind = lines_for(min(shared, most)) if shared else 0
    c = find_room(mem, AREAS_FIRST + cpus_of(mem) * area + behind)
    if c == NOTHING:
        return NOTHING
    set_area_bytes(mem, c, area)
    set_number(mem, c, number)
    set_group(mem, c, group)
    set_kept(mem, c, kept)
    set_shared_limit(mem, c, shared)
    set_nr_partial(mem, c, 0)
    set_nr_slabs(mem, c, 0)
    set_nr_free(mem, c, 0)
    set_cache_touched(mem, c, 0)
    clear_lists(mem, c)
    for cpu in range(cpus_of(mem)):
        clear_area(mem, area_of(mem, c, cpu), slub)
    if shared:
        clear_area(mem, shared_area(mem, c), slub)
    append(mem, c)
    set_record(mem, entry_of(mem, number, group), c)
    return c


@kernel
def clear_area(mem: SlabMemory, q: int, slub: bool) -> None:
    """Let a CPU have nothing of a new cache."""
    if slub:
        set_head(mem, q, NOTHING)
        set_tid(mem, q, 0)
        set_own_slab(mem, q, NOTHING)
        set_first_partial(mem, q, NOTHING)
        set_nr_kept(mem, q, 0)
    else:
        set_avail(mem, q, 0)
        set_touched(mem, q, 0)


@kernel
def copy_shape(mem: SlabMemory, c: int, of: int) -> None:
    """Let a new cache have the shape of another, as far as its arrays have not said it."""
    set_size(mem, c, size_of(mem, of))
    set_words(mem, c, size_of(mem, of) // WORD)
    set_order(mem, c, order_of(mem, of))
    set_count(mem, c, count_of(mem, of))
    set_partials(mem, c, partials_of(mem, of))
    set_batch(mem, c, batch_of(mem, of))


@kernel
def new_like(mem: SlabMemory, of: int, group: int) -> int:
    """A group's own cache, made like everybody's; NOTHING for no room."""
    c = new_cache(
        mem,
        number_of(mem, of),
        group,
        size_of(mem, of),
        kept_of(mem, of),
        shared_limit_of(mem, of),
    )
    if c != NOTHING:
        copy_shape(mem, c, of)
    return c


@kernel
def append(mem: SlabMemory, c: int) -> None:
    """Enter a cache as the latest of all."""
    last = last_cache_of(mem)
    set_earlier(mem, c, last)
    set_later(mem, c, NOTHING)
    if last == NOTHING:
        set_first_cache(mem, c)
    else:
        set_later(mem, last, c)
    set_last_cache(mem, c)


@kernel
def give_up(mem: SlabMemory, c: int) -> None:
    """Let a cache be gone that has no slab."""
    earlier, later = earlier_of(mem, c), later_of(mem, c)
    if earlier == NOTHING:
        set_first_cache(mem, later)
    else:
        set_later(mem, earlier, later)
    if later == NOTHING:
        set_last_cache(mem, earlier)
    else:
        set_earlier(mem, later, earlier)
    set_record(mem, entry_of(mem, number_of(mem, c), group_of(mem, c)), NOTHING)
    set_later(mem, c, given_up_of(mem))
    set_given_up(mem, c)
