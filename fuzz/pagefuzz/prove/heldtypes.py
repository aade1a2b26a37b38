"""The types of what is held, of which a state says nothing: every combination is tried instead.

Only one thing looks at them. A request that takes from another type's pageblock, but not all of
it, counts in some eras which of the frames held there could be moved. So a request that did so is
served once more for each combination of MOVABLE and UNMOVABLE in that pageblock, whether or not a
run can arrive at it: what holds, holds for more than can be reached. RECLAIMABLE counts as
UNMOVABLE does. A CPU that refills its list takes more than one block, and the next pageblock may
depend on the first: there all combinations of the zone are tried.
That nothing else looks is about the code, so it is checked: in a smaller zone the types are made
part of the state, and the states are the same.
"""

from collections.abc import Iterator
from itertools import product

from pagespec.events import Event, Kind
from pagespec.migratetype import MOVABLE, UNMOVABLE
from pagespec.zone import Zone, copy_of

WEIGHS = ("move-then-retry", "claim-or-single")
"""The ways of falling back that count what could be moved."""


def other_types(before: Zone, log: list[Event]) -> Iterator[Zone]:
    """The same state with other types of what is held, if the request whose log this is looked."""
    machine = before.machine
    pageblock = asked_about(before, log)
    if pageblock is None:
        return
    heads = [
        pfn for pfn in before.held if machine.cpus or machine.pageblock_number(pfn) == pageblock
    ]
    combinations = product((UNMOVABLE, MOVABLE), repeat=len(heads))
    next(combinations)  # All UNMOVABLE, as before.
    for types in combinations:
        zone = copy_of(before)
        for pfn, mt in zip(heads, types, strict=True):
            zone.held[pfn] = zone.held[pfn]._replace(mt=mt)
        yield zone


def asked_about(before: Zone, log: list[Event]) -> int | None:
    """The number of the pageblock in which a request took less than all, where that is weighed."""
    machine = before.machine
    if machine.pageblock is None or machine.era.fallback not in (
        "move-then-retry",
        "claim-or-single",
    ):
        return None
    for event in log:
        if event.kind is Kind.EXTFRAG and event.from_order < machine.pageblock:
            return machine.pageblock_number(event.pfn)
    return None
