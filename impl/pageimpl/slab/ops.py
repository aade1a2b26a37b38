"""Serving requests for objects, of whatever verb: the twin of the spec's `slab.ops`."""

from pageimpl.jitcache import kernel
from pageimpl.memory import Words, set_word, top_of, word_at
from pageimpl.slab.bulk import alloc_bulk, free_bulk
from pageimpl.slab.charge import cache_for
from pageimpl.slab.checks import (
    BAD_CPU,
    BAD_ORDER,
    BAD_RANGE,
    GROUP_OFFLINE,
    NO_CACHE,
    NO_GROUP,
    NOT_OBJECT,
    UNSUPPORTED,
    check_group,
    check_idle,
    check_new_group,
    find_cache,
    is_bulk,
    is_large,
    is_no_cpu,
    name_objects,
    unname,
)
from pageimpl.slab.choices import SLUB
from pageimpl.slab.creation import create
from pageimpl.slab.groups import open_group
from pageimpl.slab.growing import visit
from pageimpl.slab.objects import alloc_large, alloc_object, free_large, free_object, release
from pageimpl.slab.places import group_row, link_of, place_of
from pageimpl.slab.state import (
    HELD,
    NAMED,
    NOTHING,
    SlabMemory,
    design_of,
    groups_of,
    known_of,
    online_of,
    set_nr_slots,
    set_slot,
    zone_of,
)
from pageimpl.slab.upkeep import destroy, flush_cpu, offline, reap_cpu, shrink, shrink_own
from pageimpl.slab.verbs import (
    ALLOC,
    ALLOC_BULK,
    COLUMN_BATCH,
    COLUMN_CACHE,
    COLUMN_COUNT,
    COLUMN_CPU,
    COLUMN_FIRST,
    COLUMN_GROUP,
    COLUMN_KEPT,
    COLUMN_ORDER,
    COLUMN_PARTIALS,
    COLUMN_RESULT,
    COLUMN_SHARED,
    COLUMN_SIZE,
    COLUMN_STRAY,
    COLUMN_VERB,
    COLUMNS,
    CREATE,
    DESTROY,
    FLUSH,
    FREE,
    FREE_BULK,
    GROUP,
    LARGE,
    NO_ROOM,
    REAP,
    RELEASE,
    SHRINK,
    UNSAID,
)


@kernel
def alloc(mem: SlabMemory, cpu: int, number: int, group: int) -> int:
    """Allocate an object: its address, NO_MEMORY, the code of a refusal, or NO_ROOM."""
    c = find_cache(mem, number)
    if c == NOTHING:
        return NO_CACHE
    code = check_group(mem, group)
    if code:
        return code
    c = cache_for(mem, c, group)
    if c == NOTHING:
        return NO_ROOM
    return alloc_object(mem, cpu, c, group)


@kernel
def free(mem: SlabMemory, cpu: int, address: int, withheld: bool) -> int:
    """Free an object: 0, or the code of a refusal."""
    p = place_of(mem, address)
    if p != 0 and link_of(mem, p) >= HELD:
        free_object(mem, cpu, p, withheld)
        return 0
    if not is_large(mem, p):
        return NOT_OBJECT
    free_large(mem, cpu, address)
    return 0


@kernel
def alloc_many(mem: SlabMemory, cpu: int, number: int, group: int, objects: int) -> int:
    """Allocate objects into the array: how many, the code of a refusal, or NO_ROOM."""
    c = find_cache(mem, number)
    if c == NOTHING:
        return NO_CACHE
    code = check_group(mem, group)
    if code:
        return code
    if not is_bulk(objects):
        return BAD_RANGE
    if objects:
        c = cache_for(mem, c, group)
        if c == NOTHING:
            return NO_ROOM
        objects = alloc_bulk(mem, cpu, c, group, objects)
    set_nr_slots(mem, objects)
    return objects


@kernel
def free_many(
    mem: SlabMemory, cpu: int, number: int, run: Words, first: int, count: int, stray: int
) -> int:
    """Free the objects of a run of addresses: 0, or the code of a refusal."""
    if number != 0 and find_cache(mem, number) == NOTHING:
        return NO_CACHE
    if not is_bulk(count):
        return BAD_RANGE
    code = name_objects(mem, run, first, count, number, stray)
    if code:
        return code
    for slot in range(count):
        address = word_at(run, first + 2 * slot)
        set_slot(mem, slot, address)
        if address != 0:
            unname(mem, address, NAMED)
    set_nr_slots(mem, count)
    free_bulk(mem, cpu, count)
    return 0


