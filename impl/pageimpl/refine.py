"""From the twin's memory to the spec's state, by reading every raw field.

Nothing is computed that the memory says itself: list order comes from the links in both
directions, tags from every present frame, counts from their fields. So a field that has fallen out
of step shows as a state that breaks a law, or that differs from the spec's.
"""

from collections import OrderedDict

import numpy as np

from pageimpl.allocator import Allocator
from pageimpl.layout import records_of
from pageimpl.memory import (
    BITMAP_DESIGN,
    BUDDY,
    COMPOUND,
    GIVEN,
    HELD,
    HOLE,
    ORDER_BITS,
    design_of,
    end_of,
    first_of,
    free_pages_of,
    map_of,
    origin_of,
    shift_of,
    span_of,
)
from pageimpl.walk import TornList
from pagespec.types import Order, Pfn
from pagespec.zone import Held, Zone

__all__ = ["TornList", "zone_of"]


def _pair_bits(allocator: Allocator) -> list[set[int]]:
    """Per order, the pairs whose bit is 1, numbered from the era's index base."""
    memory, machine = allocator.memory, allocator.machine
    if design_of(memory) != BITMAP_DESIGN:
        return [set() for _ in range(machine.top + 1)]
    span, at = span_of(memory), map_of(memory)
    maps = memory.array[at : at - (-span // 8)]
    # The map of order o starts at bit span - span / 2**o; the top order's would start at the end.
    starts = [span - (span >> order) for order in range(machine.top + 1)]
    bits = np.unpackbits(maps, bitorder="little").nonzero()[0]
    edges = [*np.searchsorted(bits, starts).tolist(), len(bits)]
    origin_index = origin_of(memory) - shift_of(memory) - machine.base
    return [
        set((bits[low:high] + (origin_index >> (1 + order)) - start).tolist())
        if high > low
        else set()
        for order, (start, low, high) in enumerate(zip(starts, edges[:-1], edges[1:], strict=True))
    ]


def _tags(allocator: Allocator) -> dict[Pfn, Order]:
    """The tag of every present frame that has one. A value that is no mark gives no valid order."""
    memory, machine = allocator.memory, allocator.machine
    zone = records_of(memory)[first_of(memory) : end_of(memory)]
    tags = zone["tag"]
    present = tags if not machine.holes else tags * (zone["owner"] != HOLE)
    tagged = present.nonzero()[0]
    pairs = zip((tagged + machine.start).tolist(), tags[tagged].tolist(), strict=True)
    return {pfn: tag - BUDDY for pfn, tag in pairs}


def zone_of(allocator: Allocator) -> Zone:
    """The zone that the allocator's memory stands for.

    Raises TornList, with the slot, where a free list's links contradict each other.
    """
    memory, machine = allocator.memory, allocator.machine
    lists = allocator.free_area()
    records = records_of(memory)
    zone = records[first_of(memory) : end_of(memory)]
    owners, refs = zone["owner"], zone["refs"]
    heads = (owners & (HELD | GIVEN)).nonzero()[0]
    given = (heads + machine.start).tolist()
    held = {
        pfn: Held(owner & ORDER_BITS, count, owner & COMPOUND != 0)
        for pfn, owner, count in zip(
            given, owners[heads].tolist(), refs[heads].tolist(), strict=True
        )
        if owner >= HELD
    }
    return Zone(
        machine=machine,
        free_area=[OrderedDict.fromkeys(pfns) for pfns in lists],
        tag=_tags(allocator),
        nr_free=records["nr_free"][: machine.top + 1].tolist(),
        free_pages=free_pages_of(memory),
        pair_bits=_pair_bits(allocator),
        held=held,
        given=set(given),
        visited=0,
        log=[],
    )
