"""Which request to counters is legal, and why the others are not."""

from pagespec.machine import MAX_PAGES
from pagespec.types import MAX_TOP, Refusal
from pagespec.vmstat.counters import Counters
from pagespec.vmstat.laws.changes import KINDS
from pagespec.vmstat.machine import NUMA_ITEMS
from pagespec.vmstat.verbs import ALL, MOST_TIMES, CounterOp, CounterVerb

BY_CPU = frozenset(KINDS) | {
    CounterVerb.TAKE,
    CounterVerb.COUNT,
    CounterVerb.REFRESH,
    CounterVerb.UNPLUG,
}
"""The verbs that a CPU runs itself."""

OF_ZONES = frozenset({CounterVerb.CHECK, CounterVerb.TAKE, CounterVerb.COUNT, CounterVerb.RESIZE})
OF_NODES = frozenset({CounterVerb.WAKE, CounterVerb.REST})
OF_SWITCH = frozenset({CounterVerb.NUMA_OFF, CounterVerb.NUMA_ON})
WITH_SWITCH = frozenset({"u16", "s16-draft", "events"})
"""The NUMA designs that can be turned off."""


def due_refusal(counters: Counters, op: CounterOp) -> Refusal | None:
    """The refusal that a request deserves, or None if it must be served.

    Who asks is looked at first, then what is asked about, then how much.
    """
    return _cpu(counters, op) or _subject(counters, op) or _amount(op)


def _cpu(counters: Counters, op: CounterOp) -> Refusal | None:
    if op.verb is CounterVerb.PLUG:
        absent = set(range(len(counters.machine.cpus))) - counters.running
        return None if op.cpu in absent else Refusal.BAD_CPU
    if op.verb not in BY_CPU:
        return None
    if op.cpu not in counters.running:
        return Refusal.BAD_CPU
    if op.cpu in {update.cpu for update in counters.updates if update.left is not None}:
        return Refusal.BUSY
    alone = op.verb is CounterVerb.UNPLUG and counters.running == {op.cpu}
    return Refusal.BAD_CPU if alone else None


def _subject(counters: Counters, op: CounterOp) -> Refusal | None:
    machine = counters.machine
    zones = range(len(machine.zones))
    if op.verb is CounterVerb.COUNT and op.preferred not in zones:
        return Refusal.NO_COUNTER
    if op.verb in OF_ZONES:
        return None if op.where in zones else Refusal.NO_COUNTER
    if op.verb in OF_NODES:
        return None if op.where in {zone.node for zone in machine.zones} else Refusal.BAD_NODE
    if op.verb in OF_SWITCH:
        turns_on = op.verb is CounterVerb.NUMA_ON
        turns = machine.numa_name in WITH_SWITCH and counters.numa_on is not turns_on
        return None if turns else Refusal.UNSUPPORTED
    if op.verb is CounterVerb.LAND:
        return None if op.number in range(len(counters.updates)) else Refusal.NO_UPDATE
    if op.verb is CounterVerb.READ and op.where == ALL:
        return None if op.item in counters.totals else Refusal.NO_COUNTER
    if op.verb is not CounterVerb.READ and op.verb not in KINDS:
        return None
    if (op.item, op.where) not in {(place.item, place.where) for place in counters.places}:
        return Refusal.NO_COUNTER
    return Refusal.UNSUPPORTED if op.verb in KINDS and op.item in NUMA_ITEMS else None


def _amount(op: CounterOp) -> Refusal | None:
    if op.verb in (CounterVerb.CHECK, CounterVerb.TAKE):
        return None if op.order in range(MAX_TOP + 1) else Refusal.BAD_ORDER
    once = op.open or op.verb is CounterVerb.MOD
    times = op.times in range(1, 2 if once else MOST_TIMES + 1)
    fits = {
        CounterVerb.COUNT: op.times in range(1, MOST_TIMES + 1),
        CounterVerb.RESIZE: op.pages in range(1, MAX_PAGES + 1),
        CounterVerb.MIN_FREE: op.pages in range(2**32),
    } | dict.fromkeys(KINDS, times and op.by in range(-(2**31), 2**31))
    return None if fits.get(op.verb, True) else Refusal.BAD_RANGE
