"""Setting the sizes of CPUs' lists, which may be in use meanwhile.

Source: mm/page_alloc.c (setup_pagelist_highmark, pageset_update), 2.6.37 to 6.12.
"""

from pagespec.era import Era, StoreOrder
from pagespec.pcp.sizes import Pageset
from pagespec.pcp.state import Load, Pcp, loads_of, low_mark_of
from pagespec.pcp.tuning import Doubling, Tuned
from pagespec.steps import Step, Steps
from pagespec.zone import Zone

SIZE_NAMES: dict[type[Load], tuple[str, ...]] = {
    Pageset: ("low", "high", "batch"),
    Doubling: ("high", "batch"),
    Tuned: ("high_min", "high_max", "batch"),
}
"""What is set from outside in what lists know of their sizes; the rest they learn."""

STORE_ORDER: dict[StoreOrder, tuple[str, ...]] = {
    "high-first": ("low", "high", "high_min", "high_max", "batch"),
    "one-first": ("low", "high", "high_min", "high_max", "batch"),
    "batch-first": ("low", "batch", "high", "high_min", "high_max"),
}
"""In which order they are stored. With "one-first" the batch is 1 until the end."""


def measure(zone: Zone) -> Steps[None]:
    """Let the sizes of the lists follow the low mark as it stands now."""
    zone.sized_low = low_mark_of(zone.machine, zone.levels)
    yield from resize(zone)


def resize(zone: Zone) -> Steps[None]:
    """Set the sizes of every CPU's lists; what they have learnt stays.

    Since 5.14 the running CPUs of the zone's node share what it may spare, or all if it has none.
    """
    machine = zone.machine
    running = set(range(machine.cpus)) - zone.unplugged
    near = len(running.difference(machine.far)) or len(running)
    loads = loads_of(machine, zone.sized_low, near)
    cpu = 0
    while cpu < machine.cpus:
        kind = 0
        while kind < len(loads):
            yield from set_sizes(zone.pcps[cpu][kind], sizes_of(zone, loads[kind]), machine.era)
            kind += 1
        cpu += 1


def sizes_of(zone: Zone, load: Load) -> dict[str, int]:
    """The sizes of a load, by name; disabled lists keep nothing."""
    names = SIZE_NAMES[type(load)]
    if zone.disabled:
        return {name: int(name == "batch") for name in names}
    return {name: getattr(load, name) for name in names}


def retune(zone: Zone, batch: int, high: int) -> Steps[None]:
    """Set the sizes of every CPU's lists to what the administrator says, in frames."""
    said = {"low": 0, "high": high, "high_min": high, "high_max": high, "batch": batch}
    cpu = 0
    while cpu < zone.machine.cpus:
        kind = 0
        while kind < len(zone.pcps[cpu]):
            pcp = zone.pcps[cpu][kind]
            names = SIZE_NAMES[type(pcp.load)]
            yield from set_sizes(pcp, {name: said[name] for name in names}, zone.machine.era)
            kind += 1
        cpu += 1


def set_sizes(pcp: Pcp, sizes: dict[str, int], era: Era) -> Steps[None]:
    """Store the sizes of lists that may be in use, one by one.

    With a batch that is larger than `high`, a drain would ask for more than there is. From 3.11 to
    5.10 the batch is 1 meanwhile; since then drains look how much there is instead.
    """
    names = sorted(sizes, key=lambda name: STORE_ORDER[era.stores_sizes].index(name))
    at = 0
    if era.stores_sizes == "one-first":
        pcp.load = stored(pcp.load, "batch", 1)
        yield Step.STORE
    while at < len(names):
        if at:
            yield Step.STORE
        pcp.load = stored(pcp.load, names[at], sizes[names[at]])
        at += 1


def stored(load: Load, name: str, pages: int) -> Load:
    """The load with one of its sizes set."""
    # No flag of a load is a size of it, which the names alone can't tell.
    return load._replace(**{name: pages})  # type: ignore[arg-type]
