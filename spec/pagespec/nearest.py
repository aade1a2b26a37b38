"""Which zones of a host a request tries, the nearest first.

Source: mm/page_alloc.c (build_zonelists, find_next_best_node), 2.6.11 to 6.12; the order by zones
could be had from 2.6.23 to 4.13.
"""

from pagespec.host import Host
from pagespec.types import ZoneClass


def zonelist(host: Host, node: int, highest: ZoneClass, *, only_node: bool = False) -> list[int]:
    """The numbers of the zones that a request near a node tries, in order.

    All of the own node first, from the highest class that the request allows down; then the other
    nodes', which are taken for equally far: those without CPUs and those that follow first. Ordered
    by zone, every node's zone of a class comes before any of a lower class.

    >>> from pagespec.era import ERAS
    >>> from pagespec.host import Part
    >>> from pagespec.machine import Machine
    >>> starts = [(ZoneClass.DMA32, 0, 0), (ZoneClass.NORMAL, 0, 64), (ZoneClass.NORMAL, 1, 128)]
    >>> def part(zone_class, node, start, era="4.10"):
    ...     return Part(zone_class, node, Machine(pages=64, top=3, start=start, era=ERAS[era]))
    >>> parts = tuple(part(*start) for start in starts)
    >>> zonelist(Host(parts), 0, ZoneClass.NORMAL)
    [1, 0, 2]
    >>> zonelist(Host(parts, by_zone=True), 0, ZoneClass.NORMAL)
    [1, 2, 0]
    """

    def remoteness(other: int) -> tuple[bool, int, int]:
        return other != node, (other < node) + (other in host.cpus), other

    near = [node] if only_node else sorted(host.nodes, key=remoteness)
    classes = range(highest, -1, -1)
    places = [(other, zone_class) for other in near for zone_class in classes]
    if host.by_zone:
        places.sort(key=lambda place: -place[1])
    number_at = {(part.node, part.zone_class): at for at, part in enumerate(host.parts)}
    return [number_at[place] for place in places if place in number_at]
