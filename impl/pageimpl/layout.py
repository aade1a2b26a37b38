"""Where a zone's frames lie in its memory, and the state before boot.

The span of slots is widened on both sides to multiples of twice the largest block, because that
is how far a careless merge can look. In a kernel there is no page behind a frame that does not
exist, and reading it gives garbage. Here the garbage is the worst there is: each absent frame looks
like a free block that could merge with a present one, so that forgetting to ask whether a frame
exists shows.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pageimpl.era import (
    BARRIERS,
    CMA_RULES,
    DESIGNS,
    FALLBACK_STYLES,
    ISOLATIONS,
    PLACEMENTS,
    RESERVES,
)
from pageimpl.memory import (
    BUDDY,
    HEAD_SLOTS,
    HOLE,
    LOADS,
    ONE_PAGEBLOCK,
    RECORD,
    TYPES_SHIFT,
    Memory,
    frame_in_array_of,
    managed_of,
    set_barrier,
    set_boot_to_tail,
    set_cma_rule,
    set_design,
    set_end,
    set_extended,
    set_fallback,
    set_first,
    set_guard,
    set_isolation,
    set_isolation_order,
    set_listed,
    set_lists_first,
    set_managed,
    set_map,
    set_moved_to_tail,
    set_next,
    set_nofragment,
    set_nr_isolated,
    set_nr_reserved,
    set_origin,
    set_pageblock_order,
    set_placement,
    set_prev,
    set_reserve,
    set_reserve_order,
    set_returns_poisoned,
    set_retypes_on_merge,
    set_shared,
    set_shift,
    set_span,
    set_takes_poisoned,
    set_top,
)
from pageimpl.pcp.sizes import areas_of, write_lists
from pageimpl.pcp.state import AREA_SLOTS
from pageimpl.watermark.levels import write_levels
from pageimpl.watermark.marks import marks_of
from pagespec.machine import MAX_SLOTS, Machine
from pagespec.migratetype import HIGHATOMIC, ISOLATE
from pagespec.types import DomainError

RECORD_TYPE = np.dtype(
    {
        "names": ["next", "prev", "refs", "nr_free", "tag", "owner", "type", "listed_type"],
        "formats": ["<u4", "<u4", "<u4", "<i4", "u1", "u1", "u1", "u1"],
        "offsets": [0, 4, 8, 8, 12, 13, 14, 15],
        "itemsize": RECORD,
    }
)
"""A record as numpy sees it, for code that sweeps whole zones."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The places of a zone in its memory, all in slots.

    origin, span: the widened run of slots. first, end: the zone's own. shift: slot less pfn.
    """

    origin: int
    span: int
    first: int
    end: int
    shift: int

    @property
    def lists_first(self) -> int:
        """The first slot of the CPUs' areas, which start with a cache line."""
        return -(-(self.origin + self.span) // 4) * 4


def layout_of(machine: Machine) -> Layout:
    """The layout of a machine's zone.

    Raises DomainError for an era whose merge loop is not bounded by the zone: the two ways of 2004
    that were not merged exist in the spec only.
    """
    era = machine.era
    if era.bounds != "zone":
        raise DomainError(
            f"era {era.name} bounds merges by {era.bounds!r}: the fast twin has only 'zone'"
        )
    reach = 2 << machine.top
    origin = max(HEAD_SLOTS, reach)
    first = origin + (machine.start - machine.base) % reach
    end = first + machine.pages
    span = -(-(end - origin) // reach) * reach
    return Layout(origin, span, first, end, first - machine.start)


def records_of(memory: Memory) -> npt.NDArray[np.void]:
    """The memory's records as a structured array, one element a slot."""
    return memory.array[: memory.slots * RECORD].view(RECORD_TYPE)


def frames_in_array(memory: Memory) -> npt.NDArray[np.int64]:
    """The slot of the frame in each slot of the array of bulk requests, all at once."""
    first = dict(LOADS)[frame_in_array_of].offset
    return memory.array[first : first + 8 * MAX_SLOTS].view(np.int64)


def absent_runs(machine: Machine, layout: Layout) -> list[tuple[int, int]]:
    """The runs of slots in the span, [first, end), that have no frame."""
    edges = [layout.origin]
    for first, end in machine.chunks:
        edges += [first + layout.shift, end + layout.shift]
    edges.append(layout.origin + layout.span)
    return list(zip(edges[::2], edges[1::2], strict=True))


def poison(records: npt.NDArray[np.void], first: int, end: int, top: int) -> None:
    """Make the absent slots [first, end) look like free blocks that merge with their neighbours.

    The first one looks like the upper buddy of a block below the run; any other like the lower
    buddy of a block that starts at the run's end or above, if its alignment allows that.
    """
    if first == end:
        return
    count = end - first
    # As an upper buddy, a slot has the order of its lowest set bit.
    orders = np.zeros(count, np.uint8)
    for order in range(1, top + 1):
        orders[-first % (1 << order) :: 1 << order] = order
    # As a lower buddy, the least order whose block reaches the end; it must be below the other.
    reach = np.full(count, top, np.uint8)
    for order in reversed(range(top)):
        reach[max(count - (1 << order), 0) :] = order
    tags = np.minimum(orders, reach)
    tags[0] = orders[0]
    run = records[first:end]
    run["tag"] = BUDDY | tags
    run["next"] = run["prev"] = np.arange(first, end, dtype=np.uint32)


def types_in(machine: Machine, layout: Layout) -> slice:
    """The slots that hold the pageblocks' types, lowest first."""
    if machine.pageblock is None:
        return slice(0)
    size = 1 << machine.pageblock
    head = layout.first // size * size
    return slice(head, head + machine.pageblocks * size, size)


def write_choices(memory: Memory, machine: Machine) -> None:
    """Write what the era has chosen."""
    era = machine.era
    set_design(memory, DESIGNS[era.design])
    set_placement(memory, PLACEMENTS[era.placement])
    set_barrier(memory, BARRIERS[era.barrier])
    set_fallback(memory, FALLBACK_STYLES[era.fallback])
    set_cma_rule(memory, CMA_RULES[era.cma])
    set_isolation(memory, ISOLATIONS[era.isolation])
    set_reserve(memory, RESERVES[era.reserve])
    set_reserve_order(memory, 0 if era.reserve_for_frames and machine.cpus else 1)
    set_boot_to_tail(memory, era.boot_to_tail)
    set_moved_to_tail(memory, era.moved_to_tail)
    set_nofragment(memory, era.nofragment)
    set_retypes_on_merge(memory, era.retypes_on_merge)
    set_takes_poisoned(memory, era.takes_poisoned)
    set_returns_poisoned(memory, era.returns_poisoned)


def share(memory: Memory) -> None:
    """Let threads share the zone from now on: it is locked, and counted in atomic steps.

    Each thread works for a CPU that no other works for; in a zone without lists all have number 0.
    """
    set_shared(memory, 1)
    set_extended(memory, 1)


def empty_zone(machine: Machine) -> Memory:
    """The memory of a zone before boot: nothing is free, nothing is held, what is absent is poison.

    Raises DomainError as layout_of does.
    """
    layout = layout_of(machine)
    bitmap = machine.era.design == "bitmap"
    slots = layout.lists_first + areas_of(machine) * AREA_SLOTS
    memory = Memory(slots, -(-layout.span // 8) if bitmap else 0)
    write_choices(memory, machine)
    set_top(memory, machine.top)
    set_shift(memory, layout.shift)
    set_first(memory, layout.first)
    set_end(memory, layout.end)
    set_origin(memory, layout.origin)
    set_span(memory, layout.span)
    set_map(memory, memory.slots * RECORD)
    set_guard(memory, machine.guard)
    set_managed(memory, machine.managed_pages)
    pageblock = machine.pageblock
    set_pageblock_order(memory, ONE_PAGEBLOCK if pageblock is None else pageblock)
    set_isolation_order(memory, machine.isolation_order)
    set_nr_reserved(memory, machine.first_types.count(HIGHATOMIC) << (pageblock or 0))
    set_nr_isolated(memory, machine.first_types.count(ISOLATE))
    set_listed(memory, sum(1 << mt for mt in machine.types_listed))
    for order in range(machine.top + 1):
        for mt in machine.types_listed:
            head = order << TYPES_SHIFT | mt
            set_next(memory, head, head)
            set_prev(memory, head, head)
    records = records_of(memory)
    for first, end in absent_runs(machine, layout):
        poison(records, first, end, machine.top)
    for first, end in machine.holes:
        records["owner"][first + layout.shift : end + layout.shift] = HOLE
    records["type"][types_in(machine, layout)] = machine.first_types
    set_lists_first(memory, layout.lists_first)
    set_extended(memory, machine.cpus > 0 or machine.min_free is not None)
    if machine.cpus:
        write_lists(memory, machine)
    if machine.min_free is not None:
        pages = managed_of(memory)
        marks = marks_of(machine.era, machine.min_free, pages, pages)
        write_levels(memory, machine.era, marks, (0,))
    return memory
