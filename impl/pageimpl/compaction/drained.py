"""A drain that notes what it drained: a capture looks at the blocks in that order.

The turns are those of `pcp.drain`.
"""

from pageimpl.compaction.state import (
    DRAINED_WORDS,
    WORD,
    CompactionMemory,
    drained_first_of,
    set_word_behind,
    word_behind,
    zone_of,
)
from pageimpl.jitcache import kernel
from pageimpl.memory import (
    counts_drain_once_of,
    drains_from_preferred_of,
    listed_order_of,
    prev_of,
)
from pageimpl.pcp.drain import drain_last, is_empty, next_turn
from pageimpl.zone import count_gathered, gather


@kernel
def note_drained(mem: CompactionMemory, number: int, p: int, order: int) -> None:
    """Note a block as the one of that number."""
    at = drained_first_of(mem) + number * DRAINED_WORDS * WORD
    set_word_behind(mem, at, p)
    set_word_behind(mem, at + WORD, order)


@kernel
def drained_slot(mem: CompactionMemory, number: int) -> int:
    """The slot of the block of that number."""
    return word_behind(mem, drained_first_of(mem) + number * DRAINED_WORDS * WORD)


@kernel
def drained_order(mem: CompactionMemory, number: int) -> int:
    """The order of the block of that number."""
    return word_behind(mem, drained_first_of(mem) + (number * DRAINED_WORDS + 1) * WORD)


@kernel
def drain_next(mem: CompactionMemory, q: int, turn: int, number: int) -> int:
    """Note the last block of a list and give it back: how many frames it has."""
    zone = zone_of(mem)
    note_drained(mem, number, prev_of(zone, q + turn), listed_order_of(zone, q + turn))
    return drain_last(zone, q, q + turn)


@kernel
def drain_noted(mem: CompactionMemory, q: int, pages: int) -> int:
    """Give so many frames of a CPU's lists back, as many as there are at most: how many blocks."""
    zone = zone_of(mem)
    if counts_drain_once_of(zone):
        gather(zone)
    if drains_from_preferred_of(zone):
        count = from_first(mem, q, pages)
    else:
        count = round_robin(mem, q, pages)
    count_gathered(zone)
    return count


@kernel
def round_robin(mem: CompactionMemory, q: int, pages: int) -> int:
    """Until 5.15: one block a turn, and one more for each empty list that was passed."""
    zone = zone_of(mem)
    turn = allowance = count = 0
    while pages > 0:
        allowance += 1
        turn = next_turn(zone, turn)
        while is_empty(zone, q + turn):
            allowance += 1
            turn = next_turn(zone, turn)
        while pages > 0 and allowance > 0 and not is_empty(zone, q + turn):
            pages -= drain_next(mem, q, turn, count)
            count += 1
            allowance -= 1
    return count


@kernel
def from_first(mem: CompactionMemory, q: int, pages: int) -> int:
    """Since 6.0: each list to its end, from the first on."""
    zone = zone_of(mem)
    turn = count = 0
    while pages > 0:
        while is_empty(zone, q + turn):
            turn = next_turn(zone, turn)
        while pages > 0 and not is_empty(zone, q + turn):
            pages -= drain_next(mem, q, turn, count)
            count += 1
    return count
