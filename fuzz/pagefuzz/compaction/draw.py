"""Random zones to compact: small ones with work in them, and now and then a large one."""

from dataclasses import replace
from random import Random

from pagespec.compaction.design import SCANS
from pagespec.compaction.machine import CompactionMachine
from pagespec.era import Era
from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.migratetype import CMA, MOVABLE, RECLAIMABLE, UNMOVABLE, MigrateType
from pagespec.types import DomainError

PAGES = (8, 16, 24, 32, 48, 64, 64, 100, 128, 160)
"""The frames of most zones; a few more, or a few less, so that pageblocks are cut."""

LARGE_PAGES, LARGE_TOPS = (512, 1024, 2500), (5, 6, 9)
"""Frames of zones in which runs go through several clusters of 32, and their top orders."""

LARGE, OWN_SCAN, HOLES, MIXED = 0.08, 0.4, 0.2, 0.35
"""How many zones are large, hold the lock in another way than their era, have holes, and have
pageblocks of several types."""

STARTS = (0, 0, 0, 4, 7, 64)
"""The first frames of zones, some within a pageblock."""

MIN_FREE = (None, None, None, 8, 16, 40, 100)
"""Min_free_kbytes: with none nothing is refused, with much almost everything."""

CPUS, BATCHES = (0, 0, 1, 1, 2, 3), (None, 1, 2, 4)
"""How many CPUs keep lists, and in what batches."""

TYPES: tuple[MigrateType, ...] = (MOVABLE, MOVABLE, MOVABLE, UNMOVABLE, RECLAIMABLE, CMA)
"""The types of pageblocks."""


def random_compaction(rng: Random, era: Era) -> CompactionMachine:
    """A zone of the era that a walk gets around in, or fills in part."""
    large = rng.random() < LARGE
    top = rng.choice(LARGE_TOPS if large else (2, 3, 3, 4))
    pages = rng.choice(LARGE_PAGES if large else PAGES)
    pages = max(8, pages + rng.choice((0, 0, 0, -3, 1, 5)))
    start, pageblock = rng.choice(STARTS), rng.randint(max(1, top - 1), top)
    cpus = rng.choice(CPUS)
    batch = rng.choice(BATCHES) if cpus else None
    zone = Machine(
        pages=pages,
        top=top,
        era=era,
        start=start,
        pageblock=pageblock,
        holes=_holes(rng, start, pages) if rng.random() < HOLES else (),
        cpus=cpus,
        batch=batch,
        min_free=rng.choice(MIN_FREE),
    )
    if rng.random() < MIXED:
        zone = _mixed(rng, zone)
    return CompactionMachine(zone, rng.choice(SCANS) if rng.random() < OWN_SCAN else None)


def _mixed(rng: Random, zone: Machine) -> Machine:
    """The zone with pageblocks of several types; without CMA where it would not be alone."""
    listed = [mt for mt in TYPES if mt in zone.era.types]
    types = tuple(rng.choice(listed) for _ in range(zone.pageblocks))
    try:
        return replace(zone, types=types)
    except DomainError:
        return replace(zone, types=tuple(MOVABLE if mt is CMA else mt for mt in types))


def _holes(rng: Random, start: int, pages: int) -> tuple[tuple[int, int], ...]:
    """One hole: anywhere, or at an end."""
    size = rng.randint(1, max(1, min(pages // 4, SIZES[5])))
    first = rng.choice((start, start + pages - size, start + rng.randrange(pages - size)))
    return ((first, first + size),)
