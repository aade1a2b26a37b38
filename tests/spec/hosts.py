"""Small hosts for tests: zones of 16 frames, side by side, on one node or two."""

from collections.abc import Callable
from typing import Any

from pagespec.era import ERAS
from pagespec.frames import SIZES
from pagespec.host import Host, Part
from pagespec.laws.hosts import HostState, HostStep
from pagespec.laws.swept import swept
from pagespec.machine import Machine
from pagespec.system import System, boot_system, copy_of_system, perform
from pagespec.types import ZoneClass
from pagespec.verbs import Op
from pagespec.zone import Zone, copy_of

DMA, DMA32, NORMAL, MOVABLE_ZONE = ZoneClass

PLACES = ((DMA32, 0), (NORMAL, 0), (NORMAL, 1))
"""Frames 0 to 15 and 16 to 31 are node 0's, 32 to 47 are node 1's."""


def host_of(
    *places: tuple[ZoneClass, int],
    era: str = "6.1",
    cpus: tuple[int, ...] = (),
    pages: int | tuple[int, ...] = 16,
    top: int = 3,
    machine: dict[str, Any] | None = None,
    **host: Any,
) -> Host:
    """A host with a zone at each place, all of so many frames, or each of its own number.

    Each begins at the first multiple of a largest block's size behind the one before.
    """
    places = places or PLACES
    parts, start = [], 0
    for number, (zone_class, node) in enumerate(places):
        far = frozenset(cpu for cpu, near in enumerate(cpus) if near != node)
        size = pages if isinstance(pages, int) else pages[number]
        shape = {"era": ERAS[era], "cpus": len(cpus), "far": far, "start": start, **(machine or {})}
        parts.append(Part(zone_class, node, Machine(size, top, **shape)))
        start = -(-(start + size) // SIZES[top]) * SIZES[top]
    return Host(tuple(parts), cpus, **host)


def system_after(host: Host, *ops: Op) -> System:
    """The host after some requests, all of which it serves."""
    system = boot_system(host)
    for op in ops:
        assert perform(system, op) >= 0, op
    for zone in system.zones:
        zone.log.clear()
    return system


def quiet(zone: Zone) -> Zone:
    """A copy of the zone without its log."""
    zone = copy_of(zone)
    zone.log.clear()
    return zone


def state_of(system: System) -> HostState:
    """The system as laws see it."""
    zones = tuple(swept(quiet(zone)) for zone in system.zones)
    return HostState(system.host, zones, tuple(system.numa))


def step_of(
    before: System,
    op: Op,
    outcome: int | None = None,
    change: Callable[[System], object] = id,
) -> HostStep:
    """What the spec makes of the request, or with another outcome and a change to the state."""
    after = copy_of_system(before)
    got = perform(after, op)
    change(after)
    return HostStep(state_of(before), op, got if outcome is None else outcome, state_of(after))
