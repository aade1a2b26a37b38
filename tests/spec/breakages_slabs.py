"""Slabs between requests that break one law each."""

from tests.spec.slab_rows import (
    ALLOC,
    CREATE,
    GROUP,
    Change,
    all_of,
    bulk,
    free,
    machine_of,
    of_cache,
    resting,
)

from pagespec.slab.state import Array, Cache, HeldObject, Slab, Slabs, Stock
from pagespec.slab.verbs import SlabOp, SlabVerb
from pagespec.types import Pfn
from pagespec.zone import Held

SLUB, SLAB = machine_of(), machine_of(design="slab")
LATER = machine_of("6.1")
LARGE, FLUSH = SlabOp(SlabVerb.LARGE), SlabOp(SlabVerb.FLUSH)
OTHER = CREATE._replace(cache=2)
EIGHT = [CREATE, bulk(8)]  # slab 1 is full, CPU 0 serves from slab 2, whose objects are all taken
FIVE = [CREATE, bulk(5)]  # three are left on the CPU's chain
ONE_BACK = [*EIGHT, free(4096)]  # slab 1 is partial and waits at CPU 0
ON_NODE = [*EIGHT, free(4096), FLUSH]


def place(what: str, *ops: SlabOp, change: Change) -> None:
    resting("SLB-place", what, SLUB, *ops, change=change)


def arrays(what: str, *ops: SlabOp, change: Change) -> None:
    resting("SLB-place", what, SLAB, *ops, change=change)


def slab(slabs: Slabs, first: Pfn = 1) -> Slab:
    return slabs.caches[1, 0].slabs[first]


# --- where everything is ------------------------------------------------------------------------


def shares(slabs: Slabs) -> None:
    slabs.caches[2, 0].slabs[1] = slabs.caches[1, 0].slabs[1]


place("a slab of two caches", *FIVE, OTHER, change=shares)
place("a frame of another cache", *FIVE, OTHER, change=lambda s: s.frames.update({1: (2, 0)}))
place("a frame of no slab", *FIVE, change=lambda s: s.frames.update({9: (1, 0)}))
place(
    "a block nobody uses",
    *FIVE,
    change=lambda s: s.zone.held.update({9: Held(0, 1, False)}),
)
place("a slab that is free", *FIVE, change=lambda s: s.zone.held.pop(1))
place("a larger slab", *FIVE, change=lambda s: s.zone.held.update({1: Held(1, 1, True)}))
place("a large object is none", CREATE, LARGE, change=lambda s: s.held.clear())
place("an object twice on a chain", *FIVE, change=of_cache(lambda one: one.cpus[0].chain.append(1)))
place("an object nowhere", *FIVE, change=of_cache(lambda one: one.cpus[0].chain.pop()))
place("a free object is held", *FIVE, change=of_cache(lambda one: one.cpus[0].chain.append(0)))
place("an object beside the slab", *FIVE, change=of_cache(lambda one: one.cpus[0].chain.append(4)))
place(
    "a held object of nobody",
    *FIVE,
    change=lambda s: s.held.update({9 * 4096: HeldObject(1, 0, 0)}),
)
place("held of no cache", *FIVE, change=lambda s: s.held.update({9 * 4096: HeldObject(3, 0, 0)}))
place("withheld and held", *FIVE, change=lambda s: s.withheld[1].append(4096))
place("withheld of no slab", *FIVE, change=lambda s: s.withheld[1].append(9 * 4096))
place("a list of what is no slab", *FIVE, change=of_cache(lambda one: one.partial.append(9)))
place("a slab on no list", *ON_NODE, change=of_cache(lambda one: one.partial.clear()))
place("a full slab on the list", *EIGHT, change=of_cache(lambda one: one.partial.append(1)))
place("a CPU's slab not frozen", *FIVE, change=lambda s: setattr(slab(s, 2), "frozen", False))
place("a frozen slab of nobody", *EIGHT, change=lambda s: setattr(slab(s), "frozen", True))
place("a slab of two CPUs", *ONE_BACK, change=of_cache(lambda one: one.cpus[1].partial.append(1)))
place("it keeps full slabs", *EIGHT, change=of_cache(lambda one: one.full.append(1)))
place(
    "it is counted where it is not kept",
    *EIGHT,
    change=lambda s: setattr(slab(s), "counted", 1),
)


def takes_over(cache: Cache) -> None:
    """A partial slab of a CPU whose objects are all taken."""
    cache.slabs[1].frozen = True
    cache.cpus[1].partial.append(1)


place("a CPU keeps a full slab", *EIGHT, change=of_cache(takes_over))


def gives_up(cache: Cache) -> None:
    """A CPU that gives up its slab, but not the objects."""
    mine = cache.cpus[0]
    cache.slabs[2].chain, cache.slabs[2].frozen = mine.chain.copy(), False
    cache.partial.append(2)
    mine.slab = None


