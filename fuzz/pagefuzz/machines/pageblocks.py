"""What every machine with pageblocks must keep to, whoever draws it."""

from collections.abc import Iterator, Sequence

from pagespec.era import Era
from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.migratetype import CMA, HIGHATOMIC, ISOLATE, MOVABLE, MigrateType
from pagespec.types import Order, Pfn

WHOLE: tuple[MigrateType, ...] = (CMA, ISOLATE)
"""The types that a block as large as a range to isolate has throughout or not at all."""


def smallest_pageblock(era: Era, top: Order) -> Order:
    """The smallest order that pageblocks of the era may have."""
    return max(1, top - 1) if era.retypes_on_merge else 1


def largest_guard(machine: Machine) -> Order:
    """The highest order under which halves may become guards, so that none covers two pageblocks.

    One that did would outlive the isolation of either, and then merge across. The kernel's setting
    ends at half the top order, far below a pageblock's.
    Source: mm/page_alloc.c, debug_guardpage_minorder_setup, 4.10 to 6.1.
    """
    return (machine.pageblock or machine.top) if machine.era.guards else 0


def heads_of_ranges(machine: Machine) -> list[Pfn]:
    """The first frames of the smallest ranges that can be isolated: whole, and without a hole.

    There are none on a machine without pageblocks.
    """
    if machine.pageblock is None:
        return []
    size = SIZES[machine.isolation_order]
    return [
        head
        for head in range(-(-machine.start // size) * size, machine.end - size + 1, size)
        if not any(first < head + size and head < end for first, end in machine.holes)
    ]


def fitted(machine: Machine, types: Sequence[MigrateType]) -> Iterator[MigrateType]:
    """One of the era's types for each pageblock, changed where the machine could not have it."""
    size, whole = SIZES[machine.pageblock or 0], SIZES[machine.isolation_order]
    leading = MOVABLE
    for number, mt in enumerate(types):
        first = (machine.start // size + number) * size
        if number == 0 or first % whole == 0:
            leading = mt
        cut = first < machine.start or first + size > machine.end
        if leading in WHOLE:
            yield leading
        elif mt in WHOLE or (cut and mt is HIGHATOMIC):
            yield MOVABLE
        else:
            yield mt
