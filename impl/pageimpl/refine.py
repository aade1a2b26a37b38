"""From the twin's memory to the spec's state, by reading every raw field.

Nothing is computed that the memory says itself: list order comes from the links in both
directions, tags from every present frame, counts from their fields. So a field that has fallen out
of step shows as a state that breaks a law, or that differs from the spec's.
"""

from collections import OrderedDict
from typing import NamedTuple

import numpy as np

from pageimpl.allocator import Allocator
from pageimpl.era import BITMAP_DESIGN
from pageimpl.layout import records_of
from pageimpl.memory import (
    BUDDY,
    COMPOUND,
    GIVEN,
    GUARD,
    HELD,
    HOLE,
    OFFLINE,
    ORDER_BITS,
    POISONED,
    TYPE_BITS,
    TYPE_SHIFT,
    design_of,
    end_of,
    first_of,
    free_cma_of,
    free_highatomic_of,
    free_pages_of,
    map_of,
    nr_reserved_of,
    origin_of,
    shift_of,
    span_of,
)
from pageimpl.migratetype import TYPES
from pageimpl.walk import TornList
from pagespec.pcp.state import empty_pcps
from pagespec.types import Order, Pfn
from pagespec.watermark.levels import levels_of
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


def _tags(allocator: Allocator) -> tuple[dict[Pfn, Order], dict[Pfn, Order]]:
    """The order at every present frame that has a tag: of free blocks, and of guards.

    A value that is no mark gives no valid order.
    """
    memory, machine = allocator.memory, allocator.machine
    zone = records_of(memory)[first_of(memory) : end_of(memory)]
    tags = zone["tag"]
    present = tags if not machine.holes else tags * (zone["owner"] != HOLE)
    tagged = present.nonzero()[0]
    orders: dict[Pfn, Order] = {}
    guards: dict[Pfn, Order] = {}
    for pfn, tag in zip((tagged + machine.start).tolist(), tags[tagged].tolist(), strict=True):
        if tag & GUARD:
            guards[pfn] = tag - (GUARD | BUDDY)
        else:
            orders[pfn] = tag - BUDDY
    return orders, guards


MARKS = np.uint8(HELD | GIVEN | POISONED | OFFLINE)
"""The bits of an owner byte by which a frame counts for more than its existence."""

HOLDINGS = [
    (owner & ORDER_BITS, owner & COMPOUND != 0, TYPES[(owner & TYPE_BITS) >> TYPE_SHIFT])
    for owner in range(256)
]
"""What the owner byte of a held block says: its order, whether it is compound, and its type."""


class _Owners(NamedTuple):
    """What the owner bytes say."""

    held: dict[Pfn, Held]
    given: set[Pfn]
    poisoned: set[Pfn]
    offline: set[Pfn]


def _owners(allocator: Allocator) -> _Owners:
    memory, start = allocator.memory, allocator.machine.start
    zone = records_of(memory)[first_of(memory) : end_of(memory)]
    owner_bytes = zone["owner"]
    marked = (owner_bytes & MARKS).nonzero()[0]
    pfns, owners = (marked + start).tolist(), owner_bytes[marked].tolist()
    # Whoever holds a block was given it.
    found = _Owners(held={}, given=set(pfns), poisoned=set(), offline=set())
    for pfn, owner, refs in zip(pfns, owners, zone["refs"][marked].tolist(), strict=True):
        if owner >= HELD:
            order, compound, mt = HOLDINGS[owner]
            found.held[pfn] = Held(order, refs, compound, mt)
        elif owner != GIVEN:
            if owner & GIVEN == 0:
                found.given.discard(pfn)
            if owner & POISONED:
                found.poisoned.add(pfn)
            if owner & OFFLINE:
                found.offline.add(pfn)
    return found


def zone_of(allocator: Allocator) -> Zone:
    """The zone that the allocator's memory stands for.

    Raises TornList, with the slot, where a free list's links contradict each other.
    """
    memory, machine = allocator.memory, allocator.machine
    tag, guards = _tags(allocator)
    owners = _owners(allocator)
    return Zone(
        machine=machine,
        free_area=[
            {mt: OrderedDict.fromkeys(pfns) for mt, pfns in lists.items()}
            for lists in allocator.free_area()
        ],
        tag=tag,
        nr_free=records_of(memory)["nr_free"][: machine.top + 1].tolist(),
        free_pages=free_pages_of(memory),
        free_cma=free_cma_of(memory),
        free_highatomic=free_highatomic_of(memory),
        pair_bits=_pair_bits(allocator),
        pageblocks=allocator.pageblocks(),
        nr_reserved=nr_reserved_of(memory),
        held=owners.held,
        given=owners.given,
        guards=guards,
        poisoned=owners.poisoned,
        offline=owners.offline,
        pcps=empty_pcps(machine),
        levels=levels_of(machine),
        unplugged=set(),
        disabled=False,
        slots={},
        pgalloc=0,
        pgfree=0,
        visited=0,
        log=[],
    )
