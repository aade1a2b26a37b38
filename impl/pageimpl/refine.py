"""From the twin's memory to the spec's state, by reading every raw field.

Nothing is computed that the memory says itself: list order comes from the links in both
directions, tags from every present frame, counts from their fields. So a field that has fallen out
of step shows as a state that breaks a law, or that differs from the spec's.
"""

from collections import OrderedDict

import numpy as np
import numpy.typing as npt

from pageimpl.allocator import Allocator
from pageimpl.memory import (
    BITMAP_DESIGN,
    BUDDY,
    COMPOUND,
    GIVEN,
    HELD,
    HOLE,
    ORDER_BITS,
    RECORD,
    Memory,
    design_of,
    end_of,
    first_of,
    free_pages_of,
    map_of,
    nr_free_of,
    origin_of,
    refs_of,
    shift_of,
    span_of,
)
from pageimpl.walk import TornList
from pagespec.machine import Machine
from pagespec.types import Pfn
from pagespec.zone import Held, Zone

__all__ = ["TornList", "zone_of"]

SIGN = 1 << 31
TAG, OWNER = 12, 13


def _column(memory: Memory, offset: int) -> npt.NDArray[np.uint8]:
    """One byte of each record of the zone, in ascending order of frames."""
    first, end = first_of(memory), end_of(memory)
    return memory.array[first * RECORD + offset : end * RECORD : RECORD]


def _pair_bits(memory: Memory, machine: Machine) -> list[set[int]]:
    """Per order, the pairs whose bit is 1, numbered from the era's index base."""
    span, at = span_of(memory), map_of(memory)
    bits = np.flatnonzero(np.unpackbits(memory.array[at : at + span // 8], bitorder="little"))
    origin_index = origin_of(memory) - shift_of(memory) - machine.base
    found: list[set[int]] = []
    for order in range(machine.top + 1):
        start = span - (span >> order)
        width = span >> (order + 1) if order < machine.top else 0
        low, high = np.searchsorted(bits, (start, start + width))
        found.append(set((bits[low:high] - start + (origin_index >> (1 + order))).tolist()))
    return found


def zone_of(allocator: Allocator) -> Zone:
    """The zone that the allocator's memory stands for.

    Raises TornList, with the slot, where a free list's links contradict each other.
    """
    memory, machine = allocator.memory, allocator.machine
    lists = allocator.free_area()
    start = machine.start
    shift = shift_of(memory)
    tags = _column(memory, TAG)
    owners = _column(memory, OWNER)
    tagged = np.flatnonzero(tags != 0 if not machine.holes else (tags != 0) & (owners != HOLE))
    tag = zip((tagged + start).tolist(), tags[tagged].tolist(), strict=True)
    heads = np.flatnonzero(owners & (HELD | GIVEN))
    held: dict[Pfn, Held] = {}
    given: set[Pfn] = set()
    for pfn, owner in zip((heads + start).tolist(), owners[heads].tolist(), strict=True):
        given.add(pfn)
        if owner >= HELD:
            refs = refs_of(memory, pfn + shift)
            held[pfn] = Held(owner & ORDER_BITS, refs, owner & COMPOUND != 0)
    orders = range(machine.top + 1)
    bitmap = design_of(memory) == BITMAP_DESIGN
    return Zone(
        machine=machine,
        free_area=[OrderedDict.fromkeys(pfns) for pfns in lists],
        tag={pfn: value - BUDDY for pfn, value in tag},
        # The field is unsigned, but a count that fell below zero should look like one.
        nr_free=[(nr_free_of(memory, order) ^ SIGN) - SIGN for order in orders],
        free_pages=free_pages_of(memory),
        pair_bits=_pair_bits(memory, machine) if bitmap else [set() for _ in orders],
        held=held,
        given=given,
        visited=0,
        log=[],
    )
