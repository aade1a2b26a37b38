"""The whole allocator: requests are served by the zones of a host, near the CPU that asks.

Source: mm/page_alloc.c (__alloc_pages, zone_statistics, __free_pages), 2.6.11 to 6.12.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

from pagespec.alloc import hold
from pagespec.boot import boot
from pagespec.checks import check_cpu, check_order, check_type
from pagespec.events import Event, Kind
from pagespec.host import RATIOS, Host, ZoneClass, zonelist
from pagespec.migratetype import REQUESTED
from pagespec.steps import Steps
from pagespec.types import Pfn
from pagespec.watermark.levels import Levels, marks_of
from pagespec.watermark.marks import lowmem_reserve
from pagespec.zone import Zone, copy_of
from pagespec.zonelist import Ask, serve


class Numa(NamedTuple):
    """What a zone counts of the allocations that it served, or should have.

    hit, miss: served for its own node, or for another. foreign: meant for it, served elsewhere.
    local, other: asked by a CPU of its node, or of another.
    """

    hit: int = 0
    miss: int = 0
    foreign: int = 0
    local: int = 0
    other: int = 0


@dataclass(slots=True)
class System:
    """The state of a host: its zones, and what each has counted."""

    host: Host
    zones: list[Zone]
    numa: list[Numa]


def boot_system(host: Host) -> System:
    """A host with all its memory free and its watermarks set."""
    zones = [boot(part.machine) for part in host.parts]
    if host.min_free is not None:
        pages = [sum(end - first for first, end in zone.machine.managed) for zone in zones]
        lowmem = sum(
            count
            for part, count in zip(host.parts, pages, strict=True)
            if part.zone_class is not ZoneClass.MOVABLE or not host.era.tries_high_first
        )
        for part, zone, count in zip(host.parts, zones, pages, strict=True):
            marks = marks_of(host.era, host.min_free, count, max(lowmem, count))
            zone.levels = Levels(marks, tuple(reserves_of(host, part.node)[part.zone_class]))
    return System(host, zones, [Numa() for _ in zones])


def reserves_of(host: Host, node: int) -> list[list[int]]:
    """Per class of zone of a node, what it keeps from requests of each class."""
    managed = [0] * len(ZoneClass)
    for part in host.parts:
        if part.node == node:
            managed[part.zone_class] = sum(end - first for first, end in part.machine.managed)
    return lowmem_reserve(managed, RATIOS)


def copy_of_system(system: System) -> System:
    """The same state, sharing nothing that changes."""
    return replace(system, zones=[copy_of(zone) for zone in system.zones], numa=system.numa.copy())


def zone_at(system: System, pfn: Pfn) -> Zone:
    """The zone in which the frame lies; for a frame in none the first one, which refuses it."""
    inside = [zone for zone in system.zones if zone.machine.start <= pfn < zone.machine.end]
    return inside[0] if inside else system.zones[0]


def alloc_pages(
    system: System, ask: Ask, node: int, highest: ZoneClass, *, compound: bool = False
) -> Steps[Pfn | None]:
    """Allocate a block near a node, from a zone up to a class: its first frame, or None."""
    numbers = zonelist(system.host, node, highest)
    zones = [system.zones[number] for number in numbers]
    check_order(zones[0], 0, ask.want.order)
    check_type(zones[0], ask.want.mt, REQUESTED)
    check_cpu(zones[0], ask.where.cpu)
    by_highest = system.host.era.reserves_by_highest
    ask = ask._replace(
        zone_class=highest if by_highest else system.host.parts[numbers[0]].zone_class
    )
    served = yield from serve(zones, ask)
    if served is None:
        zones[0].log.append(Event(Kind.FAIL, 0, ask.want.order, ask.want.mt))
        return None
    count_numa(system, numbers[0], numbers[served.number], ask.where.cpu)
    return hold(zones[served.number], served.taken, ask.want, compound=compound)


def count_numa(system: System, preferred: int, number: int, cpu: int) -> None:
    """Count one allocation, whatever its order: by the node it was meant for, and the CPU's."""
    parts, numa = system.host.parts, system.numa
    node = parts[number].node
    if node == parts[preferred].node:
        numa[number] = numa[number]._replace(hit=numa[number].hit + 1)
    else:
        numa[number] = numa[number]._replace(miss=numa[number].miss + 1)
        numa[preferred] = numa[preferred]._replace(foreign=numa[preferred].foreign + 1)
    if system.host.cpus and system.host.cpus[cpu] == node:
        numa[number] = numa[number]._replace(local=numa[number].local + 1)
    else:
        numa[number] = numa[number]._replace(other=numa[number].other + 1)
