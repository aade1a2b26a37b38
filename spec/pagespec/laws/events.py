"""The law about the order of tracepoints, by which a trace of a real kernel shows its era."""

from typing import NamedTuple

from pagespec.choices import ATTEMPTS
from pagespec.events import Event, Kind
from pagespec.laws.fallback import due_fallback, effects_of
from pagespec.laws.holdings import REFUSALS, blocks_freed, due_refusal
from pagespec.laws.law import Complaint, LawBook, Transition
from pagespec.laws.serving import by_buddy, served, source_of
from pagespec.laws.sources import cma_comes_first, due_source
from pagespec.laws.tries import due_try
from pagespec.laws.ways import type_of
from pagespec.laws.wording import wording
from pagespec.migratetype import CMA, RESERVE, UNMOVABLE, MigrateType
from pagespec.types import NO_MEMORY, Order, Pfn
from pagespec.verbs import Verb

EVENT_LAWS: LawBook[Transition] = LawBook()


class Print(NamedTuple):
    """What a tracepoint prints, as far as a state foretells it.

    from_order, from_mt: the block that a fallback found. pfn: None where several blocks may do.
    """

    kind: Kind
    pfn: Pfn | None
    order: Order
    mt: MigrateType = UNMOVABLE
    from_order: Order = 0
    from_mt: MigrateType = UNMOVABLE

    def __str__(self) -> str:
        return f"{self.kind.value} of pfn {self.pfn} order {self.order} type {self.mt.name}"


@EVENT_LAWS.law(
    "EVT-order",
    source="include/trace/events/kmem.h and mm/page_alloc.c, 2.6.37, 4.10, 5.8, 5.15, 6.1, 6.12",
)
def in_order(step: Transition) -> Complaint:
    """The tracepoints of a request come in the era's order, and print what the era prints.

    A trace of a real kernel can be judged only by who knows what it leaves out. A fallback is
    printed before the block's removal; in 6.12 after it if a pageblock was claimed, and else in its
    stead. 5.8 prints no removal where CMA memory came first. The allocation comes last, a free
    before its merges. What a CPU's list holds is printed as allocated and no more; of tries that
    fail and of refills nothing is foretold. The spec alone prints.
    """
    if not step.log or step.outcome in REFUSALS or due_refusal(step.before.zone, step.op):
        return None
    got = [event for event in step.log if event.kind in TRACEPOINTS]
    zone = step.before.zone
    if step.op.verb is Verb.ALLOC and (zone.machine.cpus or zone.levels is not None):
        due, got = _due_last_prints(step, got)
    elif step.op.verb is Verb.ALLOC:
        due = _due_prints(step)
    elif served(step, Verb.FREE, Verb.PUT):
        due = _due_frees(step)
    else:
        return None
    if len(got) == len(due) and all(map(_prints, got, due)):
        return None
    printed = [f"{event.kind.value} of pfn {event.pfn}" for event in got]
    return f"{wording(step.op)} printed {printed}, expected {list(map(str, due))}"


TRACEPOINTS = frozenset({Kind.ALLOC, Kind.FREE, Kind.ZONE_LOCKED, Kind.EXTFRAG})


def _prints(event: Event, due: Print) -> bool:
    same = due._replace(pfn=event.pfn) if due.pfn is None else due
    return Print(*event[:6]) == same


def _due_last_prints(step: Transition, got: list[Event]) -> tuple[list[Print], list[Event]]:
    """What the try that served must print, and what was printed last of all."""
    op = step.op
    if step.outcome == NO_MEMORY:
        return [], [event for event in got if event.kind is Kind.ALLOC]
    plain = by_buddy(step)
    if plain is not None:
        due = _due_prints(plain)
        return due, _served_prints(got, due)
    last = Print(Kind.ALLOC, step.outcome, op.order, type_of(step.before.zone, op))
    refilled = any(event.kind is Kind.REFILL for event in step.log)
    return [last], got[-1:] if refilled or not due_try(step.before.zone, op).by_list else got


def _served_prints(got: list[Event], due: list[Print]) -> list[Event]:
    """What was printed by the removal that served, and last: without what came between.

    A try that failed before has printed, and a refill goes on until it finds nothing more.
    """
    count = len(due) - 1
    for begin in range(len(got) - count):
        window = got[begin : begin + count]
        if all(map(_prints, window, due)):
            return [*window, *got[-1:]]
    return got


def _due_frees(step: Transition) -> list[Print]:
    """A block that is freed whole, or its pieces."""
    return [Print(Kind.FREE, *block) for block in blocks_freed(step.before.zone, step.op)]


def _due_prints(step: Transition) -> list[Print]:
    op, zone = step.op, step.before.zone
    era = zone.machine.era
    grouped = zone.machine.pageblock is not None
    mt = op.mt if grouped else UNMOVABLE
    if era.design == "bitmap":
        return [] if step.outcome == NO_MEMORY else [Print(Kind.ALLOC, step.outcome, op.order, mt)]
    own = due_source(zone, op)
    fallen = grouped and own is None
    due = due_fallback(zone, op) if fallen else None
    # The retry for the reserve of old names that reserve, whatever was asked for.
    asked = RESERVE if fallen and due is None and era.fallback == "take-largest" else mt
    if step.outcome == NO_MEMORY:
        return [Print(Kind.ZONE_LOCKED, 0, op.order, asked)] if era.zone_locked in ATTEMPTS else []
    taken = source_of(step)
    if taken is not None and era.zone_locked == "list" and due is None:
        asked = taken.mt
    locked = Print(Kind.ZONE_LOCKED, step.outcome, op.order, asked)
    last = Print(Kind.ALLOC, step.outcome, op.order, mt)
    if era.zone_locked == "attempt-but-cma-first" and own is not None and own.mt is CMA:
        return [last] if cma_comes_first(zone, op) else [locked, last]
    if due is None or taken is None:
        return [locked, last]
    effect = next(iter(effects_of(step, taken)), None)
    whole = due.least >= (zone.machine.pageblock or 0)
    claimed = effect is not None and bool(effect.typed) and not whole
    from_mt = due.mt
    if era.fallback == "take-largest" and effect is not None:
        from_mt = effect.rest
    pfn = step.outcome if era.fallback == "claim-or-single" else None
    fallback = Print(Kind.EXTFRAG, pfn, op.order, mt, due.least, from_mt)
    if era.fallback == "claim-or-single":
        return [locked, fallback, last] if claimed else [fallback, last]
    return [fallback, locked, last]
