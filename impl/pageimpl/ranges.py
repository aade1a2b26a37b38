"""Random requests about pageblocks and places of frames, most of them legal.

What was isolated, taken offline or poisoned is remembered, so that it can be undone as often as
done: a zone all of which is isolated serves nobody.
"""

from pageimpl.dice import (
    COUNT,
    FRAME_ENTRIES,
    FRAME_WORDS,
    FRAMES,
    PAGES,
    PFN,
    PLACE,
    RANGE_ENTRIES,
    RANGE_WORDS,
    RANGES,
    VERB,
    ask,
    draw,
    draw_below,
)
from pageimpl.era import ISOLATE_BY_MOVE, NO_CMA, NO_RESERVE
from pageimpl.jitcache import kernel
from pageimpl.memory import (
    Memory,
    Words,
    cma_rule_of,
    end_of,
    first_of,
    isolation_of,
    isolation_order_of,
    listed_of,
    reserve_of,
    returns_poisoned_of,
    set_word,
    shift_of,
    takes_poisoned_of,
    top_of,
    word_at,
)
from pageimpl.migratetype import CMA, MOST_REQUESTED, MOVABLE
from pageimpl.pageblock import pageblock_type
from pageimpl.places import free_frames_over
from pageimpl.verbs import (
    CONTIG,
    FORCE,
    HEAL,
    ISOLATE_RANGE,
    OFFLINE_RANGE,
    ONLINE_RANGE,
    POISON,
    RESTORE_RANGE,
    UNRESERVE,
    WANTED_SHIFT,
)
from pageimpl.zone import first_of_list

# Values of an entry's place.
NOWHERE = 0
IN_ISOLATION = 1
IS_OFFLINE = 2
IS_POISONED = 3


@kernel
def choose_typed(mem: Memory, state: Words) -> bool:
    """Choose a request about pageblocks or places that the era has; whether there is any."""
    dice = draw(state) & 31
    if dice < 4 and reserve_of(mem) != NO_RESERVE:
        mt = draw_below(state, MOST_REQUESTED + 1)
        force = draw(state) & FORCE
        ask(state, UNRESERVE, 0, 0, mt << WANTED_SHIFT | force, 0)
        return True
    if dice < 10 and takes_poisoned_of(mem):
        return choose_frame(mem, state)
    if first_unit(mem) >= beyond_unit(mem):
        return False
    if dice < 18 and isolation_of(mem) != ISOLATE_BY_MOVE:
        choose_contig(mem, state)
    else:
        choose_range(mem, state)
    return True


@kernel
def first_unit(mem: Memory) -> int:
    """The number of the lowest block that lies in the zone and may be isolated."""
    order = isolation_order_of(mem)
    return (first_of(mem) + (1 << order) - 1) >> order


@kernel
def beyond_unit(mem: Memory) -> int:
    """One past the number of the highest block that lies in the zone and may be isolated."""
    return end_of(mem) >> isolation_order_of(mem)


@kernel
def draw_unit(mem: Memory, state: Words) -> int:
    """The slot of a block that lies in the zone and may be isolated."""
    first = first_unit(mem)
    return first + draw_below(state, beyond_unit(mem) - first) << isolation_order_of(mem)


@kernel
def draw_range_type(mem: Memory, state: Words, p: int) -> int:
    """The type that a range shall have: mostly MOVABLE, or CMA where it is CMA already."""
    dice = draw(state) & 7
    is_cma = pageblock_type(mem, p) == CMA
    if cma_rule_of(mem) != NO_CMA and (dice > 1 if is_cma else dice == 0):
        return CMA
    return MOVABLE


@kernel
def choose_contig(mem: Memory, state: Words) -> None:
    """A range to allocate: single frames and short runs as often as up to two whole blocks."""
    unit = 1 << isolation_order_of(mem)
    p = draw_unit(mem, state) + draw_below(state, unit)
    pages = 1 + draw_below(state, 4 if draw(state) & 1 else 2 * unit)
    mt = draw_range_type(mem, state, p)
    ask(state, CONTIG, 0, p - shift_of(mem), mt << WANTED_SHIFT, pages)


@kernel
def frames_away(state: Words) -> int:
    """How many frames the ranges have that are isolated or offline."""
    pages = 0
    for at in range(RANGES, RANGES + RANGE_ENTRIES * RANGE_WORDS, RANGE_WORDS):
        if word_at(state, at) != NOWHERE:
            pages += word_at(state, at + 2)
    return pages


