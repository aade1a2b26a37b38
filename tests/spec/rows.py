"""Rows of breakages: states and requests that break one law each, beside the unbroken ones.

A row says which law must be the first to speak. The order of the laws in a book goes from the most
basic to the most demanding, so a row also shows that nothing more basic is broken.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from pagespec.boot import boot
from pagespec.era import ERAS, Era
from pagespec.laws.law import LawBook, Transition
from pagespec.laws.state import STATE_LAWS
from pagespec.laws.step import STEP_LAWS
from pagespec.laws.swept import swept
from pagespec.machine import Machine
from pagespec.migratetype import UNMOVABLE, MigrateType
from pagespec.ops import perform
from pagespec.verbs import Op
from pagespec.zone import Zone, copy_of, list_add, list_del

TAG = ERAS["6.1"]


class Row(NamedTuple):
    """A subject that breaks the law before any other of its book, and one that breaks none."""

    book: LawBook[Any]
    law_id: str
    what: str
    era: Era
    broken: object
    sound: object


ROWS: list[Row] = []


def row(
    book: LawBook[Any], law_id: str, what: str, broken: object, sound: object, era: Era = TAG
) -> None:
    ROWS.append(Row(book, law_id, what, era, broken, sound))


def zone_after(*ops: Op, era: Era = TAG, **machine: Any) -> Zone:
    """A zone of 16 frames, TOP 3, after some requests."""
    zone = boot(Machine(**{"pages": 16, "top": 3, "era": era, **machine}))
    for op in ops:
        assert perform(zone, op) >= 0
    zone.log.clear()
    return zone


def state(law_id: str, what: str, change: Callable[[Zone], object], zone: Zone) -> None:
    """A row of a zone: with the change it is broken, without it is sound."""
    broken = copy_of(zone)
    change(broken)
    row(STATE_LAWS, law_id, what, swept(broken), swept(zone), zone.machine.era)


def put(zone: Zone, pfn: int, order: int, mt: MigrateType = UNMOVABLE) -> None:
    """List a block that was not free before, whatever else is where it lies."""
    list_add(zone, pfn, order, mt)


def lose(zone: Zone, pfn: int, order: int, mt: MigrateType = UNMOVABLE) -> None:
    """Unlist a free block."""
    list_del(zone, pfn, order, mt)


def move(zone: Zone, order: int, pfn: int, to_pfn: int) -> None:
    lose(zone, pfn, order)
    put(zone, to_pfn, order)


def transition(
    before: Zone,
    op: Op,
    outcome: int | None = None,
    visited: int = 0,
    change: Callable[[Zone], object] = id,
) -> Transition:
    """What the spec makes of the request, or with another outcome and a change to the state."""
    after = copy_of(before)
    got = perform(after, op)
    log = tuple(after.log)
    after.log.clear()
    change(after)
    due = got if outcome is None else outcome
    return Transition(swept(before), op, due, swept(after), visited, log)


def step(law_id: str, what: str, change: Callable[[Zone], object], before: Zone, op: Op) -> None:
    """A row of a request: with the change to the state after it is broken."""
    broken, sound = transition(before, op, change=change), transition(before, op)
    row(STEP_LAWS, law_id, what, broken, sound, before.machine.era)


def answer(law_id: str, what: str, outcome: int, before: Zone, op: Op) -> None:
    """A row of a request that changed nothing and was answered wrongly."""
    broken = transition(before, op, outcome)._replace(after=swept(before), log=())
    row(STEP_LAWS, law_id, what, broken, transition(before, op), before.machine.era)
