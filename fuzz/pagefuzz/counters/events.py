"""Which events of counters a request was, told from the states before and after it.

A run that never told a cell has said nothing about telling: it is vacuous, not green.
"""

from collections.abc import Callable, Iterator
from enum import Enum
from typing import TypeAlias

from pagespec.types import Refusal
from pagespec.verbs import Outcome
from pagespec.vmstat.counters import Counters, Stage, threshold_of
from pagespec.vmstat.machine import NUMA_ITEMS
from pagespec.vmstat.numa import NUMA_DESIGNS
from pagespec.vmstat.verbs import ALL, CounterOp, CounterVerb


class CounterEvent(Enum):
    """What can happen to counters. Those marked with a number are told apart by it."""

    __hash__ = object.__hash__

    UP = "a cell told upward"
    DOWN = "a cell told downward"
    OVERSTEP = "half a threshold left behind"
    BACK = "an exchange towards 0 told a cell beyond its threshold"
    BEYOND = "a cell beyond its threshold was not told"
    OPEN = "an update left under way"
    LANDED = "an update went on"
    REFRESHED = "a refresh told"
    HELD = "a refresh left under way"
    UNPLUGGED = "a CPU that goes told"
    MARKED = "a drift mark set"
    OUTDATED = "marks left their drift mark behind"
    LOWERED = "thresholds lowered for kswapd"
    RESTORED = "thresholds restored after kswapd"
    RESET = "thresholds recomputed while lowered"
    CLAMPED = "a counter below 0 read as 0"
    CLOSE = "a close read added what CPUs keep"
    LAGGED = "a total lagged behind its zones"
    LOOKED = "a check below the drift mark looked closely"
    CHANGED_MIND = "a close look gave another answer"
    TAKEN = "a block was taken"
    DECLINED = "no block was taken"
    BREACHED = "a block was taken from below the mark"
    COUNTED = "an allocation counted"
    NUMA_TOLD = "a cell of NUMA statistics told"
    MISSED = "an allocation counted as a miss"
    UNCOUNTED = "an allocation not counted"
    FOLDED = "a read emptied cells of NUMA statistics"
    ZEROED = "NUMA statistics turned off while there were some"
    REFUSED = "refused"


CounterMet: TypeAlias = tuple[CounterEvent | CounterVerb, int]
"""An event, and what tells it from others of its kind: the place of the verb in `CHANGES`, of the
stage in `Stage`, of the design in `DESIGNS`, the refusal's code, or 0."""

CHANGES = (CounterVerb.MOD, CounterVerb.INC, CounterVerb.DEC)
DESIGNS = tuple(NUMA_DESIGNS)
STAGES = tuple(Stage)
"""What the numbers of events stand for."""

Watch: TypeAlias = Callable[[Counters, CounterOp, Outcome, Counters], Iterator[CounterMet]]
"""Tells the events of a request that was served from the states before and after it."""


def events_of_step(
    before: Counters, op: CounterOp, outcome: Outcome, after: Counters
) -> Iterator[CounterMet]:
    """The events of one request."""
    if outcome <= max(Refusal):
        yield CounterEvent.REFUSED, outcome
        return
    watch = WATCHES.get(op.verb)
    if watch is not None:
        yield from watch(before, op, outcome, after)
    if after.drift_marks != before.drift_marks:
        yield CounterEvent.MARKED, 0


def events_of_boot(after: Counters) -> Iterator[CounterMet]:
    """The events of the time before the first request."""
    if any(after.drift_marks):
        yield CounterEvent.MARKED, 0


def name_of_counter_event(kind: CounterEvent, number: int) -> str:
    """The event in words, for a table."""
    if kind is CounterEvent.REFUSED:
        return f"request to counters {kind.value}: {Refusal(number).name}"
    if kind in (CounterEvent.UP, CounterEvent.DOWN):
        return f"{kind.value} by {CHANGES[number].value}"
    if kind is CounterEvent.LANDED:
        return f"{kind.value}: {STAGES[number].value}"
    if kind in (CounterEvent.COUNTED, CounterEvent.NUMA_TOLD):
        return f"{kind.value}, design {DESIGNS[number]}"
    return f"{kind.value}"


def number_of(counters: Counters, op: CounterOp) -> int:
    """The number of the counter that a request names which was served."""
    return next(
        number
        for number, place in enumerate(counters.places)
        if place.item is op.item and place.where == op.where
    )


def _change(
    before: Counters, op: CounterOp, outcome: Outcome, after: Counters
) -> Iterator[CounterMet]:
    place = number_of(before, op)
    told = after.told[place] - before.told[place]
    cell, left = before.cells[op.cpu][place], after.cells[op.cpu][place]
    if told:
        yield (CounterEvent.UP if told > 0 else CounterEvent.DOWN), CHANGES.index(op.verb)
    if len(after.updates) > len(before.updates):
        yield CounterEvent.OPEN, 0
    if op.times > 1 or op.open:
        return
    if told and left:
        yield CounterEvent.OVERSTEP, 0
    if abs(cell) > threshold_of(before, before.places[place]):
        if not told:
            yield CounterEvent.BEYOND, 0
        elif op.irqs_on and abs(told + left) < abs(cell):
            yield CounterEvent.BACK, 0


