"""Who works on a zone at the same time: tasks on CPUs, and the interrupts that come between.

A context takes steps of its requests, one after the other. Where it stands, which CPU it is on and
what it holds is plain data, and so is the world that they share.

Source: derived; Documentation/locking/spinlocks.rst and include/linux/preempt.h for what excludes
what.
"""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple, TypeAlias

from pagespec.boot import boot
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.pcp.index import orders_of_lists
from pagespec.schedule.running import Engine
from pagespec.steps import Stop
from pagespec.trace import Names, Request
from pagespec.types import Pfn
from pagespec.verbs import Outcome
from pagespec.zone import Zone


class Level(IntEnum):
    """What a context interrupts: all that are below its own level, on its CPU."""

    TASK = 0
    SOFTIRQ = 1
    HARDIRQ = 2
    NMI = 3


class Sizes(NamedTuple):
    """A request that zones alone do not have: set the sizes of all CPUs' lists, which are in use."""

    batch: int
    high: int


Asked: TypeAlias = Request | Sizes
"""What a context may ask for."""


class Role(NamedTuple):
    """Who asks for what: a task, or an interrupt that comes once at any time.

    moves: whether a task may go on on another CPU wherever preemption is on.
    """

    level: Level
    cpu: int
    requests: tuple[Asked, ...]
    moves: bool = False


@dataclass(frozen=True, slots=True)
class Scenario:
    """A machine, what happens on it first, and who works on it then at the same time.

    machine: its era may be varied: another guard, another way to visit CPUs. alone: whether the
    kernel is built for one CPU, where locks do nothing. lock_irqs_on: whether the zone's lock
    leaves interrupts on, as it never has.
    """

    machine: Machine
    roles: tuple[Role, ...]
    setup: tuple[Request, ...] = ()
    alone: bool = False
    lock_irqs_on: bool = False


class Hold(NamedTuple):
    """Something that a context holds: the zone's lock, or the guard of a CPU's lists.

    lists: the CPU whose lists they are, or None for the zone's lock. locks: whether others can't
    have it meanwhile. irqs_off: whether interrupts are off on the CPU that it runs on.
    """

    lists: int | None
    locks: bool
    irqs_off: bool


class Place(NamedTuple):
    """Where a context works: it goes back there after a visit."""

    cpu: int
    level: Level


@dataclass(slots=True)
class Context:
    """One who works.

    place: the CPU that it is on and the level at which it runs there. at: the number of its
    request. come: whether it has begun at all; tasks have, interrupts come. rest: what is left of
    the request that is under way, at a stop; None between requests. ready: whether what the stop
    asks for is had. lost: what the stop answers. holds: what it holds, the last one last. back:
    where it visits from. flight: the frames that it has taken from a place and not put in another,
    as one bit a frame. outcomes: what came of its requests so far.
    """

    place: Place
    at: int = 0
    come: bool = True
    rest: object | None = None
    stop: Stop | None = None
    ready: bool = False
    lost: bool = False
    holds: tuple[Hold, ...] = ()
    back: tuple[Place, ...] = ()
    flight: int = 0
    outcomes: tuple[Outcome, ...] = ()


@dataclass(slots=True)
class World:
    """A zone and all who work on it.

    names: the blocks that requests have named so far. unnamed: the names whose requests failed.
    placed: the frames that are in some place, as one bit a frame.
    """

    scenario: Scenario
    zone: Zone
    contexts: list[Context]
    engine: Engine
    names: Names = field(default_factory=Names)
    unnamed: frozenset[str] = frozenset()
    placed: int = 0


def opened(scenario: Scenario, engine: Engine) -> World:
    """The world of a scenario as everybody is about to begin."""
    zone = boot(scenario.machine)
    names = Names()
    for request in scenario.setup:
        op = names.op_of(request)
        if op is not None:
            names.learn(request, perform(zone, op), zone.slots)
    failed = {request.name for request in scenario.setup if request.name not in names.blocks}
    unnamed = frozenset(name for name in failed if name is not None)
    zone.log.clear()
    contexts = [
        Context(Place(role.cpu, role.level), come=role.level is Level.TASK)
        for role in scenario.roles
    ]
    return World(scenario, zone, contexts, engine, names, unnamed, placed(zone)[0])


def placed(zone: Zone) -> tuple[int, int]:
    """The frames that are in some place, and those that are in two, as one bit a frame."""
    machine = zone.machine
    orders = orders_of_lists(machine.era.lists, machine.huge)
    once = twice = 0

    def put(pfn: Pfn, order: int) -> None:
        nonlocal once, twice
        frames = ((1 << (1 << order)) - 1) << pfn - machine.start
        twice |= once & frames
        once |= frames

    for order, lists in enumerate(zone.free_area):
        for blocks in lists.values():
            for pfn in blocks:
                put(pfn, order)
    for pcps in zone.pcps:
        for pcp in pcps:
            for order, blocks_kept in zip(orders, pcp.lists, strict=True):
                for pfn in blocks_kept:
                    put(pfn, order)
    for pfn, held in zone.held.items():
        put(pfn, held.order)
    for pfn, order in zone.guards.items():
        put(pfn, order)
    for pfn in zone.poisoned:
        put(pfn, 0)
    for pfn in zone.offline:
        put(pfn, machine.pageblock or 0)
    return once, twice
