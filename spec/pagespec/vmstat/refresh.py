"""Reading cells out: by the periodic worker of a CPU, and for a CPU that is gone.

Zones and nodes are told cell by cell, and the machine's totals only at the end, once for each item.

Source: mm/vmstat.c (refresh_cpu_vm_stats, cpu_vm_stats_fold, fold_vm_numa_events), 2.6.37 to 6.12.
"""

from typing import NamedTuple

from pagespec.steps import Step, Steps
from pagespec.vmstat.counters import Counters, Stage, Update
from pagespec.vmstat.machine import NUMA_ITEMS, Place
from pagespec.vmstat.update import advance

EXPIRES_AFTER = 3
"""A far zone's lists give back frames at the third refresh in a row with nothing to tell."""


class Expiry(NamedTuple):
    """How many more refreshes the lists may rest, and whether they give back frames now."""

    left: int
    due: bool


def expiry(left: int, *, told: bool, far: bool, kept: bool) -> Expiry:
    """What a refresh makes of a CPU's rest with a zone of another node.

    told: whether the CPU had anything to tell the zone, which starts the count anew. kept: whether
    its lists hold anything. A CPU keeps what is near.

    >>> rest, due = 0, []
    >>> for told in (True, False, False, False):
    ...     rest, now = expiry(rest, told=told, far=True, kept=True)
    ...     due.append(now)
    >>> due
    [False, False, True, False]

    pre: 0 <= left <= 3
    post: 0 <= __return__.left <= 3
    """
    if not far:
        return Expiry(0, due=False)
    if told:
        left = EXPIRES_AFTER
    if left == 0 or not kept:
        return Expiry(left, due=False)
    return Expiry(left - 1, due=left == 1)


def refresh(counters: Counters, cpu: int) -> Steps[int]:
    """Let a CPU tell all that it keeps, and return how many cells had something.

    What is taken out of a cell is in flight until its place is told, and then the machine is not.
    """
    place = told = 0
    held: list[Update] = []
    places = counters.places
    while place < len(places):
        if is_refreshed(counters, places[place]) and counters.cells[cpu][place]:
            yield Step.EDIT
            pages = take_out(counters, cpu, place)
            if pages:
                yield Step.TELL
                held = _told_place(counters, cpu, place, pages, held)
                told += 1
        place += 1
    number = 0
    while number < len(held):
        yield Step.TELL
        advance(counters, held[number])
        number += 1
    return told


def refresh_zones(counters: Counters, cpu: int) -> list[Update]:
    """Let a CPU tell zones and nodes, and return what the machine is still to be told."""
    held: list[Update] = []
    for number, place in enumerate(counters.places):
        if is_refreshed(counters, place) and counters.cells[cpu][number]:
            held = _told_place(counters, cpu, number, take_out(counters, cpu, number), held)
    return held


def take_out(counters: Counters, cpu: int, place: int) -> int:
    """Empty a cell, and return what it held: by one exchange, or with interrupts off for it."""
    pages, counters.cells[cpu][place] = counters.cells[cpu][place], 0
    return pages


def _told_place(
    counters: Counters, cpu: int, place: int, pages: int, held: list[Update]
) -> list[Update]:
    """Tell a place what a cell held, and add what the total is to be told to what is held."""
    counters.told[place] += pages
    counters.told_times += 1
    places = counters.places
    for at, update in enumerate(held):
        if places[update.place].item is places[place].item:
            return [*held[:at], update._replace(pages=update.pages + pages), *held[at + 1 :]]
    return [*held, Update(place, pages, cpu, Stage.TOTAL)]


def is_refreshed(counters: Counters, place: Place) -> bool:
    """Whether the periodic worker empties such cells."""
    return place.item not in NUMA_ITEMS or counters.machine.design.refreshed


def fold_events(counters: Counters) -> None:
    """Empty the cells of NUMA statistics of all CPUs that run: what reading them does."""
    for cpu in sorted(counters.running):
        fold_numa(counters, cpu)


def fold_numa(counters: Counters, cpu: int) -> None:
    """Empty a CPU's cells of NUMA statistics."""
    for number, place in enumerate(counters.places):
        if place.item in NUMA_ITEMS:
            pages, counters.cells[cpu][number] = counters.cells[cpu][number], 0
            counters.told[number] += pages
            counters.totals[place.item] += pages