def _land(
    before: Counters, op: CounterOp, outcome: Outcome, after: Counters
) -> Iterator[CounterMet]:
    yield CounterEvent.LANDED, STAGES.index(before.updates[op.number].stage)


def _refresh(
    before: Counters, op: CounterOp, outcome: Outcome, after: Counters
) -> Iterator[CounterMet]:
    if outcome:
        yield CounterEvent.REFRESHED, 0
    if op.open and outcome:
        yield CounterEvent.HELD, 0


def _plugged(
    before: Counters, op: CounterOp, outcome: Outcome, after: Counters
) -> Iterator[CounterMet]:
    if op.verb is CounterVerb.UNPLUG and after.told != before.told:
        yield CounterEvent.UNPLUGGED, 0
    zones = enumerate(before.machine.zones)
    if any(
        zone.node in before.reclaiming and after.thresholds[at] != before.thresholds[at]
        for at, zone in zones
    ):
        yield CounterEvent.RESET, 0


def _kswapd(
    before: Counters, op: CounterOp, outcome: Outcome, after: Counters
) -> Iterator[CounterMet]:
    pairs = list(zip(before.thresholds, after.thresholds, strict=True))
    if op.verb is CounterVerb.WAKE and any(was > now for was, now in pairs):
        yield CounterEvent.LOWERED, 0
    if op.verb is CounterVerb.REST and any(was < now for was, now in pairs):
        yield CounterEvent.RESTORED, 0


def _min_free(
    before: Counters, op: CounterOp, outcome: Outcome, after: Counters
) -> Iterator[CounterMet]:
    if after.marks != before.marks and any(after.drift_marks):
        yield CounterEvent.OUTDATED, 0


def _read(
    before: Counters, op: CounterOp, outcome: Outcome, after: Counters
) -> Iterator[CounterMet]:
    if op.item in NUMA_ITEMS:
        if after.told != before.told:
            yield CounterEvent.FOLDED, 0
        return
    if op.where == ALL:
        told = zip(before.places, before.told, strict=True)
        if before.totals[op.item] != sum(count for place, count in told if place.item is op.item):
            yield CounterEvent.LAGGED, 0
        return
    seen = before.told[number_of(before, op)]
    if seen < 0 and outcome == 0:
        yield CounterEvent.CLAMPED, 0
    if op.close and outcome != max(0, seen):
        yield CounterEvent.CLOSE, 0


def _check(
    before: Counters, op: CounterOp, outcome: Outcome, after: Counters
) -> Iterator[CounterMet]:
    cheap = max(0, before.told[op.where])
    asks = op.reclaim
    if before.machine.era.close_reads == "while-reclaiming":
        asks = before.machine.zones[op.where].node in before.reclaiming
    if asks and cheap < before.drift_marks[op.where]:
        yield CounterEvent.LOOKED, 0
        free = cheap - (1 << op.order) + 1
        if (free > getattr(before.marks[op.where], op.level)) is not bool(outcome):
            yield CounterEvent.CHANGED_MIND, 0


def _take(
    before: Counters, op: CounterOp, outcome: Outcome, after: Counters
) -> Iterator[CounterMet]:
    if not outcome:
        yield CounterEvent.DECLINED, 0
        return
    yield CounterEvent.TAKEN, 0
    kept = sum(cells[op.where] for cells in after.cells)
    if after.told[op.where] + kept < getattr(before.marks[op.where], op.level):
        yield CounterEvent.BREACHED, 0


def _count(
    before: Counters, op: CounterOp, outcome: Outcome, after: Counters
) -> Iterator[CounterMet]:
    if not before.numa_on:
        yield CounterEvent.UNCOUNTED, 0
        return
    design = DESIGNS.index(before.machine.numa_name)
    yield CounterEvent.COUNTED, design
    if after.told != before.told:
        yield CounterEvent.NUMA_TOLD, design
    zones = before.machine.zones
    if zones[op.preferred].node != zones[op.where].node:
        yield CounterEvent.MISSED, 0


def _numa_off(
    before: Counters, op: CounterOp, outcome: Outcome, after: Counters
) -> Iterator[CounterMet]:
    if before.told != after.told or before.cells != after.cells:
        yield CounterEvent.ZEROED, 0


WATCHES: dict[CounterVerb, Watch] = {
    CounterVerb.MOD: _change,
    CounterVerb.INC: _change,
    CounterVerb.DEC: _change,
    CounterVerb.LAND: _land,
    CounterVerb.REFRESH: _refresh,
    CounterVerb.UNPLUG: _plugged,
    CounterVerb.PLUG: _plugged,
    CounterVerb.RESIZE: _plugged,
    CounterVerb.WAKE: _kswapd,
    CounterVerb.REST: _kswapd,
    CounterVerb.MIN_FREE: _min_free,
    CounterVerb.READ: _read,
    CounterVerb.CHECK: _check,
    CounterVerb.TAKE: _take,
    CounterVerb.COUNT: _count,
    CounterVerb.NUMA_OFF: _numa_off,
}
"""Who tells the events of each verb; the rest have none beside having been served."""
