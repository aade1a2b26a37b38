"""The blocks that a run has isolated: linked by their slots, sorted or not.

The twin of the second half of the spec's `compaction.targets`.
"""

from pageimpl.compaction.recorder import visit
from pageimpl.compaction.state import (
    NO_FRAME,
    NONE,
    ORDERS,
    CompactionMemory,
    first_fresh_of,
    first_target_of,
    keeps_orders_of,
    last_fresh_of,
    last_target_of,
    next_target_of,
    set_first_fresh,
    set_first_target,
    set_last_fresh,
    set_last_target,
    set_next_target,
    set_target_order,
    set_target_pages,
    target_order_of,
    target_pages_of,
    wanted_of,
    zone_of,
)
from pageimpl.jitcache import kernel
from pageimpl.memory import shift_of, top_of


@kernel
def has_enough(mem: CompactionMemory) -> bool:
    """Whether there is a frame for each that is to be moved."""
    return target_pages_of(mem) >= wanted_of(mem)


@kernel
def forget_targets(mem: CompactionMemory) -> None:
    """Let a run begin without any block."""
    set_first_fresh(mem, NONE)
    set_last_fresh(mem, NONE)
    set_target_pages(mem, 0)
    for order in range(ORDERS):
        set_first_target(mem, order, NONE)
        set_last_target(mem, order, NONE)


@kernel
def nr_lists(mem: CompactionMemory) -> int:
    """How many lists of sorted blocks there are."""
    return top_of(zone_of(mem)) + 1 if keeps_orders_of(mem) else 1


@kernel
def add_fresh(mem: CompactionMemory, p: int, order: int) -> None:
    """Add a block that was just isolated, which is to be sorted."""
    set_next_target(mem, p, NONE)
    set_target_order(mem, p, order)
    if first_fresh_of(mem) == NONE:
        set_first_fresh(mem, p)
    else:
        set_next_target(mem, last_fresh_of(mem), p)
    set_last_fresh(mem, p)
    set_target_pages(mem, target_pages_of(mem) + (1 << order))


@kernel
def push_front(mem: CompactionMemory, p: int, order: int) -> None:
    """Make a block the next one of its list."""
    first = first_target_of(mem, order)
    set_next_target(mem, p, first)
    set_first_target(mem, order, p)
    if first == NONE:
        set_last_target(mem, order, p)


@kernel
def push_back(mem: CompactionMemory, p: int, order: int) -> None:
    """Make a block the last one of its list."""
    if first_target_of(mem, order) == NONE:
        push_front(mem, p, order)
        return
    set_next_target(mem, last_target_of(mem, order), p)
    set_next_target(mem, p, NONE)
    set_last_target(mem, order, p)


@kernel
def pop_front(mem: CompactionMemory, order: int) -> int:
    """Take the first block off a list that has one: its slot."""
    p = first_target_of(mem, order)
    set_first_target(mem, order, next_target_of(mem, p))
    return p


@kernel
def sort_targets(mem: CompactionMemory) -> None:
    """Make the blocks that were isolated ready for use: of frames the last first."""
    p = first_fresh_of(mem)
    while p != NONE:
        after, order = next_target_of(mem, p), target_order_of(mem, p)
        if keeps_orders_of(mem):
            push_back(mem, p, order)
            visit(mem, 1)
        else:
            for frame in range(p, p + (1 << order)):
                push_front(mem, frame, 0)
            visit(mem, 1 << order)
        p = after
    set_first_fresh(mem, NONE)
    set_last_fresh(mem, NONE)


@kernel
def take_target(mem: CompactionMemory, order: int) -> int:
    """The next isolated block of that order, cut off a larger one if need be, or NO_FRAME."""
    for current in range(order, nr_lists(mem)):
        if first_target_of(mem, current) != NONE:
            p = pop_front(mem, current)
            while current > order:
                current -= 1
                push_front(mem, p + (1 << current), current)
            set_target_pages(mem, target_pages_of(mem) - (1 << order))
            return p - shift_of(zone_of(mem))
    return NO_FRAME


@kernel
def put_target_back(mem: CompactionMemory, pfn: int, order: int) -> None:
    """Let a run have the block again that was not used: it is the next one."""
    push_front(mem, pfn + shift_of(zone_of(mem)), order)
    set_target_pages(mem, target_pages_of(mem) + (1 << order))
