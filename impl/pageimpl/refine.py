"""From the twin's memory to the spec's state, by reading every raw field.

Nothing is computed that the memory says itself: list order comes from the links in both
directions, tags from every present frame, counts from their fields. So a field that has fallen out
of step shows as a state that breaks a law, or that differs from the spec's.
"""

from collections import OrderedDict
from typing import NamedTuple

import numpy as np

from pageimpl.allocator import Allocator
from pageimpl.era import BITMAP_DESIGN, TUNE_DOUBLING, TUNE_TUNED
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
    Memory,
    Words,
    below_high_of,
    boost_of,
    boosted_of,
    cell_threshold_of,
    classes_of,
    cpus_of,
    design_of,
    disabled_of,
    drift_mark_of,
    end_of,
    first_of,
    free_cma_of,
    free_highatomic_of,
    free_pages_of,
    kept_cma_of,
    kept_free_of,
    lists_first_of,
    lowmem_reserve_of,
    map_of,
    mark_of,
    marked_of,
    nr_reserved_of,
    origin_of,
    pgalloc_of,
    pgfree_of,
    reclaiming_of,
    sets_shift_of,
    shift_of,
    sized_low_of,
    span_of,
    tuning_of,
)
from pageimpl.migratetype import TYPES
from pageimpl.pcp.state import (
    AREA_SLOTS,
    batch_of,
    cma_cell_of,
    count_of,
    factor_of,
    free_cell_of,
    freed_of,
    high_max_of,
    high_min_of,
    high_of,
    high_order_of,
    low_of,
    rest_of,
    unplugged_of,
    waits_of,
)
from pageimpl.walk import TornList, lists_in_area, walk_buffer
from pageimpl.watermark.levels import MARK_HIGH, MARK_LOW, MARK_MIN
from pagespec.pcp.sizes import Pageset
from pagespec.pcp.state import Load, Pcp
from pagespec.pcp.tuning import Doubling, Tuned
from pagespec.types import Order, Pfn
from pagespec.vmstat.kept import Cells, Count
from pagespec.watermark.levels import Levels
from pagespec.watermark.marks import Marks
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


def _load_of(memory: Memory, q: int) -> Load:
    """The sizes of the lists of an area, with what they have learnt."""
    tuning = tuning_of(memory)
    if tuning < TUNE_DOUBLING:
        return Pageset(low_of(memory, q), high_of(memory, q), batch_of(memory, q))
    if tuning != TUNE_TUNED:
        return Doubling(high_of(memory, q), batch_of(memory, q), factor_of(memory, q))
    return Tuned(
        high_min=high_min_of(memory, q),
        high_max=high_max_of(memory, q),
        batch=batch_of(memory, q),
        high=high_of(memory, q),
        factor=factor_of(memory, q),
        freed=freed_of(memory, q),
        high_order=high_order_of(memory, q) != 0,
        waits=waits_of(memory, q) != 0,
    )


def _pcps(allocator: Allocator, buffer: Words) -> list[list[Pcp]]:
    """Per CPU, its page lists."""
    memory = allocator.memory
    listed, shift = records_of(memory)["listed_type"], shift_of(memory)
    sets = 1 << sets_shift_of(memory)
    pcps = []
    for cpu in range(cpus_of(memory)):
        areas = [lists_first_of(memory) + (cpu * sets + kind) * AREA_SLOTS for kind in range(sets)]
        pcps.append(
            [
                Pcp(
                    lists=[
                        OrderedDict((pfn, TYPES[listed[pfn + shift]]) for pfn in pfns)
                        for pfns in lists_in_area(memory, q, buffer)
                    ],
                    count=count_of(memory, q),
                    load=_load_of(memory, q),
                )
                for q in areas
            ]
        )
    return pcps


def _unplugged(memory: Memory) -> set[int]:
    """The CPUs whose area says that they do not run."""
    first, sets = lists_first_of(memory), 1 << sets_shift_of(memory)
    return {
        cpu
        for cpu in range(cpus_of(memory))
        if unplugged_of(memory, first + cpu * sets * AREA_SLOTS)
    }


def _levels(memory: Memory) -> Levels | None:
    """The zone's watermarks as they stand, if it has any."""
    if not marked_of(memory):
        return None
    marks = Marks(*(mark_of(memory, level) for level in (MARK_MIN, MARK_LOW, MARK_HIGH)))
    return Levels(
        marks,
        reserve=tuple(lowmem_reserve_of(memory, number) for number in range(classes_of(memory))),
        boost=boost_of(memory),
        boosted=boosted_of(memory) != 0,
        below_high=below_high_of(memory) != 0,
        reclaiming=reclaiming_of(memory) != 0,
    )


def _cells(allocator: Allocator) -> Cells:
    memory, first = allocator.memory, lists_first_of(allocator.memory)
    areas = range(first, first + allocator.machine.cpus * AREA_SLOTS, AREA_SLOTS)
    return Cells(
        free=Count(
            free_pages_of(memory) - kept_free_of(memory), [free_cell_of(memory, q) for q in areas]
        ),
        cma=Count(
            free_cma_of(memory) - kept_cma_of(memory), [cma_cell_of(memory, q) for q in areas]
        ),
        rest=[rest_of(memory, q) for q in areas],
        threshold=cell_threshold_of(memory),
        drift_mark=drift_mark_of(memory),
    )


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
        pcps=_pcps(allocator, walk_buffer(memory)) if machine.cpus else [],
        levels=_levels(memory),
        unplugged=_unplugged(memory),
        disabled=disabled_of(memory) != 0,
        sized_low=sized_low_of(memory),
        slots=allocator.slots(),
        cells=_cells(allocator) if machine.cells else None,
        on_cpu=0,
        gathered=None,
        # The twin counts for all CPUs at once.
        pgallocs=[pgalloc_of(memory), *[0] * (machine.cpus - 1)],
        pgfrees=[pgfree_of(memory), *[0] * (machine.cpus - 1)],
        visited=0,
        log=[],
    )
