"""Which zones a request may try and in which order, and what each keeps from it: the laws' own.

Declarative: it says which of two zones comes first, never how a list of them is built.
Source: mm/page_alloc.c (build_zonelists, setup_per_zone_lowmem_reserve), 2.6.11 to 6.12.
"""

from collections.abc import Sequence
from dataclasses import replace

from pagespec.host import Host
from pagespec.types import Pfn, ZoneClass
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone

FIRST = 0
"""The zone that refuses what concerns no zone in particular."""

HOST_VERBS = frozenset(
    {Verb.DRAIN, Verb.DRAIN_ALL, Verb.AGE, Verb.REFRESH, Verb.UNPLUG, Verb.PLUG, Verb.REST}
)
"""The verbs about all zones of a host."""

LISTED_VERBS = frozenset({Verb.ALLOC, Verb.BULK, Verb.UNRESERVE})
"""The verbs that are served by zones of a list."""


def name_of(host: Host, number: int) -> str:
    """A zone in words."""
    part = host.parts[number]
    return f"zone {number} ({part.zone_class.name} of node {part.node})"


def node_of(host: Host, cpu: int) -> int | None:
    """The node of a CPU, if there is such a one."""
    return host.cpus[cpu] if 0 <= cpu < len(host.cpus) else None


def number_at(host: Host, pfn: Pfn) -> int | None:
    """The zone in which the frame lies, if there is one."""
    for number, part in enumerate(host.parts):
        if part.machine.start <= pfn < part.machine.end:
            return number
    return None


def due_numbers(host: Host, op: Op) -> list[int]:
    """The zones that the request may try, the first one first.

    Those up to its class, of its node alone if no other will do. The own node's come before any
    other's; of two others the one without CPUs, and the one of a higher number, count as nearer.
    Of one node's the higher class comes first, or of all nodes' where the host says so.
    """
    only = op.only_node and op.verb is not Verb.UNRESERVE

    def rank(number: int) -> tuple[int, ...]:
        node, zone_class = host.parts[number].node, host.parts[number].zone_class
        distance = (node != op.node, (node < op.node) + (node in host.cpus), node)
        return (-zone_class, *distance) if host.by_zone else (*distance, -zone_class)

    may = (
        number
        for number, part in enumerate(host.parts)
        if part.zone_class <= op.highest and (part.node == op.node or not only)
    )
    return sorted(may, key=rank)


def local_to(host: Host, numbers: Sequence[int]) -> list[int]:
    """The zones from which the lists may fill an array: none behind another node's."""
    nodes = [host.parts[number].node for number in numbers]
    return [number for at, number in enumerate(numbers) if set(nodes[: at + 1]) == {nodes[0]}]


def class_of(host: Host, op: Op, numbers: Sequence[int]) -> ZoneClass:
    """The class by which zones reserve memory against the request.

    The highest that it allows; until 4.19, and for the lists in a bulk request always, that of the
    first zone on its list.
    """
    if host.era.reserves_by_highest and op.verb is not Verb.BULK:
        return op.highest
    return host.parts[numbers[0] if numbers else FIRST].zone_class


def seen(zone: Zone, zone_class: ZoneClass) -> Zone:
    """The zone as one that is alone, which keeps from all what it keeps from this class."""
    if zone.levels is None:
        return zone
    return replace(zone, levels=replace(zone.levels, reserve=(zone.levels.reserve[zone_class],)))
