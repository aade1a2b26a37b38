"""Which events a run has reached, and which it must reach before its silence means anything.

A run that never split a block has said nothing about splitting: it is vacuous, not green.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from pagespec.era import Era
from pagespec.events import Event, Kind
from pagespec.frames import SIZES
from pagespec.laws.law import Level
from pagespec.types import FAULT, NO_MEMORY, Order, Refusal
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import Zone, free_blocks

Reached: TypeAlias = Counter[tuple[Kind, int]]
"""How often each kind of event happened, by order; by the refusal's code for refusals."""

PLAIN_REFUSALS = tuple(refusal for refusal in Refusal if refusal is not Refusal.UNSAID)


def events_of(log: Iterable[Event]) -> Iterator[tuple[Kind, int]]:
    """The countable part of what the spec logged."""
    return ((event.kind, event.order) for event in log)


def events_from_outside(op: Op, outcome: Outcome) -> Iterator[tuple[Kind, int]]:
    """The events that a caller can tell from a request and its outcome alone."""
    if outcome == FAULT:
        return
    if outcome == NO_MEMORY:
        yield Kind.FAIL, op.order
    elif outcome <= max(Refusal):
        # Reasons may go unsaid.
        yield Kind.REFUSE, Refusal.UNSAID
    elif op.verb is Verb.ALLOC:
        yield Kind.ALLOC, op.order
    elif op.verb is Verb.FREE:
        yield Kind.FREE, op.order


def events_between(
    before: Zone, op: Op, outcome: Outcome, after: Zone
) -> Iterator[tuple[Kind, int]]:
    """The splits and merges that two states show, for an allocator that logs nothing.

    A block that was cut lost its order step by step, and one that grew gained it so.
    """
    was, becomes = set(free_blocks(before)), set(free_blocks(after))
    if op.verb is Verb.ALLOC and outcome >= 0:
        for pfn, order in was - becomes:
            if pfn <= outcome < pfn + SIZES[order]:
                yield from ((Kind.SPLIT, higher) for higher in range(op.order + 1, order + 1))
    elif outcome == 0 and op.pfn in before.held and op.pfn not in after.held:
        freed = before.held[op.pfn].order
        for pfn, order in becomes - was:
            if pfn <= op.pfn < pfn + SIZES[order]:
                yield from ((Kind.MERGE, lower) for lower in range(freed, order))


def floor_of(era: Era, level: Level, top: Order, verbs: frozenset[Verb]) -> set[tuple[Kind, int]]:
    """The events that a run over the era must reach.

    At every order up to top a block is handed out and taken back, a request fails, and where free
    blocks are shown one is split and merged; each refusal, or just one where reasons may go unsaid;
    and whatever the era's placement and the allocator's references add.
    """
    handed = {Kind.ALLOC, Kind.FREE, Kind.FAIL}
    floor = {(kind, order) for kind in handed for order in range(top + 1)}
    if level != "outside":
        floor |= {(Kind.SPLIT, order) for order in range(1, top + 1)}
        floor |= {(Kind.MERGE, order) for order in range(top)}
    if level == "exact":
        floor |= {(Kind.REFUSE, int(refusal)) for refusal in PLAIN_REFUSALS}
        if era.placement != "head":
            # Only below the order under the top can a further merge be likely.
            floor |= {(Kind.TAIL, order) for order in range(top - 1)}
        if Verb.GET in verbs:
            floor |= {(kind, order) for kind in (Kind.GET, Kind.KEPT) for order in range(2)}
            floor |= {(Kind.TAILS, order) for order in range(1, 3)}
    else:
        floor.add((Kind.REFUSE, int(Refusal.UNSAID)))
    return floor


def name_of_event(event: tuple[Kind, int]) -> str:
    """The event in words, for a table."""
    kind, order = event
    if kind is Kind.REFUSE:
        return f"{kind.value}: {Refusal(order).name}"
    return f"{kind.value} at order {order}"
