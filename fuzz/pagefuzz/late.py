"""Where what a zone has been told decides otherwise than what its lists hold.

A request is put once more, to a copy of the zone that is told everything at once.
"""

from collections.abc import Iterator
from enum import Enum

from pagespec.events import Event, Kind
from pagespec.ops import perform
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone, copy_of


class Late(Enum):
    """What a count that is told late has done to a request."""

    PASSED = "mark passed by a count told late"
    MISSED = "mark missed by a count told late"


def told_at_once(zone: Zone, op: Op) -> Zone | None:
    """The zone as if its CPUs kept nothing; None where the request could not tell."""
    cells, levels = zone.cells, zone.levels
    if cells is None or levels is None or op.verb not in (Verb.ALLOC, Verb.BULK):
        return None
    if cells.free.told == zone.free_pages and cells.cma.told == zone.free_cma:
        return None
    copy = copy_of(zone)
    copy.cells = None
    copy.log.clear()
    return copy


def decided_late(known: Zone, op: Op, log: tuple[Event, ...]) -> Iterator[tuple[Late, int]]:
    """What was decided late, of a request that logged this where less was known."""
    perform(known, op)
    due, got = (
        [event.kind for event in events].count(Kind.BELOW_MARK) for events in (known.log, log)
    )
    if got < due:
        yield Late.PASSED, 0
    elif got > due:
        yield Late.MISSED, 0
