"""Random hosts: one or two nodes, a few zones of each, CPUs near, far and nowhere, and marks."""

from dataclasses import replace
from random import Random

from pagefuzz.campaign.grouped import holes_in, with_types
from pagefuzz.campaign.listed import BATCHES, HIGHS
from pagefuzz.campaign.walk import BEHAVIOURS, GROUPED
from pagefuzz.machines.pageblocks import largest_guard, smallest_pageblock
from pagespec.era import Era
from pagespec.frames import SIZES
from pagespec.host import RATIOS, Host, Part
from pagespec.machine import Machine
from pagespec.types import Pfn, ZoneClass

NODES, CPUS = (1, 2, 2, 2, 2), (0, 1, 2, 2, 3, 3, 4, 4)
"""How many nodes a host has, and how many CPUs that keep lists."""

MARKED, BY_ZONE, WITHOUT_NUMA = 0.6, 0.3, 0.3
"""How many hosts have watermarks; try zones by class, if the era does; and, of those of one node,
are built for no more than that."""

CELLED = 0.9
"""How many hosts with CPUs keep parts of counts, if their era does: only there lists of far zones
are given back by themselves, after a while."""


def classes_of(era: Era) -> list[ZoneClass]:
    """The classes of zones that the era has."""
    young = era.numbering is not None
    return [each for each in ZoneClass if young or each in (ZoneClass.DMA, ZoneClass.NORMAL)]


def random_host(rng: Random, era: Era | None = None) -> Host:
    """A host of small zones, which a walk can fill to the last frame."""
    era = era or rng.choice(rng.choice(BEHAVIOURS))
    nodes = rng.choice(NODES)
    cpus = tuple(rng.randrange(nodes) for _ in range(rng.choice(CPUS)))
    grouped = era.numbering is not None and rng.random() < GROUPED
    top = rng.choice((1, 2, 3, 3, 4))
    pageblock = rng.randint(smallest_pageblock(era, top), top) if grouped else None
    guard: int | None = None
    parts: list[Part] = []
    at: Pfn = rng.choice((0, 0, SIZES[top], rng.randint(1, 40)))
    for node in range(nodes):
        known = classes_of(era)
        count = min(len(known), rng.choice((1, 2, 2, 3)))
        for zone_class in sorted(rng.sample(known, count)):
            machine = _zone(rng, era, top, at, pageblock)
            guard = machine.guard if guard is None else guard
            machine = replace(machine, guard=guard)
            parts.append(Part(zone_class, node, _with_cpus(rng, machine, node, cpus)))
            at = machine.end + rng.choice((0, SIZES[top], rng.randint(0, 24)))
    if all(part.zone_class is ZoneClass.MOVABLE for part in parts):
        parts[0] = replace(parts[0], zone_class=ZoneClass.NORMAL)
    if cpus and era.cells != "none" and rng.random() < CELLED:
        parts = [replace(part, machine=replace(part.machine, cells=True)) for part in parts]
    pages = sum(part.machine.pages for part in parts)
    # A frame has 4 KiB.
    kbytes = 4 * rng.choice((0, 2, pages // 16, pages // 8, pages // 4))
    return Host(
        tuple(parts),
        cpus,
        kbytes if rng.random() < MARKED else None,
        ratios=_ratios(rng) if era.keeps_low_memory else RATIOS,
        by_zone=era.zonelists_by_zone and rng.random() < BY_ZONE,
        numa=nodes > 1 or rng.random() >= WITHOUT_NUMA,
    )


def _ratios(rng: Random) -> tuple[int, ...]:
    """By default small zones keep nothing."""
    return RATIOS if rng.random() < 0.2 else tuple(rng.choice((1, 3, 6, 20)) for _ in RATIOS)


def _zone(rng: Random, era: Era, top: int, start: Pfn, pageblock: int | None) -> Machine:
    size = SIZES[top]
    pages = max(1, rng.choice((2, 3, 4, 6)) * max(size, 4) + rng.choice((0, 0, rng.randint(-3, 3))))
    machine = Machine(pages, top, era, start, holes_in(rng, start, pages), pageblock)
    if pageblock is not None:
        return with_types(rng, machine)
    return replace(machine, guard=rng.choice((0, 0, rng.randint(0, largest_guard(machine)))))


def _with_cpus(rng: Random, machine: Machine, node: int, cpus: tuple[int, ...]) -> Machine:
    if not cpus:
        return machine
    far = frozenset(cpu for cpu, near in enumerate(cpus) if near != node)
    high = None if machine.era.tuning == "pair" else rng.choice(HIGHS)
    batch = rng.choice(BATCHES)
    return replace(machine, cpus=len(cpus), far=far, batch=batch, high=high)
