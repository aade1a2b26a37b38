"""The fast twin, put into any state of a small zone, to serve one request beside the spec.

Exhaustion names a state by its bytes; here the twin's memory is written field by field until it
stands for that state. So each step is compared by itself, whatever came before it.
"""

from collections.abc import Callable

from pagefuzz.prove.twin_lists import link, write_cpus, write_marks, write_slots
from pageimpl.allocator import Allocator
from pageimpl.layout import empty_zone
from pageimpl.memory import (
    BUDDY,
    GUARD,
    HELD,
    OFFLINE,
    POISONED,
    TYPE_SHIFT,
    TYPES_SHIFT,
    Memory,
    OutsideMemory,
    byte_at,
    managed_of,
    map_of,
    origin_of,
    owner_of,
    set_byte,
    set_free_cma,
    set_free_highatomic,
    set_free_pages,
    set_managed,
    set_nr_free,
    set_nr_isolated,
    set_nr_reserved,
    set_owner,
    set_refs,
    set_tag,
    set_type,
    shift_of,
    span_of,
)
from pageimpl.refine import zone_of
from pageimpl.walk import TornList
from pagespec.frames import SIZES
from pagespec.laws.exact import TWIN_LAWS, Twins
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.migratetype import ISOLATE
from pagespec.verbs import Op, Outcome
from pagespec.zone import Zone


def write(memory: Memory, zone: Zone) -> None:
    """Make the memory of an empty zone stand for a state whose blocks all have one reference."""
    shift = shift_of(memory)
    for order, lists in enumerate(zone.free_area):
        for mt, blocks in lists.items():
            head = before = order << TYPES_SHIFT | mt
            for pfn in blocks:
                link(memory, before, pfn + shift)
                before = pfn + shift
            link(memory, before, head)
        set_nr_free(memory, order, zone.nr_free[order])
    for pfn, order in zone.tag.items():
        set_tag(memory, pfn + shift, BUDDY | order)
    for pfn, order in zone.guards.items():
        set_tag(memory, pfn + shift, GUARD | BUDDY | order)
    for order, pairs in enumerate(zone.pair_bits):
        for pair in pairs:
            _set_pair(memory, zone.machine, order, pair)
    for pfn, held in zone.held.items():
        set_owner(memory, pfn + shift, HELD | held.mt << TYPE_SHIFT | held.order)
        set_refs(memory, pfn + shift, held.refs)
    _write_places(memory, zone)
    write_cpus(memory, zone)
    write_slots(memory, zone)
    write_marks(memory, zone)
    set_free_pages(memory, zone.free_pages)
    set_free_cma(memory, zone.free_cma)
    set_free_highatomic(memory, zone.free_highatomic)
    set_nr_reserved(memory, zone.nr_reserved)


def _write_places(memory: Memory, zone: Zone) -> None:
    """Write the types of pageblocks, and the frames that are out of use."""
    shift, size = shift_of(memory), SIZES[zone.machine.pageblock or 0]
    first = zone.machine.start // size * size
    for number, mt in enumerate(zone.pageblocks):
        set_type(memory, first + number * size + shift, mt)
    for pfn in zone.poisoned:
        set_owner(memory, pfn + shift, owner_of(memory, pfn + shift) | POISONED)
    for pfn in zone.offline:
        set_owner(memory, pfn + shift, owner_of(memory, pfn + shift) | OFFLINE)
    set_managed(memory, managed_of(memory) - len(zone.offline) * size)
    set_nr_isolated(memory, zone.pageblocks.count(ISOLATE))


def _set_pair(memory: Memory, machine: Machine, order: int, pair: int) -> None:
    span, origin = span_of(memory), origin_of(memory)
    first_pair = (origin - shift_of(memory) - machine.base) >> (1 + order)
    bit = span - (span >> order) + pair - first_pair
    at = map_of(memory) + (bit >> 3)
    set_byte(memory, at, byte_at(memory, at) | 1 << (bit & 7))


def twin_beside(allocator: Allocator) -> Callable[[Zone, Op, Outcome, Zone], None]:
    """A twin that serves each request from the same state, compared in outcome and every field."""
    machine, memory = allocator.machine, allocator.memory
    blank = empty_zone(machine).array

    def beside(before: Zone, op: Op, outcome: Outcome, after: Zone) -> None:
        memory.array[:] = blank
        write(memory, before)
        try:
            got = allocator.perform(op)
            view = zone_of(allocator)
        except OutsideMemory as outside:
            raise LawBroken("OUT-fault", str(outside)) from None
        except TornList as torn:
            raise LawBroken("BUD-links", str(torn)) from None
        if got != outcome:
            raise LawBroken("TWIN-equal", f"the twin returned {got}, the spec {outcome}")
        TWIN_LAWS.check(machine.era, Twins(after, view))

    return beside


def plain_twin_beside(machine: Machine) -> Callable[[Zone, Op, Outcome, Zone], None]:
    """The twin's plain form, which refuses to leave its memory and can be stopped."""
    return twin_beside(Allocator(machine, jit=False))
