"""Caches, their slabs, what CPUs and groups have of them: plain data.

An object is known by its address. A slab's free objects are a chain through the objects themselves;
here it is the list of their numbers, the one that is served next first.

Source: mm/slub.c, mm/slab.c, mm/slab.h and mm/memcontrol.c, 5.8 to 6.12 (struct kmem_cache,
kmem_cache_cpu, kmem_cache_node, slab, array_cache, obj_cgroup, memcg_stock_pcp).
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from pagespec.slab.machine import SlabMachine
from pagespec.slab.sizes import PAGE
from pagespec.slab.verbs import Address
from pagespec.types import Order, Pfn
from pagespec.zone import Zone, copy_of


class Shape(NamedTuple):
    """What all slabs of a cache have in common.

    size: bytes from one object to the next. objects: on one slab. objects_kept: how many free
    objects a CPU may keep, on partial slabs in SLUB, in its array in SLAB. partials: how many slabs
    a node keeps even if they are empty; in SLAB how many free objects. batch: how many objects move
    between arrays and slabs. shared: the objects that the array holds which all CPUs share, 0 for
    none. (The last two are SLAB's.)
    """

    size: int
    order: Order
    objects: int
    objects_kept: int
    partials: int
    batch: int = 0
    shared: int = 0


@dataclass(slots=True)
class Slab:
    """A block of frames with objects of one cache.

    inuse: the objects that are not on this slab's own chain. chain: those that are, by number.
    frozen: whether a CPU has it, so that the node's list does not (SLUB). counted: of a partial
    slab that a CPU keeps, how many free objects it and those behind it had when they came to it,
    in eras that count objects; 0 otherwise.
    """

    first: Pfn
    inuse: int
    chain: list[int]
    frozen: bool = False
    counted: int = 0


@dataclass(slots=True)
class CpuSlab:
    """What one CPU has of a SLUB cache.

    slab: the slab that it serves from; chain: the free objects of it that are the CPU's alone. tid:
    changes with every use of the chain, so that whoever was interrupted notices. partial: more
    slabs with free objects, the next one first.
    """

    slab: Pfn | None = None
    chain: list[int] = field(default_factory=list)
    tid: int = 0
    partial: list[Pfn] = field(default_factory=list)


@dataclass(slots=True)
class Array:
    """Free objects that one CPU, or all, have at hand in a SLAB cache.

    entries: served from the end. touched: whether it was used since it was last looked at.
    """

    entries: list[Address] = field(default_factory=list)
    touched: bool = False


@dataclass(slots=True)
class Cache:
    """A cache of objects of one size.

    number: by which callers know it. group: whose it is, where groups have caches of their own; 0
    if it is everybody's. slabs: every slab, by its first frame. partial: the node's slabs with free
    objects, the next one first. full, empty: those without and those without any other (SLAB, whose
    partial ones are neither). cpus: what each CPU has (SLUB). arrays, shared: the same (SLAB).
    touched: whether an empty slab was used since the cache was last looked at (SLAB).
    """

    number: int
    group: int
    shape: Shape
    slabs: dict[Pfn, Slab] = field(default_factory=dict)
    partial: list[Pfn] = field(default_factory=list)
    full: list[Pfn] = field(default_factory=list)
    empty: list[Pfn] = field(default_factory=list)
    cpus: list[CpuSlab] = field(default_factory=list)
    arrays: list[Array] = field(default_factory=list)
    shared: Array | None = None
    touched: bool = False


class HeldObject(NamedTuple):
    """An object that a caller has: its cache, the cache's group, and who is charged for it."""

    cache: int
    cache_group: int
    charged: int


@dataclass(slots=True)
class Group:
    """Who is charged. pages: frames charged. rest: charged bytes that no stock and no object has.

    online: whether it can be charged anew. lost: bytes that stay charged for ever, since some
    releases forget them when a bulk request fails.
    """

    pages: int = 0
    rest: int = 0
    online: bool = True
    lost: int = 0


@dataclass(slots=True)
class Stock:
    """Bytes that a CPU has charged in advance, and for which group; 0 is nobody."""

    group: int = 0
    bytes: int = 0


@dataclass(slots=True)
class Slabs:
    """Everything that the allocator of objects knows.

    caches: by number and by group, 0 for everybody's. frames: the cache, by number and group, whose
    slab begins at the frame. held: the objects that callers have. withheld: those that they have
    given back but nobody may use yet, per CPU in the order in which they came. large: the order of
    each block that is an object by itself, by its first frame. groups: by number. stocks: per CPU.
    slots: the array of the latest bulk request, as that left it.
    """

    machine: SlabMachine
    zone: Zone
    caches: dict[tuple[int, int], Cache]
    frames: dict[Pfn, tuple[int, int]]
    held: dict[Address, HeldObject]
    withheld: list[list[Address]]
    large: dict[Pfn, Order]
    groups: dict[int, Group]
    stocks: list[Stock]
    slots: list[Address]


def empty_slabs(machine: SlabMachine, zone: Zone) -> Slabs:
    """No cache yet, over a zone that has just been handed over."""
    return Slabs(
        machine=machine,
        zone=zone,
        caches={},
        frames={},
        held={},
        withheld=[[] for _ in range(machine.cpus)],
        large={},
        groups={},
        stocks=[Stock() for _ in range(machine.cpus)],
        slots=[],
    )


def copy_of_slabs(slabs: Slabs) -> Slabs:
    """The same state, sharing nothing that changes."""
    return Slabs(
        machine=slabs.machine,
        zone=copy_of(slabs.zone),
        caches={key: _copy_of_cache(cache) for key, cache in slabs.caches.items()},
        frames=slabs.frames.copy(),
        held=slabs.held.copy(),
        withheld=[each.copy() for each in slabs.withheld],
        large=slabs.large.copy(),
        groups={
            number: Group(group.pages, group.rest, group.online, group.lost)
            for number, group in slabs.groups.items()
        },
        stocks=[Stock(stock.group, stock.bytes) for stock in slabs.stocks],
        slots=slabs.slots.copy(),
    )


def _copy_of_cache(cache: Cache) -> Cache:
    return Cache(
        number=cache.number,
        group=cache.group,
        shape=cache.shape,
        slabs={
            first: Slab(first, slab.inuse, slab.chain.copy(), slab.frozen, slab.counted)
            for first, slab in cache.slabs.items()
        },
        partial=cache.partial.copy(),
        full=cache.full.copy(),
        empty=cache.empty.copy(),
        cpus=[
            CpuSlab(mine.slab, mine.chain.copy(), mine.tid, mine.partial.copy())
            for mine in cache.cpus
        ],
        arrays=[Array(each.entries.copy(), each.touched) for each in cache.arrays],
        shared=None
        if cache.shared is None
        else Array(cache.shared.entries.copy(), cache.shared.touched),
        touched=cache.touched,
    )


def address_of(shape: Shape, slab: Pfn, number: int) -> Address:
    """The address of an object of a slab."""
    return slab * PAGE + number * shape.size
