"""Moving held blocks: isolated from their holders, given another place, or put back.

The twin of the spec's `compaction.migrate`. Requests are served one after the other, so nobody
frees a block while it is isolated.
"""

from pageimpl.compaction.capture import give_back_captured
from pageimpl.compaction.freescan import isolate_freepages
from pageimpl.compaction.holders import count_isolated, forget, is_on_lru, put_on_lru
from pageimpl.compaction.lists import put_target_back, take_target
from pageimpl.compaction.state import (
    ISOLATED,
    MOVE_WORDS,
    NO_FRAME,
    WORD,
    CompactionMemory,
    contended_of,
    cpu_of,
    keeps_orders_of,
    marks_of,
    most_moves_of,
    moves_first_of,
    nr_moves_of,
    nr_sources_of,
    set_marks,
    set_nr_moves,
    set_nr_sources,
    set_source,
    set_wanted,
    set_word_behind,
    source_at,
    wanted_of,
    zone_of,
)
from pageimpl.jitcache import kernel
from pageimpl.memory import (
    GIVEN,
    ORDER_BITS,
    owner_of,
    refs_of,
    set_owner,
    set_refs,
    shift_of,
)
from pageimpl.verbs import CPU_SHIFT


@kernel
def isolate_source(mem: CompactionMemory, p: int) -> int:
    """Isolate the held block that the slot heads: how many frames that is."""
    zone = zone_of(mem)
    set_refs(zone, p, refs_of(zone, p) + 1)
    set_marks(mem, p, marks_of(mem, p) | ISOLATED)
    set_source(mem, nr_sources_of(mem), p)
    set_nr_sources(mem, nr_sources_of(mem) + 1)
    pages = 1 << (owner_of(zone, p) & ORDER_BITS)
    set_wanted(mem, wanted_of(mem) + pages)
    count_isolated(mem, p, pages)
    return pages


@kernel
def remove_source(mem: CompactionMemory, number: int) -> None:
    """Take the block of that number out of those that are to be moved."""
    p, last = source_at(mem, number), nr_sources_of(mem) - 1
    set_marks(mem, p, marks_of(mem, p) & ~ISOLATED)
    for other in range(number, last):
        set_source(mem, other, source_at(mem, other + 1))
    set_nr_sources(mem, last)


@kernel
def put_back(mem: CompactionMemory) -> None:
    """Give every block that is still isolated back to its holder."""
    zone = zone_of(mem)
    while nr_sources_of(mem) > 0:
        number = nr_sources_of(mem) - 1
        p = source_at(mem, number)
        remove_source(mem, number)
        count_isolated(mem, p, -(1 << (owner_of(zone, p) & ORDER_BITS)))
        set_refs(zone, p, refs_of(zone, p) - 1)
    set_wanted(mem, 0)


@kernel
def note_move(mem: CompactionMemory, source: int, target: int, order: int) -> None:
    """Add a move to those of the request, if there is room."""
    number = nr_moves_of(mem)
    set_nr_moves(mem, number + 1)
    if number < most_moves_of(mem):
        at = moves_first_of(mem) + number * MOVE_WORDS * WORD
        set_word_behind(mem, at, source)
        set_word_behind(mem, at + WORD, target)
        set_word_behind(mem, at + 2 * WORD, order)


@kernel
def move_block(mem: CompactionMemory, number: int, target: int) -> None:
    """Let the holder of an isolated block hold another in its place, whose first frame is named."""
    zone = zone_of(mem)
    p, shift = source_at(mem, number), shift_of(zone)
    t, owner = target + shift, owner_of(zone, p)
    order = owner & ORDER_BITS
    remove_source(mem, number)
    count_isolated(mem, p, -(1 << order))
    set_owner(zone, p, GIVEN)
    set_owner(zone, t, owner)
    set_refs(zone, t, 1)
    if is_on_lru(mem, p):
        put_on_lru(mem, t, order)
    forget(mem, p, order)
    note_move(mem, p - shift, target, order)


@kernel
def migrate(mem: CompactionMemory) -> bool:
    """Move what is isolated, the last block first; whether there were targets for all."""
    zone = zone_of(mem)
    want = cpu_of(mem) << CPU_SHIFT
    left = nr_sources_of(mem)
    while left > 0:
        left -= 1
        p = source_at(mem, left)
        order = owner_of(zone, p) & ORDER_BITS
        target = take_target(mem, order)
        if target == NO_FRAME and not contended_of(mem):
            isolate_freepages(mem)
            target = take_target(mem, order)
        if target == NO_FRAME:
            put_back(mem)
            return False
        if keeps_orders_of(mem):
            set_wanted(mem, wanted_of(mem) - (1 << order))
        if refs_of(zone, p) == 2:
            move_block(mem, left, target)
            give_back_captured(mem, p, order, want)
            continue
        put_target_back(mem, target, order)
        if keeps_orders_of(mem):
            set_wanted(mem, wanted_of(mem) + (1 << order))
    put_back(mem)
    return True