@kernel
def perform_on_groups(mem: SlabMemory, verb: int, cpu: int, group: int) -> int:
    """Serve a request about a group."""
    if verb == GROUP:
        code = check_new_group(mem, group)
        if code == 0:
            open_group(mem, group)
        return code
    if not 1 <= group <= groups_of(mem) or not known_of(mem, group_row(mem, group)):
        return NO_GROUP
    if not online_of(mem, group_row(mem, group)):
        return GROUP_OFFLINE
    offline(mem, group, cpu)
    return 0


@kernel
def perform_rare(mem: SlabMemory, verb: int, cpu: int, number: int, group: int) -> int:
    """Serve a request about a cache, a CPU or a group."""
    if verb == RELEASE:
        release(mem, cpu, NOTHING)
        return 0
    if verb == FLUSH:
        flush_cpu(mem, cpu)
        return 0
    if verb == REAP:
        if design_of(mem) == SLUB:
            return UNSUPPORTED
        reap_cpu(mem, cpu)
        return 0
    if verb != DESTROY and verb != SHRINK:
        return perform_on_groups(mem, verb, cpu, group)
    c = find_cache(mem, number)
    if c == NOTHING:
        return NO_CACHE
    if verb == SHRINK:
        shrink(mem, c, cpu)
        shrink_own(mem, number, cpu)
        return 0
    code = check_idle(mem, number)
    if code == 0:
        destroy(mem, number, cpu)
    return code


@kernel
def perform_row(mem: SlabMemory, rows: Words, at: int) -> int:
    """Serve the request of the row that begins at a word: its outcome, or NO_ROOM."""
    verb, cpu = word_at(rows, at + COLUMN_VERB), word_at(rows, at + COLUMN_CPU)
    number, group = word_at(rows, at + COLUMN_CACHE), word_at(rows, at + COLUMN_GROUP)
    count, first = word_at(rows, at + COLUMN_COUNT), word_at(rows, at + COLUMN_FIRST)
    if is_no_cpu(mem, cpu):
        return BAD_CPU
    visit(mem, cpu)
    if verb == ALLOC:
        return alloc(mem, cpu, number, group)
    if verb == FREE:
        if count != 1:
            return BAD_RANGE
        if word_at(rows, at + COLUMN_STRAY):
            return NOT_OBJECT
        return free(mem, cpu, word_at(rows, first), word_at(rows, first + 1) != 0)
    if verb == ALLOC_BULK:
        return alloc_many(mem, cpu, number, group, count)
    stray = word_at(rows, at + COLUMN_STRAY)
    if verb == FREE_BULK:
        return free_many(mem, cpu, number, rows, first, count, stray)
    if verb == LARGE:
        return alloc_of_order(mem, cpu, word_at(rows, at + COLUMN_ORDER))
    if verb == CREATE:
        return create(
            mem,
            number,
            word_at(rows, at + COLUMN_SIZE),
            word_at(rows, at + COLUMN_ORDER),
            word_at(rows, at + COLUMN_KEPT),
            word_at(rows, at + COLUMN_PARTIALS),
            word_at(rows, at + COLUMN_BATCH),
            word_at(rows, at + COLUMN_SHARED),
        )
    return perform_rare(mem, verb, cpu, number, group)


@kernel
def alloc_of_order(mem: SlabMemory, cpu: int, order: int) -> int:
    """Allocate whole frames as one object; an order that is not said is 0."""
    if order == UNSAID:
        order = 0
    if not 0 <= order <= top_of(zone_of(mem)):
        return BAD_ORDER
    return alloc_large(mem, cpu, order)


@kernel
def perform_rows(mem: SlabMemory, rows: Words, first: int, end: int) -> int:
    """Serve the requests of rows from `first` up to `end`, and write their results.

    Returns the first row that was not served: `end`, or one that wants a larger buffer.
    """
    for number in range(first, end):
        at = number * COLUMNS
        result = perform_row(mem, rows, at)
        if result == NO_ROOM:
            return number
        set_word(rows, at + COLUMN_RESULT, result)
    return end
