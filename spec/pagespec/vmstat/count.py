"""Counting whose memory was given: one hit or miss for every allocation, whatever its order.

Source: mm/page_alloc.c (zone_statistics), 2.6.9 to 6.12.
"""

from pagespec.steps import Step, Steps
from pagespec.vmstat.counters import Counters
from pagespec.vmstat.machine import Item, Place
from pagespec.vmstat.update import change_plainly


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
    counters: Counters,
    preferred: int,
    zone: int,
    times: int,
    *,
    interleave: bool,
    irqs_on: bool = False,
) -> Steps[None]:
    """Count so many allocations on the CPU at work, unless the statistics are turned off.

    It is always done in the plain way. irqs_on: whether interrupts may come between all the same,
    as 4.11-rc had it for requests by page lists, on a CPU that is not left meanwhile. Words that
    nobody is told of are added to wherever the task is, with interrupts on.
    """
    if counters.machine.numa_name == "events":
        yield from count_anywhere(counters, preferred, zone, times, interleave=interleave)
        return
    if irqs_on:
        yield Step.PREEMPT_OFF
    else:
        yield Step.IRQS_OFF
    yield from count_anywhere(counters, preferred, zone, times, interleave=interleave)
    if irqs_on:
        yield Step.PREEMPT_ON
    else:
        yield Step.IRQS_ON


def count_anywhere(
    counters: Counters, preferred: int, zone: int, times: int, *, interleave: bool
) -> Steps[None]:
    """Count so many allocations, one statistic after the other."""
    places = counted(counters, counters.on_cpu, preferred, zone, interleave=interleave)
    done = 0
    while counters.numa_on and done < times * len(places):
        place = counters.places.index(places[done % len(places)])
        yield from change_plainly(counters, place, 1, 1)
        done += 1
