"""The whole allocator: requests are served by the zones of a host, near the CPU that asks.

Source: mm/page_alloc.c (__alloc_pages, zone_statistics, alloc_pages_bulk), 2.6.11 to 6.12.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from pagespec import ops
from pagespec.alloc import hold, log_failure
from pagespec.boot import boot
from pagespec.bulk import check_bulk, fill_from_lists
from pagespec.checks import check_cpu, check_order, check_supported, check_type, refused
from pagespec.events import Event, Kind
from pagespec.highatomic import unreserve
from pagespec.host import Host, Numa
from pagespec.migratetype import LETTER_OF, MOVABLE, REQUESTED
from pagespec.nearest import zonelist
from pagespec.pcp.cpus import check_can_expire, work_on
from pagespec.pcp.resize import measure
from pagespec.steps import Steps, run
from pagespec.types import BadNode, BadType, Pfn, ZoneClass
from pagespec.verbs import Op, Outcome, Verb
from pagespec.vmstat.zone import start
from pagespec.watermark.levels import Levels, marks_of
from pagespec.watermark.marks import lowmem_reserve
from pagespec.zone import Zone, copy_of
from pagespec.zonelist import Ask, serve


@dataclass(slots=True)
class System:
    """The state of a host: its zones, and what each has counted."""

    host: Host
    zones: list[Zone]
    numa: list[Numa]


def boot_system(host: Host) -> System:
    """A host with all its memory free and its watermarks set."""
    zones = [boot(part.machine) for part in host.parts]
    for zone, levels in zip(zones, levels_of_host(host), strict=True):
        zone.levels = levels
        if host.cpus:
            run(measure(zone))
        start(zone)
    return System(host, zones, [Numa() for _ in zones])


def levels_of_host(host: Host) -> list[Levels | None]:
    """The marks of each zone, which share min_free_kbytes, and what each zone keeps for its own."""
    if host.min_free is None:
        return [None for _ in host.parts]
    apart = [host.era.movable_apart and part.zone_class is ZoneClass.MOVABLE for part in host.parts]
    pages = [part.machine.managed_pages for part in host.parts]
    lowmem = sum(count for count, alone in zip(pages, apart, strict=True) if not alone)
    return [
        Levels(
            marks_of(host.era, host.min_free, count, lowmem, apart=alone),
            tuple(reserves_of(host, part.node)[part.zone_class]),
        )
        for part, count, alone in zip(host.parts, pages, apart, strict=True)
    ]


def reserves_of(host: Host, node: int) -> list[list[int]]:
    """Per class of zone of a node, what it keeps from requests of each class, in frames."""
    managed = [0 for _ in ZoneClass]
    for part in host.parts:
        if part.node == node:
            managed[part.zone_class] = part.machine.managed_pages
    ratios = host.ratios if host.era.keeps_low_memory else (0,) * len(host.ratios)
    return lowmem_reserve(managed, (*ratios, 0))


def copy_of_system(system: System) -> System:
    """The same state, sharing nothing that changes."""
    return replace(system, zones=[copy_of(zone) for zone in system.zones], numa=system.numa.copy())


def zone_at(system: System, pfn: Pfn) -> Zone:
    """The zone in which the frame lies; for a frame in none the first one, which refuses it."""
    inside = (zone for zone in system.zones if zone.machine.start <= pfn < zone.machine.end)
    return next(inside, system.zones[0])


def alloc_pages(system: System, op: Op) -> Steps[Pfn | None]:
    """Allocate a block near a node, from a zone up to a class: its first frame, or None."""
    first = system.zones[0]
    check_order(first, 0, op.order)
    check_type(first, op.mt, REQUESTED)
    check_cpu(first, op.cpu)
    check_place(system, op)
    numbers = zonelist(system.host, op.node, op.highest, only_node=op.only_node)
    preferred = numbers[0] if numbers else 0
    ask = ask_of(system, op, preferred)
    zones = [system.zones[number] for number in numbers]
    served = yield from serve(zones, ask)
    if served is None:
        log_failure(system.zones[preferred], ask.want)
        return None
    log_place(system, preferred, numbers[served.number])
    count_numa(system, preferred, numbers[served.number], op.cpu, 1)
    return hold(zones[served.number], served, ask.want, compound=op.compound)


def alloc_pages_bulk(system: System, op: Op) -> Steps[int]:
    """Fill the empty ones of the first slots from a zone of the near node, else one from anywhere.

    The zones of the node are asked from the preferred one down, and none behind another node's.
    """
    op = op._replace(order=0, compound=False, emergency=False)
    check_bulk(system.zones[0], op.pages, ops.want_of(op), ops.where_of(op))
    check_place(system, op)
    numbers = zonelist(system.host, op.node, op.highest, only_node=op.only_node)
    parts = system.host.parts
    local = 0
    while local < len(numbers) and parts[numbers[local]].node == parts[numbers[0]].node:
        local += 1
    zones = [system.zones[number] for number in numbers[:local]]
    preferred = numbers[0] if numbers else 0
    # Unlike single requests, by the class of the preferred zone in all eras.
    ask = ask_of(system, op, preferred)._replace(zone_class=parts[preferred].zone_class)
    filled = yield from fill_from_lists(system.zones, zones, op.pages, ask)
    if filled.got:
        log_place(system, preferred, numbers[filled.number])
        count_numa(system, preferred, numbers[filled.number], op.cpu, filled.got)
    if filled.settled:
        return filled.populated
    pfn = yield from alloc_pages(system, op)
    if pfn is None:
        return filled.populated
    zone_at(system, pfn).slots[pfn] = filled.populated
    return filled.populated + 1


def check_node(system: System, op: Op) -> None:
    """Refuse a node without memory."""
    if op.node not in system.host.nodes:
        raise refused(system.zones[0], BadNode, 0, op.order, f"node {op.node}")


def check_place(system: System, op: Op) -> None:
    """Refuse a node without memory, and memory for movable blocks alone for any other type."""
    check_node(system, op)
    if op.highest is ZoneClass.MOVABLE and op.mt is not MOVABLE:
        raise refused(system.zones[0], BadType, 0, op.order, f"type {LETTER_OF[op.mt]}")


def ask_of(system: System, op: Op, preferred: int) -> Ask:
    """The request as its zones see it: by what class of zones their reserves are measured."""
    by_highest = system.host.era.reserves_by_highest
    zone_class = op.highest if by_highest else system.host.parts[preferred].zone_class
    return Ask(ops.want_of(op), ops.where_of(op), zone_class, op.emergency)


def log_place(system: System, preferred: int, number: int) -> None:
    """Log that another zone served than the first on the list."""
    parts = system.host.parts
    if number != preferred:
        far = parts[number].node != parts[preferred].node
        system.zones[number].log.append(Event(Kind.FAR if far else Kind.LOWER, number, 0))


def count_numa(system: System, preferred: int, number: int, cpu: int, times: int) -> None:
    """Count allocations, whatever their order: by the node they were meant for, and the CPU's."""
    if not system.host.numa:
        return
    parts, numa = system.host.parts, system.numa
    node = parts[number].node
    if node == parts[preferred].node:
        numa[number] = numa[number]._replace(hit=numa[number].hit + times)
    else:
        numa[number] = numa[number]._replace(miss=numa[number].miss + times)
        numa[preferred] = numa[preferred]._replace(foreign=numa[preferred].foreign + times)
    if system.host.cpus and system.host.cpus[cpu] == node:
        numa[number] = numa[number]._replace(local=numa[number].local + times)
    else:
        numa[number] = numa[number]._replace(other=numa[number].other + times)