place("a CPU has a chain of no slab", *FIVE, change=of_cache(gives_up))
arrays(
    "an array twice the same",
    *FIVE,
    change=of_cache(lambda one: one.arrays[1].entries.append(4096)),
)
arrays("an array loses an object", *FIVE, change=of_cache(lambda one: one.arrays[0].entries.pop()))
arrays(
    "all have what one has",
    *FIVE,
    change=of_cache(lambda one: setattr(one, "shared", Array([8192]))),
)
arrays(
    "a full slab as partial",
    *FIVE,
    change=of_cache(lambda one: one.partial.append(one.full.pop())),
)
EMPTY = [CREATE._replace(batch=1), bulk(1), free(4096), FLUSH._replace(cpu=1)]


def holds_one(slabs: Slabs) -> None:
    cache = slabs.caches[1, 0]
    cache.empty, cache.partial = cache.partial, []


arrays("a partial slab as empty", *EMPTY, change=holds_one)

# --- what is in use, and how much may be kept -----------------------------------------------------


def inuse(what: str, *ops: SlabOp, change: Change) -> None:
    resting("SLB-inuse", what, SLUB, *ops, change=change)


def reshaped(**sizes: int) -> Change:
    """Its cache says other sizes."""

    def change(cache: Cache) -> None:
        cache.shape = cache.shape._replace(**sizes)

    return of_cache(change)


inuse("a slab counts one too few", *FIVE, change=lambda s: setattr(slab(s), "inuse", 3))
inuse("a slab has another's frames", *FIVE, change=lambda s: setattr(slab(s), "first", 2))
inuse("there is room for more", *[CREATE], change=reshaped(objects=3))
inuse(
    "a node keeps too many",
    *EIGHT,
    free(*range(4096, 8192, 1024)),
    FLUSH,
    change=reshaped(partials=0),
)
TWELVE = [CREATE, bulk(12), free(4096), free(8192)]
inuse("a CPU keeps too many objects", *TWELVE, change=reshaped(objects_kept=0))
inuse("none are counted", *TWELVE, change=lambda s: setattr(slab(s, 2), "counted", 1))
resting("SLB-inuse", "too many slabs", LATER, *TWELVE, change=reshaped(objects_kept=1))
resting(
    "SLB-inuse",
    "slabs are counted by objects",
    LATER,
    *TWELVE,
    change=lambda s: setattr(slab(s), "counted", 1),
)
resting("SLB-inuse", "an array is too full", SLAB, *FIVE, change=reshaped(objects_kept=0))
resting(
    "SLB-inuse",
    "the shared array is too full",
    SLAB,
    CREATE,
    bulk(6),
    free(*range(4096, 4096 + 6 * 1024, 1024)),
    change=reshaped(shared=1),
)
SPARE = [CREATE._replace(partials=9, shared=0), bulk(4), free(*range(4096, 8192, 1024))]
resting(
    "SLB-inuse",
    "a node keeps empty slabs",
    SLAB,
    *SPARE[:2],
    bulk(4),
    *[free(at) for at in range(4096, 4096 + 8 * 1024, 1024)],
    change=reshaped(partials=1),
)

# --- who pays -------------------------------------------------------------------------------------

PAID = [CREATE, GROUP, ALLOC._replace(group=1)]
BY_OBJECT = machine_of(scheme="objects", groups=2, limit=3)
BY_SLAB = machine_of(scheme="caches", groups=2, limit=3)


def charge(what: str, *ops: SlabOp, change: Change) -> None:
    resting("SLB-charge", what, BY_OBJECT, *ops, change=change)


def frames(slabs: Slabs, more: int, lost: int = 0) -> None:
    slabs.groups[1].pages += more
    slabs.groups[1].lost += lost


charge("a frame too many", *PAID, change=lambda s: frames(s, 1))
charge("a stock loses bytes", *PAID, change=lambda s: setattr(s.stocks[0], "bytes", 8))
charge("a rest of nothing", *PAID, change=lambda s: setattr(s.groups[1], "rest", 8))
charge("less than nothing", *PAID, change=lambda s: setattr(s.groups[1], "rest", -8))
charge("a stock of nobody", *PAID, change=lambda s: setattr(s.stocks[0], "group", 0))
charge("a stock below nothing", *PAID, change=lambda s: setattr(s.stocks[0], "bytes", -8))
charge("more than the limit", *PAID, change=lambda s: frames(s, 3, 3 * 4096))
charge("a group that there is not", *PAID, change=lambda s: s.groups.clear())
charge(
    "an object is somebody else's",
    *PAID,
    SlabOp(SlabVerb.GROUP, group=2),
    change=lambda s: s.held.update({4096: HeldObject(1, 0, 2)}),
)
charge(
    "a group stays without need",
    CREATE,
    GROUP,
    change=lambda s: setattr(s.groups[1], "online", False),
)
resting("SLB-charge", "a slab less", BY_SLAB, *PAID, change=lambda s: frames(s, -1))
resting("SLB-charge", "a slab is lost", BY_SLAB, *PAID, change=lambda s: frames(s, 0, 8))
charge(
    "nobody's objects are somebody's",
    CREATE,
    ALLOC,
    GROUP,
    change=all_of(lambda s: s.stocks.__setitem__(1, Stock(1, 100))),
)
