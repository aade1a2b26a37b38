"""Machines with pageblocks, of every shape and with pageblocks of all types from the start."""

from dataclasses import replace
from random import Random

from pagefuzz.machines.pageblocks import fitted, largest_guard, smallest_pageblock
from pagespec.era import Era
from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.migratetype import (
    CMA,
    HIGHATOMIC,
    ISOLATE,
    MOVABLE,
    RECLAIMABLE,
    RESERVE,
    UNMOVABLE,
    MigrateType,
)
from pagespec.types import Pfn

COMMON: dict[MigrateType, int] = {
    UNMOVABLE: 3,
    MOVABLE: 4,
    RECLAIMABLE: 3,
    HIGHATOMIC: 3,
    CMA: 2,
    ISOLATE: 1,
    RESERVE: 2,
}
"""How often a pageblock has each type before boot, as far as the era knows it."""

MANY = 50
"""Pageblocks of which one in a hundred or so is the reserve's limit."""


def grouped_machine(rng: Random, era: Era) -> Machine:
    """A small machine with pageblocks; one in some is as large as its era's reserve asks for."""
    top = rng.choice((1, 2, 2, 3, 3, 4, 4, 5, 5, 5))
    least = smallest_pageblock(era, top)
    # What is special about the largest pageblocks, and about those below the top, comes up often.
    pageblock = rng.choice((rng.randint(least, top), max(least, top - 1), top))
    size = SIZES[pageblock]
    # So few that a walk can fill the zone to its last frame.
    count = rng.choice((2, 3, 4, 6, 12) if pageblock < 4 else (2, 2, 3))
    if era.reserve == "one-percent" and rng.random() < 0.35:
        # There is no reserve unless one percent of the zone is a pageblock.
        top = rng.choice((1, 2, 2, 3))
        pageblock = rng.randint(smallest_pageblock(era, top), min(top, 2))
        size, count = SIZES[pageblock], rng.choice((100, 101, 130, 205))
    pages = max(1, count * size + rng.choice((0, 0, rng.randint(-size, size))))
    start = rng.choice((0, SIZES[top] * rng.randint(1, 3), rng.randint(1, 70), rng.randint(1, 70)))
    return with_types(rng, Machine(pages, top, era, start, holes_in(rng, start, pages), pageblock))


def holes_in(rng: Random, start: Pfn, pages: int) -> tuple[tuple[Pfn, Pfn], ...]:
    """Up to two holes, often none."""
    holes: list[tuple[Pfn, Pfn]] = []
    beyond = start
    for _ in range(rng.choice((0, 0, 1, 2)) if pages > 4 else 0):
        first = beyond + rng.randint(0, max(1, pages // 2))
        end = first + rng.choice((1, 1, 2, 3, 8))
        if end < start + pages:
            holes.append((first, end))
            beyond = end + 1
    return tuple(holes)


def with_types(rng: Random, machine: Machine) -> Machine:
    """The machine with types for its pageblocks, and guard pages now and then."""
    guard = rng.randint(0, largest_guard(machine)) if rng.random() < 0.4 else 0
    if rng.random() < 0.2:
        return replace(machine, guard=guard)
    # Each machine leaves some types out. A small one has no other reserve than that of its boot.
    always = {MOVABLE, HIGHATOMIC}
    known = [mt for mt in machine.era.types if mt in always or rng.random() < 0.7]
    if machine.pageblocks >= MANY and HIGHATOMIC in known and rng.random() < 0.7:
        # Else the reserve would begin above its limit, and never grow.
        known.remove(HIGHATOMIC)
    types = rng.choices(known, [COMMON[mt] for mt in known], k=machine.pageblocks)
    return replace(machine, guard=guard, types=tuple(fitted(machine, types)))
