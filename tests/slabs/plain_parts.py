"""The parts of the second opinion about slabs: what a cache has, and how large it all is.

Facts: mm/slub.c and mm/slab.c as they were in each of the eras.
"""

from dataclasses import dataclass, field

from pagespec.slab.machine import SlabMachine
from pagespec.slab.verbs import SlabOp

FRAME = 4096
NOWHERE, NODE = "nowhere", "node"
LATE = ("6.1", "6.12")


@dataclass(eq=False)
class Page:
    """A slab: where it begins, all its objects, those free on it in the order of service.

    at: NOWHERE if it is full, NODE, or the CPU that has it.
    """

    frame: int
    objects: list[int]
    free: list[int]
    at: str | int = NOWHERE
    sum: int = 0
    """Free objects, here and behind, when it came to its CPU."""


@dataclass(eq=False)
class Desk:
    """What a CPU has of a cache: its own slab with the objects taken over, and more slabs."""

    page: Page | None = None
    free: list[int] = field(default_factory=list)
    more: list[Page] = field(default_factory=list)


@dataclass(eq=False)
class Stack:
    """An array of free objects, the last one on top."""

    room: int
    free: list[int] = field(default_factory=list)
    used: bool = False


@dataclass(eq=False)
class Store:
    """A cache of either design."""

    size: int
    order: int
    per_page: int
    kept: int
    spare: int
    batch: int = 0
    pages: dict[int, Page] = field(default_factory=dict)
    node: list[Page] = field(default_factory=list)
    whole: list[Page] = field(default_factory=list)
    desks: list[Desk] = field(default_factory=list)
    stacks: list[Stack] = field(default_factory=list)
    common: Stack | None = None
    node_used: bool = False


def log2(number: int) -> int:
    return number.bit_length() - 1


def sized(machine: SlabMachine, op: SlabOp) -> Store:
    """A cache of SLUB, without a slab."""
    size = op.size
    order = order_for(machine, size) if op.order is None else op.order
    steps = (
        ((4096, 2), (1024, 6), (256, 13), (0, 30))
        if machine.era.name not in LATE
        else ((4096, 6), (1024, 24), (256, 52), (0, 120))
    )
    kept = next(objects for least, objects in steps if size >= least)
    spare = min(10, max(5, log2(size) // 2))
    return Store(
        size,
        order,
        (FRAME << order) // size,
        kept if op.objects_kept is None else op.objects_kept,
        spare if op.partials is None else op.partials,
    )


def order_for(machine: SlabMachine, size: int) -> int:
    """The order of the slabs of a cache of SLUB."""
    top = machine.zone.top
    most = min(3, top)
    wanted = min(4 * (log2(machine.counted_cpus) + 2), (FRAME << most) // size)
    halves = machine.era.name == "6.12"
    for objects in range(wanted, 0, -1):
        for part in (16, 8, 4, 2) if halves else (16, 8, 4):
            if objects == 1 and not halves:
                break
            for order in range(most + 1):
                room = FRAME << order
                if room // size >= objects and room % size <= room // part:
                    return order
        if objects == 1 and not halves:
            break
    return next(order for order in range(top + 1) if FRAME << order >= size)


def sized_arrays(machine: SlabMachine, op: SlabOp) -> Store:
    """A cache of SLAB, without a slab."""
    size, top, cpus = op.size, machine.zone.top, machine.cpus
    order = op.order
    if order is None:
        order = next(
            each
            for each in range(top + 1)
            if FRAME << each >= size and (each >= 1 or FRAME % size * 8 <= FRAME or each == top)
        )
    limits = ((131073, 1), (4097, 8), (1025, 24), (257, 54), (0, 120))
    kept = next(limit for least, limit in limits if size >= least)
    kept = kept if op.objects_kept is None else op.objects_kept
    batch = (kept + 1) // 2 if op.batch is None else op.batch
    per_page = (FRAME << order) // size
    spare = (1 + cpus) * batch + per_page if op.partials is None else op.partials
    store = Store(size, order, per_page, kept, spare, batch)
    shared = (8 if cpus > 1 and size <= FRAME else 0) if op.shared is None else op.shared
    if shared:
        store.common = Stack(shared * batch)
    return store
