"""Read the free lists of a zone in both directions, quickly and without changing anything."""

from pageimpl.jitcache import kernel, operand
from pageimpl.memory import (
    Memory,
    Words,
    next_of,
    origin_of,
    prev_of,
    set_word,
    shift_of,
    span_of,
    top_of,
)
from pagespec.types import MAX_TOP, Pfn

ORDERS = MAX_TOP + 1
"""Words at the start of a walk's buffer that hold each list's length; the frames follow."""


class TornList(Exception):
    """The links of a free list contradict each other at a slot."""

    def __init__(self, slot: int) -> None:
        super().__init__(
            f"slot {slot}: a free list is torn here; expected the next slot's prev to lead back"
        )
        self.slot = slot


@kernel
def walk_lists(mem: Memory, out: Words) -> int:
    """Write each order's length and then all frames in list order; -1, or the slot of a torn link.

    As long as every prev leads back, a list cannot visit a slot twice, so the walk ends.
    """
    origin = origin_of(mem)
    beyond = origin + span_of(mem)
    shift = shift_of(mem)
    at = ORDERS
    for order in range(top_of(mem) + 1):
        start = at
        before = order
        p = next_of(mem, order)
        while p != order:
            if p < origin or p >= beyond or prev_of(mem, p) != before:
                return before
            set_word(out, at, p - shift)
            at += 1
            before = p
            p = next_of(mem, p)
        if prev_of(mem, order) != before:
            return before
        set_word(out, order, at - start)
    return -1


def walk_buffer(memory: Memory) -> Words:
    """A buffer that holds any walk of that memory."""
    return Words(ORDERS + span_of(memory))


def free_area_of(memory: Memory, buffer: Words) -> list[list[Pfn]]:
    """Per order, the first frames of the free blocks in list order, by way of a walk's buffer.

    Raises TornList where next and prev disagree.
    """
    torn = walk_lists(operand(memory), operand(buffer))
    if torn >= 0:
        raise TornList(torn)
    lengths = buffer.array[: top_of(memory) + 1].tolist()
    frames = buffer.array[ORDERS : ORDERS + sum(lengths)].tolist()
    lists = []
    at = 0
    for length in lengths:
        lists.append(frames[at : at + length])
        at += length
    return lists
