"""Counting whose memory was given: one hit or miss for every allocation, whatever its order.

Source: mm/page_alloc.c (zone_statistics), 2.6.9 to 6.12.
"""

from pagespec.steps import Steps
from pagespec.vmstat.counters import Counters
from pagespec.vmstat.machine import Item, Place
from pagespec.vmstat.update import change


def counted(
    counters: Counters, cpu: int, preferred: int, zone: int, *, interleave: bool
) -> tuple[Place, ...]:
    """What an allocation adds one to each of.

    preferred: the first zone of the list that the request came with. zone: the one that served.
    interleave: whether a policy had chosen the node in turn.
    """
    machine = counters.machine
    node, wanted = machine.zones[zone].node, machine.zones[preferred].node
    local = Item.LOCAL if node == machine.cpus[cpu] else Item.OTHER
    items = [(Item.HIT, zone)] if node == wanted else [(Item.MISS, zone), (Item.FOREIGN, preferred)]
    items.append((local, zone))
    if interleave:
        items.append((Item.INTERLEAVE, zone))
    of_node = machine.design.of_node
    return tuple(
        Place(item, machine.zones[at].node if of_node else at, of_node) for item, at in items
    )


def count(
    counters: Counters, cpu: int, preferred: int, zone: int, times: int, *, interleave: bool
) -> Steps[None]:
    """Count so many allocations, unless the statistics are turned off."""
    places = counted(counters, cpu, preferred, zone, interleave=interleave)
    done = 0
    while counters.numa_on and done < times * len(places):
        place = counters.places.index(places[done % len(places)])
        yield from change(counters, cpu, place, 1, 1)
        done += 1
