"""Requests to counters in words, for complaints."""

from pagespec.vmstat.laws.changes import KINDS
from pagespec.vmstat.laws.refusals import OF_NODES, OF_ZONES
from pagespec.vmstat.machine import NUMA_ITEMS, CounterMachine, Place
from pagespec.vmstat.verbs import ALL, CounterOp, CounterVerb

_OF_CPU = frozenset({CounterVerb.REFRESH, CounterVerb.UNPLUG, CounterVerb.PLUG})


def wording(op: CounterOp) -> str:
    """The request as a person would say it.

    >>> wording(CounterOp(CounterVerb.REFRESH, cpu=1)), wording(CounterOp(CounterVerb.NUMA_OFF))
    ('refresh of CPU 1', 'numaoff')
    >>> wording(CounterOp(CounterVerb.INC, where=2, times=5)), wording(CounterOp(CounterVerb.TAKE))
    ('inc of free of 2 on CPU 0, 5 times', 'take of zone 0')
    """
    name = op.verb.value
    if op.verb in _OF_CPU:
        return f"{name} of CPU {op.cpu}"
    if op.verb is CounterVerb.READ or op.verb in KINDS:
        name += f" of {op.item.value} of {'all' if op.where == ALL else op.where}"
        name += "" if op.verb is CounterVerb.READ else f" on CPU {op.cpu}"
        name += f" by {op.by}" if op.verb is CounterVerb.MOD else ""
        return f"{name}, {op.times} times" if op.times != 1 else name
    if op.verb in OF_ZONES:
        return f"{name} of zone {op.where}"
    if op.verb in OF_NODES:
        return f"{name} of node {op.where}"
    return f"{name} of update {op.number}" if op.verb is CounterVerb.LAND else name


def named(place: Place) -> str:
    """The counter as a person would say it.

    >>> from pagespec.vmstat.machine import Item
    >>> named(Place(Item.HIT, 3)), named(Place(Item.ISOLATED, 1, of_node=True))
    ('hit of zone 3', 'isolated of node 1')
    """
    return f"{place.item.value} of {'node' if place.of_node else 'zone'} {place.where}"


def numa_places(machine: CounterMachine) -> list[int]:
    """The numbers of the NUMA statistics."""
    return [number for number, place in enumerate(machine.places) if place.item in NUMA_ITEMS]
