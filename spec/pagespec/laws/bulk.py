"""Laws about requests that fill the empty slots of an array."""

from typing import Literal, TypeAlias

from pagespec.era import Era
from pagespec.laws.frame import newly_filled
from pagespec.laws.law import Complaint, LawBook, Transition
from pagespec.laws.serving import served
from pagespec.laws.tries import due_try, passes, refills
from pagespec.laws.ways import goes_by_lists, number_of, set_of, type_of
from pagespec.laws.wording import wording
from pagespec.types import Pfn
from pagespec.verbs import Op, Verb
from pagespec.watermark.check import NO_RIGHTS
from pagespec.zone import Zone

BULK_LAWS: LawBook[Transition] = LawBook()

Way: TypeAlias = Literal["full", "list", "one", "none"]
"""How a bulk request goes on: not at all, as all slots are filled; by its CPU's list; with one
frame that is had in the ordinary way; or with none."""


def empty_slots(zone: Zone, pages: int) -> list[int]:
    """The slots that a request is to fill, lowest first."""
    filled = set(zone.slots.values())
    return [slot for slot in range(pages) if slot not in filled]


def way_of(zone: Zone, op: Op) -> Way:
    """How a legal bulk request is served.

    By the list, unless one frame is all that seems to be missing, as what lies behind the first
    empty slot is not looked at; or the zone would fall below its low mark with all slots filled; or
    the guard bars it. If the list has nothing at all, one frame more is tried: in 5.15 only where
    no slot is filled yet.
    """
    empty = empty_slots(zone, op.pages)
    if not empty:
        return "full"
    levels, plain = zone.levels, op._replace(order=0, atomic=False)
    if op.pages - empty[0] == 1 or not goes_by_lists(zone, op, 0):
        return "one"
    room = 0 if levels is None else levels.marks.low + levels.boost + op.pages
    if levels is not None and not passes(zone, plain, room, NO_RIGHTS):
        return "one"
    listed = set_of(zone, op).lists[number_of(zone.machine, 0, type_of(zone, op))]
    if listed or refills(zone, plain):
        return "list"
    return "none" if empty[0] and zone.machine.era.bulk == "first-of-all" else "one"


def filled_in_order(step: Transition) -> list[Pfn]:
    """The frames that the request put into slots, by slot."""
    new = newly_filled(step)
    return sorted(new, key=new.__getitem__)


def has_bulk(era: Era) -> bool:
    """Whether the era has bulk requests."""
    return era.bulk != "none"


@BULK_LAWS.law(
    "BULK-prefix", eras=has_bulk, source="mm/page_alloc.c, alloc_pages_bulk, 5.15 to 6.12"
)
def prefix(step: Transition) -> Complaint:
    """A bulk request fills slots that were empty, below the number it returns, up to which all are.

    The caller goes on from there; a slot that is filled twice loses a frame. Slots behind may be
    filled already, so the number may be less than what is there.
    """
    if not served(step, Verb.BULK):
        return None
    before, after, op = step.before.zone.slots, step.after.zone.slots, step.op
    if not before.items() <= after.items():
        return f"{wording(op)} changed a slot that was filled: {before} became {after}"
    taken = sorted(after.values())
    if len(set(taken)) != len(taken):
        return f"{wording(op)} filled a slot twice: {taken}"
    new = sorted(newly_filled(step).values())
    if new and new[-1] >= step.outcome:
        return f"{wording(op)} filled slot {new[-1]} and returned {step.outcome}"
    if step.outcome > op.pages or not set(range(step.outcome)) <= set(taken):
        return f"{wording(op)} returned {step.outcome}, filled are {taken}"
    return None


@BULK_LAWS.law(
    "BULK-settle", eras=has_bulk, source="mm/page_alloc.c, alloc_pages_bulk, 5.15 to 6.12"
)
def settled(step: Transition) -> Complaint:
    """A bulk request fills all slots from its CPU's list, or settles for one frame for a reason.

    It stops short where the list can get no more. Fewer frames than there are make the caller come
    back for each; more than one from below the marks takes what is kept for others.
    """
    zone, op = step.before.zone, step.op
    if not served(step, Verb.BULK):
        return None
    empty, way = empty_slots(zone, op.pages), way_of(zone, op)
    new = sorted(newly_filled(step).values())
    if new != empty[: len(new)]:
        return f"{wording(op)} filled {new} of the empty slots {empty}"
    if way == "list":
        due = op.pages if len(new) == len(empty) else empty[len(new)]
        plain = op._replace(order=0, atomic=False)
        if len(new) < len(empty) and (not new or refills(step.after.zone, plain)):
            return f"{wording(op)} filled {new} although there was more"
    else:
        most = 1 if way == "one" else 0
        if len(new) > most:
            return f"{wording(op)} filled {new}, {most} are due"
        alone = op._replace(verb=Verb.ALLOC, order=0, emergency=False)
        ordinary = due_try(zone, alone).number
        if way == "one" and not new and ordinary in ("only", "low", "min"):
            return f"{wording(op)} filled nothing although one frame may be had"
        if new and ordinary == "none":
            return f"{wording(op)} filled {new} although no try may serve it"
        due = op.pages if way == "full" else empty[0] + len(new)
    if step.outcome == due:
        return None
    return f"{wording(op)} returned {step.outcome} and filled {new}, {due} is due"
