"""Random machines with counters: a few CPUs and zones, thresholds small enough to be met."""

from random import Random

from pagespec.era import Era
from pagespec.vmstat.machine import CountedZone, CounterMachine
from pagespec.vmstat.numa import NEVER, NUMA_DESIGNS, NumaDesign, NumaName

NODES, CPUS, ZONES = (1, 2, 2), (1, 1, 2, 2, 3, 4, 8), (1, 1, 2, 2, 3)
"""How many nodes have memory, how many CPUs there are, and how many zones."""

NORMAL, NUMA_THRESHOLD = (0, 1, 2, 2, 3, 4, 5, 5), (0, 1, 2, 3, 5, 8)
"""Thresholds that a few updates reach."""

SMALL, FORMULA_NUMA = 0.75, 0.04
"""How many machines have thresholds so small, and how many leave that of NUMA statistics large."""

PAGES, LARGE_PAGES = (64, 500, 1000, 2000), (500, 40_000, 2**18, 2**22)
"""The frames of a zone: few, or so many that the formula's threshold grows with them."""

MIN_FREE = (0, 0, 16, 64, 400, 4000, 60_000)
"""Min_free_kbytes. Where marks are close together, a drift mark is due; far apart none is."""

HIGHER = 0.1
"""How many of the thresholds for kswapd are above the normal one, as in small zones they can be."""

MEMORYLESS = 0.15
"""How many CPUs are of a node without memory."""


def random_counters(rng: Random, era: Era, numa: NumaName | None = None) -> CounterMachine:
    """A machine that a walk gets around in; of any NUMA design, if none is said."""
    nodes = rng.choice(NODES)
    cpus = tuple(
        nodes if rng.random() < MEMORYLESS else rng.randrange(nodes)
        for _ in range(rng.choice(CPUS))
    )
    small = rng.random() < SMALL
    count = max(nodes, rng.choice(ZONES))
    zones = tuple(
        CountedZone(
            zone if zone < nodes else rng.randrange(nodes),
            rng.choice(PAGES if small else LARGE_PAGES),
        )
        for zone in range(count)
    )
    design: NumaName = rng.choice(tuple(NUMA_DESIGNS)) if numa is None else numa
    normal = rng.choice(NORMAL) if small and era.cells != "none" else None
    lowered = normal is not None and era.lowers_thresholds and rng.random() < 0.8
    own = has_threshold(NUMA_DESIGNS[design]) and rng.random() >= FORMULA_NUMA
    return CounterMachine(
        era=era,
        cpus=cpus,
        zones=zones,
        min_free=rng.choice(MIN_FREE),
        numa=None if design == era.numa else design,
        normal=normal,
        pressure=_pressure(rng, normal) if lowered and normal is not None else None,
        numa_threshold=rng.choice(NUMA_THRESHOLD) if own else None,
    )


def _pressure(rng: Random, normal: int) -> int:
    """A threshold for kswapd: mostly so low that a cell may be two beyond it."""
    return normal + 1 if rng.random() < HIGHER else rng.randrange(max(1, normal - 1))


def has_threshold(design: NumaDesign) -> bool:
    """Whether NUMA statistics have a threshold of their own."""
    return design.threshold not in (None, NEVER)
