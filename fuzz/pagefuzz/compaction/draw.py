"""Random zones to compact: small ones with work in them, and now and then a large one."""

from dataclasses import replace
from random import Random
from typing import NamedTuple

from pagespec.compaction.design import SCANS
from pagespec.compaction.machine import CompactionMachine
from pagespec.era import Era
from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.migratetype import CMA, MOVABLE, RECLAIMABLE, UNMOVABLE, MigrateType
from pagespec.types import DomainError

LARGE_PAGES, LARGE_TOPS = (512, 1024, 2500), (5, 6, 9)
"""Frames of zones in which runs go through several clusters of 32, and their top orders."""

LARGE, OWN_SCAN, HOLES = 0.05, 0.4, 0.15
"""How many zones are large, hold the lock in another way than their era, and have holes."""

STARTS, BATCHES = (0, 0, 0, 4, 27, 64), (None, 1, 2, 4)
"""The first frames of zones, some within a pageblock; and in what batches CPUs' lists are filled.
"""


class Theme(NamedTuple):
    """What zones of a kind are drawn from.

    pages: a few more, or a few less, so that pageblocks are cut. min_free: with none nothing is
    refused, with much almost everything. mixed: how many have pageblocks of several types.
    """

    pages: tuple[int, ...]
    tops: tuple[int, ...]
    cpus: tuple[int, ...]
    min_free: tuple[int | None, ...]
    mixed: float


THEMES = (
    Theme((16, 24, 32, 40, 48, 100), (2, 3, 4), (0, 1, 2, 3), (None, None, 8, 40), 0.3),
    Theme((24, 32, 48), (2, 3), (0, 0, 1), (16, 24, 40), 0.0),
    Theme((12, 16, 20, 24), (2,), (0, 0, 1), (None,), 0.0),
    Theme((32, 48, 64), (3, 3, 4), (0, 1, 2), (None, None, 8), 0.3),
)
"""Kinds of zones, in turn: any; short of memory; so small that a run often completes a largest
block, which is captured; and with some way to go."""

TYPES: tuple[MigrateType, ...] = (MOVABLE, MOVABLE, MOVABLE, UNMOVABLE, RECLAIMABLE, CMA)
"""The types of pageblocks."""


def random_compaction(rng: Random, era: Era, number: int | None = None) -> CompactionMachine:
    """A zone of the era that a walk gets around in, or fills in part.

    number: of the theme that it is of, any without.
    """
    theme = rng.choice(THEMES) if number is None else THEMES[number % len(THEMES)]
    large = theme is THEMES[0] and rng.random() < LARGE * len(THEMES)
    top = rng.choice(LARGE_TOPS if large else theme.tops)
    pages = rng.choice(LARGE_PAGES if large else theme.pages)
    pages = max(8, pages + rng.choice((0, 0, 0, -3, 1, 5)))
    start, cpus = rng.choice(STARTS), rng.choice(theme.cpus)
    zone = Machine(
        pages=pages,
        top=top,
        era=era,
        start=start,
        pageblock=rng.randint(max(1, top - 1), top),
        holes=_holes(rng, start, pages) if rng.random() < HOLES else (),
        cpus=cpus,
        batch=rng.choice(BATCHES) if cpus else None,
        min_free=rng.choice(theme.min_free),
    )
    if rng.random() < theme.mixed:
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
