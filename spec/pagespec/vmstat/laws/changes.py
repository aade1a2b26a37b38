"""What a request makes of the truth: so much to this counter, so often, by this kind of update."""

from typing import NamedTuple

from pagespec.verbs import Outcome
from pagespec.vmstat.counters import Counters
from pagespec.vmstat.drift import Mix
from pagespec.vmstat.machine import CounterMachine, Item, Place
from pagespec.vmstat.verbs import CounterOp, CounterVerb

KINDS: dict[CounterVerb, Mix] = {
    CounterVerb.MOD: "mod",
    CounterVerb.INC: "inc",
    CounterVerb.DEC: "dec",
}
"""The verbs that change one counter."""


class Change(NamedTuple):
    """A number of updates of one counter on one CPU. place: its number. by: what each adds."""

    place: int
    kind: Mix
    by: int
    times: int = 1

    @property
    def pages(self) -> int:
        """What all of them add."""
        return self.by * self.times


def number_of(counters: Counters, op: CounterOp) -> int:
    """The number of the counter that a legal request names."""
    return next(
        number
        for number, place in enumerate(counters.places)
        if (place.item, place.where) == (op.item, op.where)
    )


def changes_of(counters: Counters, op: CounterOp, outcome: Outcome) -> list[Change]:
    """What a legal request changes, each counter once."""
    places = counters.places
    if op.verb in KINDS:
        by = {"mod": op.by, "inc": 1, "dec": -1}[KINDS[op.verb]]
        return [Change(number_of(counters, op), KINDS[op.verb], by, op.times)]
    if op.verb is CounterVerb.TAKE:
        taken = -(2**op.order)
        return [Change(places.index(Place(Item.FREE, op.where)), "mod", taken)] if outcome else []
    if op.verb is not CounterVerb.COUNT or not counters.numa_on:
        return []
    due = due_statistics(counters.machine, op)
    return [Change(places.index(place), "inc", 1, op.times) for place in due]


def due_statistics(machine: CounterMachine, op: CounterOp) -> list[Place]:
    """What counts an allocation.

    The zone that served has a hit if it is of the node that was wanted, else a miss, and the zone
    that was wanted is short of one; it is local if the CPU is of its node, else other.
    """
    design, zones = machine.numa_name, machine.zones
    asked, served = zones[op.preferred].node, zones[op.where].node
    due = {
        Item.HIT: (asked == served, op.where),
        Item.MISS: (asked != served, op.where),
        Item.FOREIGN: (asked != served, op.preferred),
        Item.LOCAL: (machine.cpus[op.cpu] == served, op.where),
        Item.OTHER: (machine.cpus[op.cpu] != served, op.where),
        Item.INTERLEAVE: (op.interleave, op.where),
    }
    by_node = design == "s16-draft"
    return [
        Place(item, zones[zone].node if by_node else zone, by_node)
        for item, (counts, zone) in due.items()
        if counts
    ]
