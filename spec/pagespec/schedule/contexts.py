"""Who works at the same time: tasks on CPUs, and the interrupts that come between.

What they share is a zone, or counters without one. Who may come when is the same for both.

A context takes steps of its requests, one after the other. Where it stands, which CPU it is on and
what it holds is plain data, and so is the world that they share.

Source: derived; Documentation/locking/spinlocks.rst and include/linux/preempt.h for what excludes
what.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple, TypeAlias

from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.state import Compaction
from pagespec.compaction.trace import CompactionNames, CompactionRequest
from pagespec.machine import Machine
from pagespec.pcp.index import orders_of_lists
from pagespec.schedule.running import Engine
from pagespec.slab.machine import SlabMachine
from pagespec.slab.state import Slabs
from pagespec.slab.trace import SlabNames, SlabRequest
from pagespec.slab.verbs import Address
from pagespec.steps import Stop
from pagespec.trace import Names, Request
from pagespec.types import Block, DomainError, Pfn
from pagespec.verbs import Outcome
from pagespec.vmstat.counters import Counters
from pagespec.vmstat.machine import CounterMachine
from pagespec.vmstat.trace import CounterRequest
from pagespec.vmstat.verbs import CounterVerb
from pagespec.zone import Zone


class Level(IntEnum):
    """What a context interrupts: all that are below its own level, on its CPU."""

    TASK = 0
    SOFTIRQ = 1
    HARDIRQ = 2
    NMI = 3


class Sizes(NamedTuple):
    """A request that zones alone do not have: set the sizes of all CPUs' lists while in use."""

    batch: int
    high: int


Asked: TypeAlias = Request | Sizes | CounterRequest | CompactionRequest | SlabRequest
"""What a context may ask for: of a zone, or of what is shared in place of one."""

First: TypeAlias = Request | CounterRequest | CompactionRequest | SlabRequest
"""What may be asked for before anybody else works."""

AnyMachine: TypeAlias = Machine | CounterMachine | CompactionMachine | SlabMachine
"""What scenarios happen on."""

Shared: TypeAlias = Zone | Counters | Compaction | Slabs
"""What contexts work on."""

LEFT_OUT: dict[str, type[AnyMachine]] = {
    "recheck-of-pageblocks": CompactionMachine,
    "recheck-of-frames": CompactionMachine,
    "capture-unpublished-first": CompactionMachine,
    "number-compared": SlabMachine,
    "number-changed-in-bulk": SlabMachine,
    "chain-read-once": SlabMachine,
    "partial-slabs-guarded": SlabMachine,
}
"""The rules that a scenario may leave out, and the machines that have them."""


class Role(NamedTuple):
    """Who asks for what: a task, or an interrupt that comes once at any time.

    moves: whether a task may go on on another CPU wherever preemption is on.
    """

    level: Level
    cpu: int
    requests: tuple[Asked, ...]
    moves: bool = False


NOBODYS: frozenset[str] = frozenset()
"""No names."""


def waits_for(asked: Asked) -> frozenset[str]:
    """The names of what a request is about: it waits until they are given."""
    names: set[str | None] = set()
    if isinstance(asked, SlabRequest):
        names = {place.name for place in (*asked.places, *asked.withheld)}
    elif isinstance(asked, Request | CompactionRequest) and asked.operand is not None:
        names = {asked.operand.name}
    return frozenset(name for name in names if name is not None) if names else NOBODYS


def given_by(asked: Asked) -> frozenset[str]:
    """The names that a request gives."""
    if isinstance(asked, SlabRequest):
        return frozenset(asked.names)
    if isinstance(asked, Request | CompactionRequest) and asked.name is not None:
        return frozenset({asked.name})
    return NOBODYS


def stops_by_itself(request: CounterRequest) -> bool:
    """Whether a request leaves an update in the middle, or goes on with one."""
    return request.op.open or request.op.verb is CounterVerb.LAND


