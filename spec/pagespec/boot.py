"""Boot hands the zone's memory over to the allocator.

Each chunk arrives as its maximal aligned blocks, in ascending order and through the ordinary free
path; where the pageblocks' type changes, a new run begins. Whether blocks or single frames arrive
makes no difference to the free set, only to the lists.

>>> from pagespec.era import ERAS
>>> zone = boot(Machine(pages=61, top=4, era=ERAS["6.1"]))
>>> zone.nr_free
[1, 0, 1, 1, 3]
>>> boot(Machine(pages=1000, top=6, era=ERAS["2.6.11"])).nr_free
[0, 0, 0, 1, 0, 1, 15]

Source: derived; the two vectors are of memory handed over frame by frame.
"""

from collections.abc import Iterator

from pagespec.alloc import FREE_ONE_BLOCK
from pagespec.frames import SIZES, blocks_of_run
from pagespec.machine import Machine
from pagespec.types import Pfn
from pagespec.vmstat.zone import start
from pagespec.zone import Zone, empty_zone


def boot(machine: Machine) -> Zone:
    """A zone with all its memory free, but for the frames that the era keeps back."""
    era = machine.era
    zone = empty_zone(machine)
    for first, end in runs_of_one_type(machine):
        for index, order in blocks_of_run(first - machine.base, end - machine.base, machine.top):
            FREE_ONE_BLOCK[era.design](zone, machine.base + index, order, to_tail=era.boot_to_tail)
    start(zone)
    zone.log.clear()
    zone.visited = 0
    return zone


def runs_of_one_type(machine: Machine) -> Iterator[tuple[Pfn, Pfn]]:
    """The runs [first, end) of managed frames whose pageblocks have one type, lowest first.

    >>> from pagespec.era import ERAS
    >>> from pagespec.migratetype import CMA, MOVABLE
    >>> types = (MOVABLE, MOVABLE, CMA)
    >>> machine = Machine(pages=12, top=3, era=ERAS["6.1"], pageblock=2, types=types)
    >>> list(runs_of_one_type(machine))
    [(0, 8), (8, 12)]
    """
    if not machine.types:
        yield from machine.managed
        return
    size = SIZES[machine.pageblock or 0]
    for first, end in machine.managed:
        begin = first
        for edge in range((first // size + 1) * size, end, size):
            numbers = machine.pageblock_number(edge - 1), machine.pageblock_number(edge)
            if machine.types[numbers[0]] is not machine.types[numbers[1]]:
                yield begin, edge
                begin = edge
        yield begin, end
