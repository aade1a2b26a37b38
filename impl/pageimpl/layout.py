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

from pageimpl.memory import (
    BITMAP_DESIGN,
    BUDDY,
    HEAD_SLOTS,
    HOLE,
    PLACE_HEAD,
    PLACE_LIKELY,
    PLACE_LIKELY_2_6_39,
    RECORD,
    TAG_DESIGN,
    Memory,
    set_design,
    set_end,
    set_first,
    set_map,
    set_next,
    set_origin,
    set_placement,
    set_prev,
    set_shift,
    set_span,
    set_top,
)
from pagespec.era import Design, Placement
from pagespec.machine import Machine
from pagespec.types import DomainError

DESIGNS: dict[Design, int] = {"tag": TAG_DESIGN, "bitmap": BITMAP_DESIGN}
PLACEMENTS: dict[Placement, int] = {
    "head": PLACE_HEAD,
    "likely": PLACE_LIKELY,
    "likely-2.6.39": PLACE_LIKELY_2_6_39,
}

RECORD_TYPE = np.dtype(
    {
        "names": ["next", "prev", "refs", "nr_free", "tag", "owner"],
        "formats": ["<u4", "<u4", "<u4", "<i4", "u1", "u1"],
        "offsets": [0, 4, 8, 8, 12, 13],
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


def empty_zone(machine: Machine) -> Memory:
    """The memory of a zone before boot: nothing is free, nothing is held, what is absent is poison.

    Raises DomainError as layout_of does.
    """
    layout = layout_of(machine)
    bitmap = machine.era.design == "bitmap"
    memory = Memory(layout.origin + layout.span, -(-layout.span // 8) if bitmap else 0)
    set_top(memory, machine.top)
    set_shift(memory, layout.shift)
    set_first(memory, layout.first)
    set_end(memory, layout.end)
    set_design(memory, DESIGNS[machine.era.design])
    set_placement(memory, PLACEMENTS[machine.era.placement])
    set_origin(memory, layout.origin)
    set_span(memory, layout.span)
    set_map(memory, memory.slots * RECORD)
    for order in range(machine.top + 1):
        set_next(memory, order, order)
        set_prev(memory, order, order)
    records = records_of(memory)
    for first, end in absent_runs(machine, layout):
        poison(records, first, end, machine.top)
    for first, end in machine.holes:
        records["owner"][first + layout.shift : end + layout.shift] = HOLE
    return memory