@dataclass(frozen=True, slots=True)
class Scenario:
    """A machine, what happens on it first, and who works on it then at the same time.

    machine: of a zone, of counters, or of what works on a zone; its era may be varied: another
    guard, another way to visit CPUs. Where tasks that move count allocations, the CPUs are of one
    node. alone: whether the kernel is built for one CPU, where locks do nothing. lock_irqs_on:
    whether the zone's lock leaves interrupts on, as it never has. splits_adds: whether the machine
    has no instruction that adds to memory, so that interrupts come between its read and its write.
    without: a rule that is left out, so that it shows what it is for.

    Raises DomainError for requests that are not to what the machine has.
    """

    machine: AnyMachine
    roles: tuple[Role, ...]
    setup: tuple[First, ...] = ()
    alone: bool = False
    lock_irqs_on: bool = False
    splits_adds: bool = False
    without: str = ""

    def __post_init__(self) -> None:
        kind = REQUESTS[type(self.machine)]
        for request in (*self.setup, *(asked for role in self.roles for asked in role.requests)):
            if not isinstance(request, kind.requests):
                raise DomainError(f"{request}: expected requests to {kind.name}")
        if self.without and LEFT_OUT.get(self.without) is not type(self.machine):
            raise DomainError(f"without={self.without}: {kind.name} has no such rule")
        for role in self.roles:
            for request in role.requests:
                if isinstance(request, CounterRequest) and stops_by_itself(request):
                    raise DomainError(
                        f"{request.op.verb.value} open={int(request.op.open)}: among several "
                        "contexts it is the schedule that says where an update stops"
                    )

    @property
    def cpus(self) -> int:
        """How many CPUs the machine has."""
        if isinstance(self.machine, CompactionMachine):
            return self.machine.zone.cpus or 1
        cpus = self.machine.cpus
        return len(cpus) if isinstance(cpus, tuple) else cpus


class Asking(NamedTuple):
    """What is asked of a kind of machine: its requests, and its name in a complaint."""

    requests: tuple[type[Asked], ...]
    name: str


REQUESTS: dict[type[AnyMachine], Asking] = {
    Machine: Asking((Request, Sizes), "a zone"),
    CounterMachine: Asking((CounterRequest,), "counters"),
    CompactionMachine: Asking((CompactionRequest,), "a zone that is compacted"),
    SlabMachine: Asking((SlabRequest,), "slabs"),
}
"""Per kind of machine, what may be asked."""

OWN_CPU = -1
"""In place of lists, for who holds up its own CPU alone."""


class Hold(NamedTuple):
    """Something that a context holds: the zone's lock, the guard of a CPU's lists, or its own CPU.

    lists: whose lists' guard, by CPU; None for the zone's lock; OWN_CPU: only that nobody else runs
    here. locks: whether others can't have it meanwhile. irqs_off: whether interrupts are off on the
    CPU that it runs on.
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
    as one bit a frame. owes: what its request is to add to each sum of counts, and its steps have
    not added yet. outcomes: what came of its requests so far.
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
    owes: tuple[int, ...] = ()
    outcomes: tuple[Outcome, ...] = ()


class Move(NamedTuple):
    """One step of a context, or its way to another CPU."""

    context: int
    cpu: int | None = None


@dataclass(slots=True)
class World:
    """A zone or counters, and all who work on them.

    names: the blocks that requests have named so far; own_names: the same where that is not by a
    zone's rules. unnamed: the names whose requests failed. placed: the frames that are in some
    place, as one bit a frame. owners: of slabs, the contexts that have been given an object and not
    freed it; -1 before anybody worked.
    """

    scenario: Scenario
    shared: Shared
    contexts: list[Context]
    engine: Engine
    names: Names = field(default_factory=Names)
    unnamed: frozenset[str] = frozenset()
    placed: int = 0
    own_names: CompactionNames | SlabNames | None = None
    owners: dict[Address, tuple[int, ...]] = field(default_factory=dict)

    @property
    def zone(self) -> Zone:
        """The zone that is shared, or that is beneath what is."""
        zone = zone_in(self.shared)
        assert zone is not None
        return zone

    @property
    def counters(self) -> Counters:
        """The counters that are shared."""
        assert isinstance(self.shared, Counters)
        return self.shared


def zone_in(shared: Shared) -> Zone | None:
    """The zone that is shared, or that is beneath what is; counters have none."""
    if isinstance(shared, Counters):
        return None
    return shared if isinstance(shared, Zone) else shared.zone


def beside(shared: Shared) -> list[Block]:
    """The blocks of frames whose place is not the zone's: isolated by compaction, or captured."""
    if not isinstance(shared, Compaction):
        return []
    captured = [
        Block(slot.pfn, slot.order)
        for slot in shared.captures
        if slot is not None and slot.pfn is not None
    ]
    return shared.isolated + captured


def finished(world: World, number: int) -> bool:
    """Whether a context has nothing left to do."""
    context = world.contexts[number]
    return context.rest is None and context.at == len(world.scenario.roles[number].requests)


def placed(zone: Zone, others: Sequence[Block] = ()) -> tuple[int, int]:
    """The frames that are in some place, and those that are in two, as one bit a frame.

    others: blocks in places beside the zone's.
    """
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
    for pfn, order in others:
        put(pfn, order)
    return once, twice
