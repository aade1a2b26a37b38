"""Short runs of requests that belong together: what one by one they would seldom come to."""

from collections.abc import Callable
from random import Random
from typing import TypeAlias

from pagespec.vmstat.counters import Counters
from pagespec.vmstat.machine import Item
from pagespec.vmstat.verbs import ALL, CounterOp, CounterVerb, Level

Episode: TypeAlias = Callable[[Random, Counters, int], list[CounterOp]]
"""Draws requests that begin on the CPU and that count free frames of one zone; at least one."""

MOST_TAKEN = 12
"""Blocks that a drought takes at most."""


def squeeze(rng: Random, known: Counters, cpu: int) -> list[CounterOp]:
    """A CPU keeps all it may; then it may keep less, and its counter goes back towards 0.

    Meanwhile another CPU may go, which restores what it may keep, or at last it keeps all again and
    takes one step more.
    """
    zone = _zone(rng, known)
    node = known.machine.zones[zone].node
    sign = rng.choice((1, -1))
    on, back = _step(sign), _step(-sign)
    fill = CounterOp(
        CounterVerb.MOD, cpu, where=zone, by=sign * known.thresholds[zone] - known.cells[cpu][zone]
    )
    others = sorted(known.running - {cpu})
    ops = [
        CounterOp(CounterVerb.REST, where=node),
        fill,
        CounterOp(CounterVerb.WAKE, where=node),
        rng.choice(
            (
                CounterOp(back, cpu, where=zone, irqs_on=rng.random() < 0.7),
                CounterOp(CounterVerb.MOD, cpu, where=zone, by=-sign, irqs_on=True),
            )
        ),
    ]
    if others and rng.random() < 0.4:
        ops.append(CounterOp(CounterVerb.UNPLUG, rng.choice(others)))
    if rng.random() < 0.5:
        ops += [
            CounterOp(CounterVerb.REST, where=node),
            CounterOp(CounterVerb.REFRESH, cpu),
            fill._replace(by=sign * known.thresholds[zone]),
            CounterOp(on, cpu, where=zone, irqs_on=rng.random() < 0.5),
        ]
    return ops


def _zone(rng: Random, known: Counters) -> int:
    """Any zone, but one with a drift mark if there is one: without it kswapd changes nothing."""
    zones = range(len(known.machine.zones))
    return rng.choice([zone for zone in zones if known.drift_marks[zone]] or zones)


def _step(sign: int) -> CounterVerb:
    return CounterVerb.INC if sign > 0 else CounterVerb.DEC


def drought(rng: Random, known: Counters, cpu: int) -> list[CounterOp]:
    """A zone comes near its mark, and CPUs take what is left without a word."""
    zone = _zone(rng, known)
    level: Level = rng.choice(("min", "min", "low", "high"))
    near: int = getattr(known.marks[zone], level) + rng.randint(1, 3)
    by = near - known.told[zone] - known.cells[cpu][zone]
    cpus = [cpu, rng.choice(sorted(known.running))]
    takes = min(MOST_TAKEN, known.thresholds[zone] + 2)
    take = CounterOp(CounterVerb.TAKE, where=zone, level=level)
    reclaims = rng.random() < 0.8
    return [
        CounterOp(CounterVerb.MOD, cpu, where=zone, by=by),
        *(take._replace(cpu=rng.choice(cpus)) for _ in range(takes)),
        *([CounterOp(CounterVerb.WAKE, where=known.machine.zones[zone].node)] if reclaims else ()),
        CounterOp(CounterVerb.CHECK, where=zone, level=level, reclaim=reclaims),
        CounterOp(CounterVerb.READ, where=zone, close=True),
    ]


def lag(rng: Random, known: Counters, cpu: int) -> list[CounterOp]:
    """Zones are told, but the machine not yet, and somebody reads the total."""
    zone = rng.randrange(len(known.machine.zones))
    step = CounterOp(rng.choice((CounterVerb.INC, CounterVerb.DEC)), cpu, where=zone)
    halfway = (
        [step, CounterOp(CounterVerb.REFRESH, cpu, open=True)]
        if known.thresholds[zone]
        else [step._replace(open=True), CounterOp(CounterVerb.LAND, number=len(known.updates))]
    )
    return [*halfway, CounterOp(CounterVerb.READ, where=ALL)]


def census(rng: Random, known: Counters, cpu: int) -> list[CounterOp]:
    """Allocations are counted, as many as a cell is told of, and somebody reads how many."""
    machine = known.machine
    zone, preferred = (rng.randrange(len(machine.zones)) for _ in range(2))
    where = machine.zones[zone].node if machine.design.of_node else zone
    items = (Item.LOCAL, Item.OTHER, Item.HIT if zone == preferred else Item.MISS)
    own = machine.numa_threshold or 0
    times = own + rng.choice((1, own // 2 + 1))
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
    """A CPU goes with something in its cells, though its zone has less than nothing."""
    zone = rng.randrange(len(known.machine.zones))
    step = CounterOp(CounterVerb.DEC, cpu, Item.CMA, zone)
    return [
        step._replace(times=2 * known.thresholds[zone] + 2),
        step,
        CounterOp(CounterVerb.READ, item=Item.CMA, where=zone),
        CounterOp(CounterVerb.UNPLUG, cpu),
        CounterOp(CounterVerb.PLUG, cpu),
    ]


EPISODES: tuple[Episode, ...] = (
    *(squeeze, squeeze, squeeze, drought, drought),
    *(lag, census, census, silence, farewell),
)
"""What a walk may draw in place of a single request, some more often than others."""
