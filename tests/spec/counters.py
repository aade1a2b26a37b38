"""Counters by hand, for tests: machines with small thresholds, and requests in a row."""

from typing import Any

from pagespec.era import ERAS
from pagespec.vmstat.counters import Counters, boot_counters
from pagespec.vmstat.machine import CountedZone, CounterMachine, Item, Place
from pagespec.vmstat.ops import perform
from pagespec.vmstat.verbs import ALL, CounterOp, CounterVerb

FREE, ISOLATED, HIT = Item.FREE, Item.ISOLATED, Item.HIT


def counters_of(
    *zones: tuple[int, int], cpus: tuple[int, ...] = (0,), era: str = "6.1", **machine: Any
) -> Counters:
    """Counters of zones, each a node and its frames; one of 64 frames on node 0 by default."""
    counted = tuple(CountedZone(*zone) for zone in zones or ((0, 64),))
    return boot_counters(CounterMachine(ERAS[era], cpus, counted, **machine))


def ask(counters: Counters, verb: CounterVerb, **fields: Any) -> int:
    """Put one request that must be served."""
    outcome = perform(counters, CounterOp(verb, **fields))
    assert outcome >= 0, (verb, fields, outcome)
    return outcome


def number_of(counters: Counters, item: Item = FREE, where: int = 0) -> int:
    """The number of a counter, of a zone or a node."""
    return next(
        number
        for number, place in enumerate(counters.places)
        if (place.item, place.where) == (item, where)
    )


def place_of(counters: Counters, item: Item, where: int) -> Place:
    return counters.places[number_of(counters, item, where)]


def told(counters: Counters, item: Item = ISOLATED, where: int = 0) -> int:
    return counters.told[number_of(counters, item, where)]


def cell(counters: Counters, item: Item = ISOLATED, where: int = 0, cpu: int = 0) -> int:
    return counters.cells[cpu][number_of(counters, item, where)]


def show(counters: Counters, item: Item = ISOLATED, where: int = 0, *, close: bool = False) -> int:
    """What a reader of a zone or node sees."""
    return ask(counters, CounterVerb.READ, item=item, where=where, close=close)


def show_all(counters: Counters, item: Item) -> int:
    """What a reader of the whole machine sees."""
    return ask(counters, CounterVerb.READ, item=item, where=ALL)