@kernel
def choose_range(mem: Memory, state: Words) -> None:
    """Isolate a range unless a quarter of the zone is away, or do more with one that is."""
    at = RANGES + RANGE_WORDS * draw_below(state, RANGE_ENTRIES)
    away = frames_away(state)
    unit = 1 << isolation_order_of(mem)
    p = draw_unit(mem, state)
    pages = unit
    if draw(state) & 3 == 0 and p + 2 * unit <= end_of(mem):
        pages += unit
    if word_at(state, at) == NOWHERE:
        if away == 0 or away + pages <= word_at(state, PAGES) >> 2:
            ask(state, ISOLATE_RANGE, 0, p - shift_of(mem), 0, pages)
            set_word(state, PLACE, at)
            return
        at = RANGES
        while word_at(state, at) == NOWHERE:
            at += RANGE_WORDS
    undo(mem, state, at)
    set_word(state, PLACE, at)


@kernel
def undo(mem: Memory, state: Words, at: int) -> None:
    """Restore a range or bring it online; half of those that are all free are taken offline.

    Now and then one is to be taken offline that is not.
    """
    pfn, pages = word_at(state, at + 1), word_at(state, at + 2)
    p = pfn + shift_of(mem)
    dice = draw(state) & 15
    if word_at(state, at) == IS_OFFLINE:
        ask(state, ONLINE_RANGE, 0, pfn, 0, pages)
    elif dice == 0 or (dice < 8 and free_frames_over(mem, p, p + pages) == pages):
        ask(state, OFFLINE_RANGE, 0, pfn, 0, pages)
    else:
        mt = draw_range_type(mem, state, p)
        ask(state, RESTORE_RANGE, 0, pfn, mt << WANTED_SHIFT, pages)


@kernel
def choose_frame(mem: Memory, state: Words) -> bool:
    """Poison a free frame, or heal one that is poisoned; whether the era can do what is due.

    A small zone has fewer frames to spare.
    """
    entries = min(FRAME_ENTRIES, 1 + (word_at(state, PAGES) >> 5))
    at = FRAMES + FRAME_WORDS * draw_below(state, entries)
    if word_at(state, at) == NOWHERE:
        ask(state, POISON, 0, draw_free_frame(mem, state) - shift_of(mem), 0, 0)
    elif returns_poisoned_of(mem):
        ask(state, HEAL, 0, word_at(state, at + 1), 0, 0)
    else:
        return False
    set_word(state, PLACE, at)
    return True


@kernel
def draw_free_frame(mem: Memory, state: Words) -> int:
    """The slot of a frame of a free block, or of any frame if it finds none."""
    for order in range(draw_below(state, top_of(mem) + 1), top_of(mem) + 1):
        for mt in range(CMA + 1):
            p = first_of_list(mem, order, mt) if listed_of(mem) >> mt & 1 else 0
            if p != 0:
                return p + draw_below(state, 1 << order)
    return first_of(mem) + draw_below(state, end_of(mem) - first_of(mem))


@kernel
def empty_entry(state: Words, first: int, count: int, size: int) -> int:
    """An entry of a table that is empty, or -1."""
    for at in range(first, first + count * size, size):
        if word_at(state, at) == NOWHERE:
            return at
    return -1


@kernel
def track_place(state: Words) -> None:
    """Have an entry for what the request may isolate or poison, or let it name nothing that can be.

    What no entry has would never come back.
    """
    verb = word_at(state, VERB)
    if verb == ISOLATE_RANGE:
        set_word(state, PLACE, empty_entry(state, RANGES, RANGE_ENTRIES, RANGE_WORDS))
        if word_at(state, PLACE) < 0:
            set_word(state, COUNT, 0)
    elif verb == POISON:
        set_word(state, PLACE, empty_entry(state, FRAMES, FRAME_ENTRIES, FRAME_WORDS))
        if word_at(state, PLACE) < 0:
            set_word(state, PFN, -1)


@kernel
def follow_place(state: Words, result: int) -> None:
    """Keep the entry that a request was about in step with what came of it.

    A range that is not isolated as it should be may be offline; if not that either, it is
    forgotten, as is a frame that is not poisoned.
    """
    at, verb = word_at(state, PLACE), word_at(state, VERB)
    if verb in (ISOLATE_RANGE, POISON):
        if result == 0:
            set_word(state, at, IN_ISOLATION if verb == ISOLATE_RANGE else IS_POISONED)
            set_word(state, at + 1, word_at(state, PFN))
            if verb == ISOLATE_RANGE:
                set_word(state, at + 2, word_at(state, COUNT))
    elif verb == OFFLINE_RANGE:
        if result == 0:
            set_word(state, at, IS_OFFLINE)
    elif verb == RESTORE_RANGE and result != 0:
        set_word(state, at, IS_OFFLINE)
    else:
        set_word(state, at, NOWHERE)
