"""Machines and requests that the tests of the counters' twin share."""

from dataclasses import replace
from random import Random

from pagespec.era import ERAS, Era
from pagespec.vmstat.counters import Counters
from pagespec.vmstat.machine import CountedZone, CounterMachine, Item
from pagespec.vmstat.numa import NUMA_DESIGNS, NumaName
from pagespec.vmstat.verbs import ALL, CounterOp, CounterVerb, Level

DESIGNS: list[tuple[Era, NumaName]] = [
    (era, numa) for era in ERAS.values() for numa in NUMA_DESIGNS
]
"""Every era with every way to keep NUMA statistics."""

LEVELS: tuple[Level, ...] = ("min", "low", "high")

HUGE = (-(2**70), -(2**31) - 1, -1, 2**31, 2**40, 2**70)
"""Numbers that hardly any request may name."""


def machine_of(era: Era, numa: NumaName, rng: Random) -> CounterMachine:
    """A small machine: a few CPUs and zones, and as often as not thresholds that are soon passed.

    Nodes may have CPUs only, or memory only.
    """
    cpus = tuple(rng.choice((0, 0, 1, 5)) for _ in range(rng.choice((1, 2, 2, 3, 9))))
    sizes = (1, 40, 500, 8192, 40000, 2**17)
    zones = tuple(
        CountedZone(rng.choice((0, 1, 5, 63)), rng.choice(sizes)) for _ in range(rng.randint(1, 4))
    )
    machine = CounterMachine(era, cpus, zones, rng.choice((0, 64, 400, 4096)), numa)
    own = machine.design.threshold
    if own is not None and own > 0 and rng.random() < 0.8:
        machine = replace(machine, numa_threshold=rng.choice((0, 1, 2, 3, 7)))
    if era.cells != "none" and rng.random() < 0.7:
        machine = replace(machine, normal=rng.choice((0, 1, 2, 5, 125)))
        if era.lowers_thresholds:
            machine = replace(machine, pressure=rng.choice((None, 1, 2)))
    return machine


def any_op(machine: CounterMachine, rng: Random) -> CounterOp:
    """A request that makes sense by chance only."""
    return CounterOp(
        rng.choice(list(CounterVerb)),
        cpu=rng.choice((rng.randint(-1, len(machine.cpus)), rng.choice(HUGE))),
        item=rng.choice(list(Item)),
        where=rng.choice((rng.randint(-2, 8), rng.choice(HUGE))),
        by=rng.choice((rng.randint(-9, 9), rng.choice(HUGE))),
        times=rng.choice((1, 1, 2, rng.randint(-1, 9), rng.choice(HUGE))),
        irqs_on=rng.random() < 0.5,
        open=rng.random() < 0.3,
        number=rng.choice((rng.randint(-1, 9), rng.choice(HUGE))),
        close=rng.random() < 0.5,
        level=rng.choice(LEVELS),
        order=rng.choice((rng.randint(-1, 17), rng.choice(HUGE))),
        reclaim=rng.random() < 0.5,
        preferred=rng.choice((rng.randint(-1, 5), rng.choice(HUGE))),
        interleave=rng.random() < 0.5,
        pages=rng.choice((rng.randint(-1, 99), rng.choice(HUGE))),
        silent=rng.random() < 0.5,
    )


def change_op(counters: Counters, rng: Random) -> CounterOp:
    """A change that any machine serves, unless its CPU is in the middle of one."""
    places = [place for place in counters.places if place.item.value in ("free", "cma", "isolated")]
    place, cpu = rng.choice(places), rng.choice(sorted(counters.running))
    verb = rng.choice((CounterVerb.MOD, CounterVerb.INC, CounterVerb.DEC))
    opens = rng.random() < 0.15
    return CounterOp(
        verb,
        cpu,
        place.item,
        place.where,
        by=rng.choice((1, -1, 3, -3, 31, -31, 512, -512, 2**31 - 1, -(2**31))),
        times=1 if opens or verb is CounterVerb.MOD else rng.choice((1, 1, 2, 7, 200)),
        irqs_on=rng.random() < 0.5,
        open=opens,
    )


def op_for(counters: Counters, rng: Random) -> CounterOp:
    """A request that fits how the counters stand, as often as not."""
    machine, zones = counters.machine, len(counters.machine.zones)
    dice, cpu = rng.random(), rng.choice(sorted(counters.running))
    if dice < 0.1:
        return any_op(machine, rng)
    if dice < 0.14:
        # One word of a request that fits is changed.
        return change_op(counters, rng)._replace(times=rng.choice((0, 2)))
    if dice < 0.45:
        return change_op(counters, rng)
    if counters.updates and dice < 0.6:
        return CounterOp(CounterVerb.LAND, number=rng.randrange(len(counters.updates)))
    zone, level = rng.randrange(zones), rng.choice(LEVELS)
    if dice < 0.7:
        interleave, times = rng.random() < 0.2, rng.choice((1, 2, 9))
        preferred = rng.randrange(zones)
        return CounterOp(
            CounterVerb.COUNT,
            cpu,
            where=zone,
            preferred=preferred,
            times=times,
            interleave=interleave,
        )
    if dice < 0.76:
        return CounterOp(CounterVerb.REFRESH, cpu, open=rng.random() < 0.4)
    if dice < 0.82:
        place, close = rng.choice(counters.places), rng.random() < 0.5
        where = ALL if rng.random() < 0.4 else place.where
        return CounterOp(CounterVerb.READ, item=place.item, where=where, close=close)
    if dice < 0.9:
        verb, order = rng.choice((CounterVerb.CHECK, CounterVerb.TAKE)), rng.randint(0, 5)
        reclaim = rng.random() < 0.5
        return CounterOp(verb, cpu, where=zone, level=level, order=order, reclaim=reclaim)
    return tuning_op(counters, zone, rng)


def tuning_op(counters: Counters, zone: int, rng: Random) -> CounterOp:
    """A request after which counting follows other rules."""
    verb = rng.choice(
        (
            *(CounterVerb.WAKE, CounterVerb.REST, CounterVerb.MIN_FREE, CounterVerb.RESIZE),
            *(CounterVerb.UNPLUG, CounterVerb.NUMA_OFF, CounterVerb.NUMA_ON),
            *(CounterVerb.UNPLUG, CounterVerb.PLUG, CounterVerb.PLUG),
        )
    )
    if verb in (CounterVerb.WAKE, CounterVerb.REST):
        return CounterOp(verb, where=rng.choice(counters.machine.nodes))
    if verb is CounterVerb.MIN_FREE:
        return CounterOp(verb, pages=rng.choice((0, 7, 64, 5000, 2**32 - 1)))
    if verb is CounterVerb.RESIZE:
        pages, silent = rng.choice((1, 999, 10**5, 2**24)), rng.random() < 0.4
        return CounterOp(verb, where=zone, pages=pages, silent=silent)
    gone = sorted(set(range(len(counters.machine.cpus))) - counters.running)
    if verb is CounterVerb.PLUG and gone:
        return CounterOp(verb, cpu=rng.choice(gone))
    return CounterOp(verb, cpu=rng.randrange(len(counters.machine.cpus)))
