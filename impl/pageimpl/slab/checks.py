"""Which requests for objects are refused, before anything changes: the codes of Refusal, or 0.

The twin of the spec's `slab.checks`.
"""

from pageimpl.jitcache import inlined, kernel
from pageimpl.memory import Words, set_word, top_of, word_at
from pageimpl.slab.caches import record_of
from pageimpl.slab.choices import SLUB
from pageimpl.slab.places import group_row, link_of, place_of, row_at
from pageimpl.slab.sizes import PAGE_SHIFT
from pageimpl.slab.state import (
    FRAME_WORDS,
    HELD,
    LINE,
    NAMED,
    NOTHING,
    ROWS_FIRST,
    WITHHELD,
    WORD,
    SlabMemory,
    cache_of,
    count_of,
    cpu_rows_of,
    cpus_of,
    design_of,
    detaches_by_swapping_of,
    groups_of,
    known_of,
    large_of,
    number_of,
    objects_of,
    online_of,
    set_large,
    slab_of,
    words_of,
    zone_of,
)
from pageimpl.slab.verbs import UNSAID
from pagespec.slab.machine import MAX_CACHES
from pagespec.slab.verbs import MAX_BULK
from pagespec.types import Refusal

BAD_ORDER = Refusal.BAD_ORDER.value
UNSUPPORTED = Refusal.UNSUPPORTED.value
BAD_RANGE = Refusal.BAD_RANGE.value
BAD_CPU = Refusal.BAD_CPU.value
NO_CACHE = Refusal.NO_CACHE.value
CACHE_EXISTS = Refusal.CACHE_EXISTS.value
CACHE_BUSY = Refusal.CACHE_BUSY.value
BAD_SIZE = Refusal.BAD_SIZE.value
NOT_OBJECT = Refusal.NOT_OBJECT.value
WRONG_CACHE = Refusal.WRONG_CACHE.value
NO_GROUP = Refusal.NO_GROUP.value
GROUP_EXISTS = Refusal.GROUP_EXISTS.value
GROUP_OFFLINE = Refusal.GROUP_OFFLINE.value


@inlined
def is_no_cpu(mem: SlabMemory, cpu: int) -> bool:
    """Whether the machine does not have that CPU."""
    return cpu < 0 or cpu >= cpus_of(mem)


@inlined
def find_cache(mem: SlabMemory, number: int) -> int:
    """The record of everybody's cache of that number, or NOTHING."""
    return record_of(mem, number, 0) if 0 <= number <= MAX_CACHES else NOTHING


@kernel
def check_new_cache(mem: SlabMemory, number: int, size: int, order: int) -> int:
    """Refuse a number that is taken, an order that the zone does not have, and sizes beyond it.

    order: UNSAID if it follows from the size.
    """
    if not 1 <= number <= MAX_CACHES or find_cache(mem, number) != NOTHING:
        return CACHE_EXISTS
    top = top_of(zone_of(mem))
    if order == UNSAID:
        order = top
    if not 0 <= order <= top:
        return BAD_ORDER
    if not WORD <= size <= 1 << PAGE_SHIFT + order or size & WORD - 1:
        return BAD_SIZE
    return 0


@inlined
def is_negative(count: int) -> bool:
    """Whether a count is said, and below 0."""
    return count != UNSAID and count < 0


@kernel
def check_idle(mem: SlabMemory, number: int) -> int:
    """Refuse to let a cache go while objects of it are held."""
    for row in range(ROWS_FIRST, cpu_rows_of(mem), LINE):
        if slab_of(mem, row) == row and number_of(mem, cache_of(mem, row)) == number:
            c = cache_of(mem, row)
            p = (row - ROWS_FIRST) // LINE * FRAME_WORDS
            for _ in range(count_of(mem, c)):
                if link_of(mem, p) >= HELD:
                    return CACHE_BUSY
                p += words_of(mem, c)
    return 0


@inlined
def check_group(mem: SlabMemory, group: int) -> int:
    """Refuse a group that cannot be charged; 0 is nobody, and can always be."""
    return 0 if group == 0 else check_charged(mem, group)


@kernel
def check_charged(mem: SlabMemory, group: int) -> int:
    """Refuse a group that is not there, or has gone."""
    if not 1 <= group <= groups_of(mem) or not known_of(mem, group_row(mem, group)):
        return NO_GROUP
    return 0 if online_of(mem, group_row(mem, group)) else GROUP_OFFLINE


@kernel
def check_new_group(mem: SlabMemory, group: int) -> int:
    """Refuse a group that the machine does not have, or that is there."""
    if not 1 <= group <= groups_of(mem):
        return NO_GROUP
    return GROUP_EXISTS if known_of(mem, group_row(mem, group)) else 0


@inlined
def is_bulk(objects: int) -> bool:
    """Whether a bulk request may have that many objects."""
    return 0 <= objects <= MAX_BULK


@kernel
def is_large(mem: SlabMemory, p: int) -> bool:
    """Whether a place is the first word of an object that is whole frames."""
    return p != 0 and p & FRAME_WORDS - 1 == 0 and large_of(mem, row_at(p)) != 0


@kernel
def name_object(mem: SlabMemory, address: int, number: int, withheld: int) -> int:
    """Refuse what is no object that is held, or named before, or of another cache; name it.

    number: the cache, or 0 for any. withheld: whether it is to be.
    """
    p = place_of(mem, address)
    word = 0 if p == 0 else link_of(mem, p)
    if word >= HELD:
        if word & NAMED:
            return NOT_OBJECT
        if number != 0 and number_of(mem, cache_of(mem, slab_of(mem, row_at(p)))) != number:
            return WRONG_CACHE
        set_word(objects_of(mem), p, word | NAMED | (WITHHELD if withheld else 0))
        return 0
    if not is_large(mem, p) or large_of(mem, row_at(p)) & NAMED:
        return NOT_OBJECT
    if number != 0:
        return WRONG_CACHE
    set_large(mem, row_at(p), large_of(mem, row_at(p)) | NAMED)
    return 0


@kernel
def unname(mem: SlabMemory, address: int, marks: int) -> None:
    """Take marks off an object that is named."""
    p = place_of(mem, address)
    word = link_of(mem, p)
    if word >= HELD:
        set_word(objects_of(mem), p, word & ~marks)
    else:
        set_large(mem, row_at(p), large_of(mem, row_at(p)) & ~NAMED)


@kernel
def name_objects(
    mem: SlabMemory, run: Words, first: int, count: int, number: int, stray: int
) -> int:
    """Name the objects of a run of addresses, or refuse it and name none.

    Slots without an object are none where a bulk free does not look for them.
    """
    empty = design_of(mem) == SLUB and not detaches_by_swapping_of(mem)
    code, at = 0, first
    while code == 0 and at < first + 2 * count:
        address = word_at(run, at)
        if address != 0 or not empty:
            code = name_object(mem, address, number, word_at(run, at + 1))
        elif word_at(run, at + 1):
            stray = 1
        if code == 0:
            at += 2
    if code == 0 and stray:
        code = NOT_OBJECT
    while code != 0 and at > first:
        at -= 2
        if word_at(run, at) != 0:
            unname(mem, word_at(run, at), NAMED | WITHHELD)
    return code
