"""Short runs of requests that belong together: what one by one they would seldom come to."""

from collections.abc import Callable
from random import Random
from typing import TypeAlias

from pagespec.vmstat.counters import Counters
from pagespec.vmstat.machine import Item
from pagespec.vmstat.verbs import ALL, CounterOp, CounterVerb

Episode: TypeAlias = Callable[[Random, Counters, int], list[CounterOp]]
"""Draws requests that begin on the CPU and that count free frames of one zone; at least one."""

MOST_TAKEN = 12
"""Blocks that a drought takes at most."""


def squeeze(rng: Random, known: Counters, cpu: int) -> list[CounterOp]:
    """A CPU keeps all it may; then it may keep less, and its counter goes back towards 0."""
    zone = rng.randrange(len(known.machine.zones))
    node = known.machine.zones[zone].node
    sign = rng.choice((1, -1))
    kept = sign * known.thresholds[zone] - known.cells[cpu][zone]
    back = CounterOp(
        rng.choice((CounterVerb.MOD, CounterVerb.DEC if sign > 0 else CounterVerb.INC)),
        cpu,
        where=zone,
        irqs_on=rng.random() < 0.7,
    )
    if back.verb is CounterVerb.MOD:
        back = back._replace(by=-sign)
    return [
        CounterOp(CounterVerb.REST, where=node),
        CounterOp(CounterVerb.MOD, cpu, where=zone, by=kept),
        CounterOp(CounterVerb.WAKE, where=node),
        back,
        *([CounterOp(CounterVerb.REST, where=node)] if rng.random() < 0.5 else ()),
    ]


def drought(rng: Random, known: Counters, cpu: int) -> list[CounterOp]:
    """A zone comes near its mark, and CPUs take what is left without a word."""
    zone = rng.randrange(len(known.machine.zones))
    marks = known.marks[zone]
    near = rng.choice((marks.min, marks.min, marks.low, marks.high)) + rng.randint(1, 3)
    by = near - known.told[zone] - known.cells[cpu][zone]
    cpus = [cpu, rng.choice(sorted(known.running))]
    takes = min(MOST_TAKEN, known.thresholds[zone] + 2)
    reclaims = rng.random() < 0.7
    return [
        CounterOp(CounterVerb.MOD, cpu, where=zone, by=by),
        *(CounterOp(CounterVerb.TAKE, rng.choice(cpus), where=zone) for _ in range(takes)),
        *([CounterOp(CounterVerb.WAKE, where=known.machine.zones[zone].node)] if reclaims else ()),
        CounterOp(CounterVerb.CHECK, where=zone, reclaim=reclaims),
        CounterOp(CounterVerb.READ, where=zone, close=True),
    ]


def lag(rng: Random, known: Counters, cpu: int) -> list[CounterOp]:
    """A CPU tells its zones but not yet the machine, and somebody reads the total."""
    zone = rng.randrange(len(known.machine.zones))
    return [
        CounterOp(rng.choice((CounterVerb.INC, CounterVerb.DEC)), cpu, where=zone),
        CounterOp(CounterVerb.REFRESH, cpu, open=True),
        CounterOp(CounterVerb.READ, where=ALL),
    ]


def census(rng: Random, known: Counters, cpu: int) -> list[CounterOp]:
    """Allocations are counted, as many as a cell is told of, and somebody reads how many."""
    machine = known.machine
    zone, preferred = (rng.randrange(len(machine.zones)) for _ in range(2))
    where = machine.zones[zone].node if machine.design.of_node else zone
    items = (Item.LOCAL, Item.OTHER, Item.HIT if zone == preferred else Item.MISS)
    times = (machine.numa_threshold or 0) + rng.choice((1, 2))
    return [
        CounterOp(CounterVerb.COUNT, cpu, where=zone, preferred=preferred, times=times),
        CounterOp(CounterVerb.READ, item=rng.choice(items), where=rng.choice((where, ALL))),
    ]


def silence(rng: Random, known: Counters, cpu: int) -> list[CounterOp]:
    """NUMA statistics are turned off for a while, where they can be."""
    if not known.machine.design.switch or not known.numa_on:
        return census(rng, known, cpu)
    count = CounterOp(CounterVerb.COUNT, cpu, where=rng.randrange(len(known.machine.zones)))
    off = CounterOp(CounterVerb.NUMA_OFF)
    return [count, off, count, CounterOp(CounterVerb.NUMA_ON), count]


def farewell(rng: Random, known: Counters, cpu: int) -> list[CounterOp]:
    """A CPU goes with something in its cells, and comes back."""
    zone = rng.randrange(len(known.machine.zones))
    return [
        CounterOp(rng.choice((CounterVerb.INC, CounterVerb.DEC)), cpu, where=zone),
        CounterOp(CounterVerb.UNPLUG, cpu),
        CounterOp(CounterVerb.READ, where=zone, close=True),
        CounterOp(CounterVerb.PLUG, cpu),
    ]


EPISODES: tuple[Episode, ...] = (
    *(squeeze, squeeze, squeeze, drought, drought),
    *(lag, census, silence, farewell),
)
"""What a walk may draw in place of a single request, some more often than others."""