def unreserve_first(system: System, op: Op) -> Steps[Pfn | None]:
    """Give up a pageblock of the first zone near the node that has one to spare."""
    first = system.zones[0]
    reserves = first.machine.pageblock is not None and system.host.era.reserve != "none"
    check_supported(first, reserves)
    check_type(first, op.mt, REQUESTED)
    check_node(system, op)
    pfn: Pfn | None = None
    at = 0
    numbers = zonelist(system.host, op.node, op.highest)
    while at < len(numbers) and pfn is None:
        pfn = yield from unreserve(system.zones[numbers[at]], op.mt, force=op.force)
        at += 1
    return pfn


def each_zone(system: System, op: Op) -> Steps[None]:
    """Do to every zone what the request does to one; all refuse it or none."""
    number = 0
    while number < len(system.zones):
        yield from ops.STEPS[op.verb](system.zones[number], op)
        number += 1


def expire(system: System, op: Op) -> Steps[None]:
    """Give back a batch of what the CPU keeps of the zones of other nodes."""
    check_can_expire(system.zones[0], op.cpu)
    number = 0
    while number < len(system.zones):
        if op.cpu in system.zones[number].machine.far:
            yield from ops.STEPS[op.verb](system.zones[number], op)
        number += 1


SYSTEM_STEPS: dict[Verb, Callable[[System, Op], Steps[Pfn | None] | Steps[int] | Steps[None]]] = {
    Verb.ALLOC: alloc_pages,
    Verb.BULK: alloc_pages_bulk,
    Verb.UNRESERVE: unreserve_first,
    Verb.EXPIRE: expire,
    **dict.fromkeys(
        (Verb.DRAIN, Verb.DRAIN_ALL, Verb.AGE, Verb.REFRESH, Verb.UNPLUG, Verb.PLUG, Verb.REST),
        each_zone,
    ),
}
"""The steps of the requests that concern more than the zone of their frame."""


def perform(system: System, op: Op) -> Outcome:
    """Serve the request with nothing in between; a refusal becomes its code."""
    if op.verb in SYSTEM_STEPS:
        for zone in system.zones:
            work_on(zone, op.cpu)
        return ops.outcome_of(op.verb, SYSTEM_STEPS[op.verb](system, op))
    return ops.perform(zone_at(system, op.pfn), op)
