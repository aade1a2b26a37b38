"""Read the free lists of a zone in both directions, quickly and without changing anything."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TypeAlias

from pageimpl.jitcache import kernel, operand
from pageimpl.memory import (
    TYPES_SHIFT,
    Memory,
    Words,
    listed_of,
    next_of,
    nr_lists_of,
    origin_of,
    prev_of,
    set_word,
    shift_of,
    span_of,
    top_of,
)
from pagespec.migratetype import MigrateType
from pagespec.types import MAX_TOP, Pfn

Lists: TypeAlias = list[dict[MigrateType, list[Pfn]]]
"""Per order and type, the first frames of the free blocks in list order."""

LENGTHS = MAX_TOP + 1 << TYPES_SHIFT
"""Words at the start of a walk's buffer for each list's length; the frames follow."""


class TornList(Exception):
    """The links of a free list contradict each other at a slot."""

    def __init__(self, slot: int) -> None:
        super().__init__(
            f"slot {slot}: a free list is torn here; expected the next slot's prev to lead back"
        )
        self.slot = slot


@kernel
def walk_list(mem: Memory, head: int, out: Words, at: int) -> int:
    """Write a list's frames in order from an index on: the index behind, or ~slot of a torn link.

    As long as every prev leads back, a list cannot visit a slot twice, so the walk ends.
    """
    origin = origin_of(mem)
    beyond = origin + span_of(mem)
    shift = shift_of(mem)
    before = head
    p = next_of(mem, head)
    while p != head:
        if p < origin or p >= beyond or prev_of(mem, p) != before:
            return ~before
        set_word(out, at, p - shift)
        at += 1
        before = p
        p = next_of(mem, p)
    return at if prev_of(mem, head) == before else ~before


@kernel
def walk_lists(mem: Memory, out: Words) -> int:
    """Write each list's length and then all frames in list order; -1, or the slot of a torn link.

    By order and then by the number of the type, and only the types that have lists.
    """
    at = LENGTHS
    number = 0
    for head in range(top_of(mem) + 1 << TYPES_SHIFT):
        if listed_of(mem) >> (head & ((1 << TYPES_SHIFT) - 1)) & 1:
            beyond = walk_list(mem, head, out, at)
            if beyond < 0:
                return ~beyond
            set_word(out, number, beyond - at)
            number += 1
            at = beyond
    return -1


@kernel
def walk_area(mem: Memory, q: int, out: Words) -> int:
    """Write the length of each list of a CPU's area and then all frames in list order.

    Returns -1, or the slot of a torn link.
    """
    at = LENGTHS
    for index in range(nr_lists_of(mem)):
        beyond = walk_list(mem, q + index, out, at)
        if beyond < 0:
            return ~beyond
        set_word(out, index, beyond - at)
        at = beyond
    return -1


def walk_buffer(memory: Memory) -> Words:
    """A buffer that holds any walk of that memory."""
    return Words(LENGTHS + span_of(memory))


def free_area_of(memory: Memory, types: Sequence[MigrateType], buffer: Words) -> Lists:
    """Per order and type, the first frames of the free blocks, by way of a walk's buffer.

    types: those that have lists, as each order shall name them.
    Raises TornList where next and prev disagree.
    """
    torn = walk_lists(operand(memory), operand(buffer))
    if torn >= 0:
        raise TornList(torn)
    numbered = sorted(types)
    places = [(mt, numbered.index(mt)) for mt in types]
    lengths = buffer.array[: (top_of(memory) + 1) * len(numbered)].tolist()
    edges = list(accumulate(lengths, initial=0))
    frames = buffer.array[LENGTHS : LENGTHS + edges[-1]].tolist()
    lists = []
    for first in range(0, len(lengths), len(numbered)):
        of_order: dict[MigrateType, list[Pfn]] = {}
        for mt, place in places:
            of_order[mt] = frames[edges[first + place] : edges[first + place + 1]]
        lists.append(of_order)
    return lists


def lists_in_area(memory: Memory, q: int, buffer: Words) -> list[list[Pfn]]:
    """The frames of each list of a CPU's area, by way of a walk's buffer. Raises TornList."""
    torn = walk_area(operand(memory), q, operand(buffer))
    if torn >= 0:
        raise TornList(torn)
    edges = list(accumulate(buffer.array[: nr_lists_of(memory)].tolist(), initial=LENGTHS))
    frames = buffer.array[: edges[-1]].tolist()
    return [frames[first:end] for first, end in pairwise(edges)]
