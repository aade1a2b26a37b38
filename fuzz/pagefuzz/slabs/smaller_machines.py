"""What may be smaller about a machine with slabs: fewer frames, CPUs and groups, no lists."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from pagespec.machine import Machine
from pagespec.slab.machine import SlabMachine
from pagespec.types import DomainError

PAGES = (1, 2, 3, 4, 6, 8, 12, 16, 32)
"""The frames of a zone that are tried in place of more."""


def smaller_slab_machines(machine: SlabMachine) -> Iterator[SlabMachine]:
    """The machine with one thing said more simply, as far as there are such machines."""
    zone = machine.zone
    zones = [
        partial(replace, zone, cpus=0, batch=None, high=None),
        partial(replace, zone, min_free=None),
        partial(replace, zone, pageblock=None, types=()),
        partial(replace, zone, holes=()),
        *(
            partial(replace, zone, pages=pages)
            for pages in (*PAGES, zone.pages // 2, zone.pages - 1)
            if 0 < pages < zone.pages
        ),
        *(partial(replace, zone, top=top) for top in range(zone.top)),
        partial(replace, zone, start=1),
    ]
    candidates = [
        *(partial(_with_cpus, machine, cpus) for cpus in range(1, machine.cpus)),
        partial(replace, machine, scheme="none", groups=0, limit=None),
        *(partial(replace, machine, groups=groups) for groups in range(1, machine.groups)),
        partial(replace, machine, limit=None),
        partial(replace, machine, present=None),
        *(partial(_over, machine, smaller) for smaller in zones),
        *(partial(replace, machine, limit=limit) for limit in range(machine.limit or 0)),
    ]
    for candidate in candidates:
        try:
            smaller = candidate()
        except DomainError:
            continue
        if smaller != machine:
            yield smaller


def _with_cpus(machine: SlabMachine, cpus: int) -> SlabMachine:
    zone = replace(machine.zone, cpus=cpus) if machine.zone.cpus else machine.zone
    return replace(machine, zone=zone, cpus=cpus)


def _over(machine: SlabMachine, smaller: Callable[[], Machine]) -> SlabMachine:
    return replace(machine, zone=smaller())
