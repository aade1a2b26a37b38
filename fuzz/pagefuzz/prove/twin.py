"""The fast twin, put into any state of a small zone, to serve one request beside the spec.

Exhaustion names a state by its bytes; here the twin's memory is written field by field until it
stands for that state. So each step is compared by itself, whatever came before it.
"""

from collections.abc import Callable

from pageimpl.allocator import Allocator
from pageimpl.layout import empty_zone
from pageimpl.memory import (
    BUDDY,
    HELD,
    Memory,
    OutsideMemory,
    byte_at,
    map_of,
    origin_of,
    set_byte,
    set_free_pages,
    set_next,
    set_nr_free,
    set_owner,
    set_prev,
    set_refs,
    set_tag,
    shift_of,
    span_of,
)
from pageimpl.refine import zone_of
from pageimpl.walk import TornList
from pagespec.laws.exact import TWIN_LAWS, Twins
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import Zone


def write(memory: Memory, zone: Zone) -> None:
    """Make the memory of an empty zone stand for a state whose blocks all have one reference."""
    shift = shift_of(memory)
    for order, blocks in enumerate(zone.free_area):
        before = order
        for pfn in blocks:
            _link(memory, before, pfn + shift)
            before = pfn + shift
        _link(memory, before, order)
        set_nr_free(memory, order, zone.nr_free[order])
    for pfn, order in zone.tag.items():
        set_tag(memory, pfn + shift, BUDDY | order)
    for order, pairs in enumerate(zone.pair_bits):
        for pair in pairs:
            _set_pair(memory, zone.machine, order, pair)
    for pfn, held in zone.held.items():
        set_owner(memory, pfn + shift, HELD | held.order)
        set_refs(memory, pfn + shift, held.refs)
    set_free_pages(memory, zone.free_pages)


def _link(memory: Memory, before: int, after: int) -> None:
    set_next(memory, before, after)
    set_prev(memory, after, before)


def _set_pair(memory: Memory, machine: Machine, order: int, pair: int) -> None:
    span, origin = span_of(memory), origin_of(memory)
    first_pair = (origin - shift_of(memory) - machine.base) >> (1 + order)
    bit = span - (span >> order) + pair - first_pair
    at = map_of(memory) + (bit >> 3)
    set_byte(memory, at, byte_at(memory, at) | 1 << (bit & 7))


def twin_beside(allocator: Allocator) -> Callable[[Zone, Op, Outcome, Zone], None]:
    """A twin that serves each request from the same state, compared in outcome and every field."""
    machine, memory, kernels = allocator.machine, allocator.memory, allocator.kernels
    blank = empty_zone(machine).array
    mem = kernels.operand(memory)

    def beside(before: Zone, op: Op, outcome: Outcome, after: Zone) -> None:
        memory.array[:] = blank
        write(memory, before)
        try:
            if op.verb is Verb.ALLOC:
                got = kernels.alloc_pages(mem, op.order, int(op.compound))
            else:
                got = kernels.free_pages(mem, op.pfn, op.order)
            view = zone_of(allocator)
        except OutsideMemory as outside:
            raise LawBroken("OUT-fault", str(outside)) from None
        except TornList as torn:
            raise LawBroken("BUD-links", str(torn)) from None
        if got != outcome:
            raise LawBroken("TWIN-equal", f"the twin returned {got}, the spec {outcome}")
        TWIN_LAWS.check(machine.era, Twins(after, view))

    return beside
