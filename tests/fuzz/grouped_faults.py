"""Faults in what pageblocks, types, ranges and places need, planted around the spec."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from pagefuzz.target.builtin import Spec
from pagefuzz.target.protocol import Factory
from pagespec.buddy import add_to_free_list, rmqueue_smallest
from pagespec.migratetype import (
    CMA,
    HIGHATOMIC,
    ISOLATE,
    MOVABLE,
    REQUESTED,
    UNMOVABLE,
    MigrateType,
)
from pagespec.ops import perform
from pagespec.pageblock import (
    move_pageblock,
    move_to_free_list,
    pageblock_order,
    pageblock_type,
    set_pageblock_type,
)
from pagespec.types import NO_MEMORY
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import Held, Zone, list_of, lists_of

Serve: TypeAlias = Callable[[Zone, Op], Outcome]


class Fault(NamedTuple):
    """How a request is served wrongly, in which era, and the law that names it."""

    serve: Serve
    era: str
    law: str


FAULTS: list[Fault] = []


def fault(law: str, era: str = "6.1") -> Callable[[Serve], Serve]:
    """Enter a function as a fault."""

    def enter(serve: Serve) -> Serve:
        FAULTS.append(Fault(serve, era, law))
        return serve

    return enter


def planted(fault: Fault) -> Factory:
    """The spec with the fault; it refuses as it should."""

    class Faulty(Spec):
        def serve(self, op: Op) -> Outcome:
            outcome = fault.serve(self.zone, op)
            self.zone.log.clear()
            return outcome

    return Faulty


# --- types -------------------------------------------------------------------------------------


def _last_resort(zone: Zone, op: Op, mt: MigrateType) -> Outcome:
    """Serve a request that has failed from the lists of one type."""
    outcome = perform(zone, op)
    if op.verb is Verb.ALLOC and outcome == NO_MEMORY and mt in zone.machine.types_listed:
        got = rmqueue_smallest(zone, op.order, mt)
        if got is not None:
            zone.held[got] = Held(op.order, 1, op.compound, op.mt)
            zone.given.add(got)
            return got
    return outcome


@fault("OUT-isolated")
def hands_out_isolated(zone: Zone, op: Op) -> Outcome:
    return _last_resort(zone, op, ISOLATE)


@fault("CMA-only-movable")
def hands_out_cma_to_all(zone: Zone, op: Op) -> Outcome:
    return perform(zone, op) if op.mt is MOVABLE else _last_resort(zone, op, CMA)


@fault("ZONE-frame")
def forgets_what_was_asked_for(zone: Zone, op: Op) -> Outcome:
    outcome = perform(zone, op)
    if op.verb is Verb.ALLOC and outcome >= 0:
        zone.held[outcome] = zone.held[outcome]._replace(mt=UNMOVABLE)
    return outcome


@fault("MT-list", era="6.12")
def frees_to_one_list(zone: Zone, op: Op) -> Outcome:
    outcome = perform(zone, op)
    order = zone.tag.get(op.pfn) if op.verb is Verb.FREE and outcome == 0 else None
    if order is not None and list_of(zone, op.pfn, order) in REQUESTED:
        move_to_free_list(zone, op.pfn, order, UNMOVABLE)
    return outcome


@fault("MT-claim")
def claims_no_pageblock(zone: Zone, op: Op) -> Outcome:
    types = zone.pageblocks.copy()
    outcome = perform(zone, op)
    if op.verb is Verb.ALLOC and not op.atomic:
        zone.pageblocks[:] = types
    return outcome


@fault("BUD-count")
def counts_no_cma(zone: Zone, op: Op) -> Outcome:
    outcome = perform(zone, op)
    zone.free_cma = 0
    return outcome


# --- the reserve -------------------------------------------------------------------------------


@fault("HA-reserve")
def reserves_without_limit(zone: Zone, op: Op) -> Outcome:
    outcome = perform(zone, op)
    grouped = op.verb is Verb.ALLOC and zone.machine.pageblock is not None
    wanted = grouped and op.atomic and op.order > 0 and outcome >= 0
    if wanted and pageblock_type(zone, outcome) in REQUESTED:
        move_pageblock(zone, outcome, HIGHATOMIC)
        set_pageblock_type(zone, outcome, HIGHATOMIC)
        zone.nr_reserved += 1 << pageblock_order(zone)
    return outcome


@fault("HA-return")
def gives_the_last_of_the_reserve(zone: Zone, op: Op) -> Outcome:
    return perform(zone, op._replace(force=True) if op.verb is Verb.UNRESERVE else op)


# --- ranges ------------------------------------------------------------------------------------


@fault("BUD-count")
def counts_isolated_as_free(zone: Zone, op: Op) -> Outcome:
    free = zone.free_pages
    outcome = perform(zone, op)
    if op.verb is Verb.ISOLATE and outcome == 0:
        zone.free_pages = free
    return outcome


@fault("ZONE-frame")
def leaves_a_pageblock_isolated(zone: Zone, op: Op) -> Outcome:
    outcome = perform(zone, op)
    if op.verb is Verb.RESTORE and outcome == 0 and not lists_over(zone, op):
        set_pageblock_type(zone, op.pfn, ISOLATE)
    return outcome


def lists_over(zone: Zone, op: Op) -> list[int]:
    """The free blocks that start in a range."""
    heads = range(op.pfn, op.pfn + op.pages)
    return [
        pfn for lists in lists_of(zone) for pfns in lists.values() for pfn in pfns if pfn in heads
    ]


@fault("BUD-partition")
def loses_the_last_frame_of_a_range(zone: Zone, op: Op) -> Outcome:
    outcome = perform(zone, op)
    if op.verb is Verb.CONTIG and outcome >= 0:
        del zone.held[op.pfn + op.pages - 1]
    return outcome


@fault("ZONE-frame")
def gives_up_a_range_and_keeps_its_type(zone: Zone, op: Op) -> Outcome:
    types = zone.pageblocks.copy()
    outcome = perform(zone, op)
    if op.verb is Verb.CONTIG and outcome == NO_MEMORY and CMA not in types:
        zone.pageblocks[:] = types
    return outcome


# --- places ------------------------------------------------------------------------------------


@fault("BUD-partition")
def poisons_and_forgets(zone: Zone, op: Op) -> Outcome:
    outcome = perform(zone, op)
    zone.poisoned.clear()
    return outcome


@fault("BUD-partition")
def heals_and_loses(zone: Zone, op: Op) -> Outcome:
    if op.verb is Verb.HEAL and op.pfn in zone.poisoned:
        zone.poisoned.discard(op.pfn)
        return 0
    return perform(zone, op)


@fault("BUD-partition")
def takes_offline_and_keeps_free(zone: Zone, op: Op) -> Outcome:
    outcome = perform(zone, op)
    if op.verb is Verb.OFFLINE and outcome == 0:
        add_to_free_list(zone, op.pfn, 0, ISOLATE)
    return outcome


@fault("BUD-count")
def counts_guards_as_free(zone: Zone, op: Op) -> Outcome:
    free, guards = zone.free_pages, sum(1 << order for order in zone.guards.values())
    outcome = perform(zone, op)
    more = sum(1 << order for order in zone.guards.values()) - guards
    if op.verb is Verb.ALLOC and more > 0:
        zone.free_pages = min(free, zone.free_pages + more)
    return outcome


@fault("ZONE-frame")
def splits_all_but_the_last(zone: Zone, op: Op) -> Outcome:
    outcome = perform(zone, op)
    if op.verb is Verb.SPLIT and outcome == 0 and op.order > 0:
        last = op.pfn + (1 << op.order) - 1
        zone.held[last] = zone.held[last]._replace(refs=2)
    return outcome
