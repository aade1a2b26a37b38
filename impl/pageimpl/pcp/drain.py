"""Give frames of a CPU's lists back to the buddy: from the tails, in the era's turns.

The twin of the spec's `pcp.drain`, which walks lengths, and of the part of `pcp.lists` that drains.
"""

from pageimpl import bitmap, buddy
from pageimpl.era import BITMAP_DESIGN, ISOLATE_BY_MOVE
from pageimpl.jitcache import kernel
from pageimpl.locks import lock_zone, unlock_zone
from pageimpl.memory import (
    Memory,
    counts_drain_once_of,
    design_of,
    drains_from_preferred_of,
    isolation_of,
    listed_order_of,
    listed_type_of,
    next_of,
    nr_isolated_of,
    nr_lists_of,
    prev_of,
    retypes_on_merge_of,
    set_next,
    set_prev,
)
from pageimpl.pageblock import pageblock_type
from pageimpl.pcp.state import count_of, set_count
from pageimpl.zone import count_gathered, gather


@kernel
def unlist(mem: Memory, p: int) -> None:
    """Take the block out of a CPU's list."""
    before = prev_of(mem, p)
    after = next_of(mem, p)
    set_next(mem, before, after)
    set_prev(mem, after, before)


@kernel
def is_empty(mem: Memory, head: int) -> bool:
    """Whether a list has no block."""
    return next_of(mem, head) == head


@kernel
def drained_as(mem: Memory, p: int) -> int:
    """The type to whose list a drained block returns: the one it was listed with, or its own today.

    It is read again where lists and types agree (6.12); from 4.10 also while any pageblock is
    isolated.
    """
    again = retypes_on_merge_of(mem) != 0
    if isolation_of(mem) != ISOLATE_BY_MOVE and nr_isolated_of(mem) != 0:
        again = True
    return pageblock_type(mem, p) if again else listed_type_of(mem, p)


@kernel
def drain_last(mem: Memory, q: int, head: int) -> int:
    """Give the last block of a list back to the buddy; how many frames it has."""
    p = prev_of(mem, head)
    order = listed_order_of(mem, head)
    unlist(mem, p)
    set_count(mem, q, count_of(mem, q) - (1 << order))
    if design_of(mem) == BITMAP_DESIGN:
        bitmap.free_one_block(mem, p, order, False)
    else:
        buddy.free_one_block(mem, p, order, drained_as(mem, p), False)
    return 1 << order


@kernel
def drain(mem: Memory, q: int, pages: int, preferred: int, cpu: int) -> None:
    """Give so many frames back.

    preferred: the list to begin with, where the era asks for one. cpu: the one at work.
    """
    pages = min(pages, count_of(mem, q))
    if pages == 0:
        return
    lock_zone(mem, cpu)
    if counts_drain_once_of(mem):
        gather(mem)
    if drains_from_preferred_of(mem):
        from_preferred(mem, q, pages, preferred)
    else:
        round_robin(mem, q, pages)
    count_gathered(mem)
    unlock_zone(mem)


@kernel
def next_turn(mem: Memory, turn: int) -> int:
    """The number of the next list, round in a ring."""
    return turn + 1 if turn + 1 < nr_lists_of(mem) else 0


@kernel
def round_robin(mem: Memory, q: int, pages: int) -> None:
    """Until 5.15: one block a turn, and one more for each empty list that was passed."""
    turn = allowance = 0
    while pages > 0:
        allowance += 1
        turn = next_turn(mem, turn)
        while is_empty(mem, q + turn):
            allowance += 1
            turn = next_turn(mem, turn)
        while pages > 0 and allowance > 0 and not is_empty(mem, q + turn):
            pages -= drain_last(mem, q, q + turn)
            allowance -= 1


@kernel
def from_preferred(mem: Memory, q: int, pages: int, turn: int) -> None:
    """Since 6.0: each list to its end, from the preferred one on."""
    while pages > 0:
        while is_empty(mem, q + turn):
            turn = next_turn(mem, turn)
        while pages > 0 and not is_empty(mem, q + turn):
            pages -= drain_last(mem, q, q + turn)
