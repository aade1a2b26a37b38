"""Requests for objects that break one law each."""

from tests.spec.rows import row
from tests.spec.slab_rows import (
    ALLOC,
    CREATE,
    GROUP,
    Change,
    broken,
    bulk,
    free,
    machine_of,
    of_cache,
    stepped,
)

from pagespec.slab.laws.book import SlabBook
from pagespec.slab.laws.judge import TWIN_SLAB_LAWS
from pagespec.slab.laws.refused import HELD_LAWS, SLAB_REFUSAL_LAWS
from pagespec.slab.machine import SlabMachine
from pagespec.slab.state import HeldObject, Slabs, Stock
from pagespec.slab.verbs import SlabOp, SlabVerb
from pagespec.types import NO_MEMORY, Refusal

SLUB, SLAB, LATER = machine_of(), machine_of(design="slab"), machine_of("6.1")
FLUSH, SHRINK = SlabOp(SlabVerb.FLUSH), SlabOp(SlabVerb.SHRINK, cache=1)
FIVE = [CREATE, bulk(5)]
OTHER = CREATE._replace(cache=2)
KIND = HeldObject(1, 0, 0)

# --- what is refused, and what callers have -------------------------------------------------------


def refusal(what: str, *ops: SlabOp, outcome: int | None = None, change: Change = id) -> None:
    broken("SLB-refused", what, SLUB, *ops, outcome=outcome, change=change, laws=SLAB_REFUSAL_LAWS)


refusal("an address inside an object", *FIVE, free(4100), outcome=0)
refusal("an object that is free", *FIVE, free(4096), free(4096), outcome=0)
refusal("one of another cache", *FIVE, OTHER, free(4096, 5120)._replace(cache=2), outcome=0)
refusal("one that is there twice", *FIVE, free(4096, 4096), outcome=0)
refusal("a cache that is in use goes", *FIVE, SlabOp(SlabVerb.DESTROY, cache=1), outcome=0)
refusal("a legal one", CREATE, ALLOC, outcome=Refusal.NO_CACHE)
refusal("the wrong reason", CREATE, ALLOC._replace(cache=2), outcome=Refusal.BAD_CPU)
refusal("a refused one frees", *FIVE, free(4100), change=lambda slabs: slabs.held.pop(4096))
refusal("some of a bulk request", *FIVE, outcome=3)
refusal("an object at nothing", CREATE, ALLOC, outcome=0)
refusal("what is done answers a number", *FIVE, FLUSH, outcome=2)
refusal("a group that nobody has", *FIVE, ALLOC._replace(group=1), outcome=4096)
refusal("an array of SLUB is reaped", CREATE, SlabOp(SlabVerb.REAP), outcome=0)
refusal("a block larger than any", SlabOp(SlabVerb.LARGE, order=4), outcome=4096)
refusal("more than a bulk may ask for", CREATE, bulk(65), outcome=65)


def held(what: str, *ops: SlabOp, change: Change = id, machine: SlabMachine = SLUB) -> None:
    broken("SLB-held", what, machine, *ops, change=change, laws=HELD_LAWS)


def twice(book: SlabBook) -> None:
    book.twice = 4096


broken("SLB-held", "given to two", SLUB, *FIVE, ALLOC, entered=twice, laws=HELD_LAWS)
BY_OBJECT = machine_of(scheme="objects", groups=2, limit=3)
PAID = [CREATE, GROUP, ALLOC._replace(group=1)]
WAITS = [*FIVE, free(4096, withheld=(4096,))]
held("an object is lost", *FIVE, change=lambda slabs: slabs.held.pop(4096))
held("an object is not freed", *FIVE, free(4096), change=lambda s: s.held.update({4096: KIND}))
held("nobody pays", *PAID, machine=BY_OBJECT, change=lambda s: s.held.update({4096: KIND}))
held("it does not wait", *WAITS, change=lambda slabs: slabs.withheld[0].clear())
held("it waits at another CPU", *WAITS, change=lambda slabs: slabs.withheld.reverse())
held("a large one grows", SlabOp(SlabVerb.LARGE), change=lambda slabs: slabs.large.update({1: 1}))
held("a cache goes", *FIVE, OTHER, change=lambda slabs: slabs.caches.pop((2, 0)))
held("a group does not come", GROUP, machine=BY_OBJECT, change=lambda slabs: slabs.groups.clear())

# --- when a request may fail ----------------------------------------------------------------------

TIGHT = machine_of(pages=2, scheme="objects", groups=2)
LIMITED = machine_of(scheme="objects", groups=2, limit=1)
OWN = machine_of(scheme="caches", groups=2, limit=1)


def nothing(slabs: Slabs) -> None:
    """The request has done nothing at all."""
    slabs.slots = []


def success(what: str, machine: SlabMachine, *ops: SlabOp, outcome: int = NO_MEMORY) -> None:
    broken("SLB-success", what, machine, *ops, outcome=outcome, change=nothing)


success("an object is within reach", SLUB, *FIVE, ALLOC)
success("some are within reach, the others on a new slab", SLUB, *FIVE, bulk(9), outcome=0)
success("the first one", SLUB, CREATE, ALLOC)
success("an array has one", SLAB, *FIVE, free(4096), ALLOC)
success("the shared array has some", SLAB, *FIVE, free(4096), FLUSH, ALLOC._replace(cpu=1))
success("a group pays from its stock", LIMITED, *PAID, ALLOC._replace(group=1))
success("a group can pay a slab", OWN, *PAID[:2], ALLOC._replace(group=1))
broken(
    "SLB-success",
    "beyond the limit",
    LIMITED,
    *PAID[:2],
    bulk(4, group=1),
    outcome=4,
    change=lambda slabs: setattr(slabs, "slots", [4096, 5120, 6144, 7168]),
)


def loses(what: str, machine: SlabMachine, *ops: SlabOp, lost: int) -> None:
    def change(slabs: Slabs) -> None:
        slabs.groups[1].lost += lost

    broken("SLB-lost", what, machine, *ops, change=change)


FULL_SIZE = 1024 + 8
EARLY, AFTER = TIGHT, machine_of("6.12", pages=2, scheme="objects", groups=2)
NINE = [CREATE, GROUP, bulk(9, group=1)]  # there are eight
loses("one that was served", EARLY, CREATE, GROUP, bulk(8, group=1), lost=FULL_SIZE)
loses("one too many", EARLY, *NINE, lost=FULL_SIZE)
loses("none of those that were not had", EARLY, *NINE, lost=-FULL_SIZE)
loses("part of one", EARLY, *NINE, lost=8)
loses("where it is paid after", AFTER, *NINE, lost=FULL_SIZE)
loses("a single request", EARLY, *NINE[:2], bulk(8), ALLOC._replace(group=1), lost=FULL_SIZE)

# --- several at once ------------------------------------------------------------------------------


def slots(what: str, *ops: SlabOp, left: list[int], machine: SlabMachine = SLUB) -> None:
    broken("SLB-bulk", what, machine, *ops, change=lambda slabs: setattr(slabs, "slots", left))


slots("too few in the array", CREATE, bulk(3), left=[4096, 5120])
slots("one of them twice", CREATE, bulk(3), left=[4096, 5120, 5120])
slots("of a new slab before its time", *FIVE, bulk(2), left=[9216, 12288])
slots("an array that is not emptied", *FIVE, free(4096, 5120), left=[4096, 5120])
slots("an array with somebody else's", *FIVE, free(4096, 5120), left=[4096, 6144], machine=LATER)
slots("an array that is emptied", *FIVE, free(4096, 5120), left=[0, 0], machine=SLAB)
broken(
    "SLB-bulk",
    "it failed and took something",
    machine_of(pages=1),
    CREATE,
    bulk(5),
    change=lambda slabs: slabs.held.update({4096: KIND}),
)


def singles(what: str, *ops: SlabOp, left: list[int]) -> None:
    broken("SLB-singles", what, SLUB, *ops, change=lambda slabs: setattr(slabs, "slots", left))


WAITING = [CREATE, bulk(9), free(4096), free(8192)]  # three are at hand, two wait on slabs 1 and 2
singles("what another CPU keeps", *FIVE, bulk(2, cpu=1), left=[9216, 10240])
singles("what is further off", *WAITING, bulk(4), left=[13312, 14336, 15360, 4096])

# --- which one is next ----------------------------------------------------------------------------


def order(
    what: str, *ops: SlabOp, machine: SlabMachine = SLUB, to: int | None = None, change: Change = id
) -> None:
    broken("SLB-order", what, machine, *ops, outcome=to, change=change)


def in_slots(*addresses: int) -> Change:
    return lambda slabs: setattr(slabs, "slots", [*addresses])


def at_hand(*numbers: int) -> Change:
    """What CPU 0 has of its slab."""
    return of_cache(lambda cache: setattr(cache.cpus[0], "chain", [*numbers]))


def on_slab(*numbers: int) -> Change:
    """What is on the chain of slab 1."""
    return of_cache(lambda cache: setattr(cache.slabs[1], "chain", [*numbers]))


def in_array(*addresses: int) -> Change:
    return of_cache(lambda cache: setattr(cache.arrays[0], "entries", [*addresses]))


OWN_BACK = [CREATE, bulk(4), free(5120)]
REMOTE = [CREATE, bulk(8)]  # CPU 0 serves from slab 2
SHORT = CREATE._replace(batch=2)
order("not what was freed last", *OWN_BACK, free(6144), ALLOC, to=5120)
order("not the first of a new slab", CREATE, ALLOC, to=5120)
order("not in order", *FIVE[:1], bulk(3), change=in_slots(5120, 4096, 6144))
order("a new slab from its end", *FIVE, bulk(4), change=in_slots(9216, 10240, 11264, 13312))
order("the node before the CPU", *REMOTE, free(4096), ALLOC, to=8192)
order("an array from its bottom", *FIVE, free(5120), ALLOC, to=4096, machine=SLAB)
order("the first of a batch", SHORT, ALLOC, to=4096, machine=SLAB)
order(
    "a batch the other way round",
    SHORT,
    bulk(4),
    change=in_slots(4096, 5120, 6144, 7168),
    machine=SLAB,
)
order("behind what was there", CREATE, bulk(3), free(5120), change=at_hand(3, 1))
order("on the CPU's chain from afar", *REMOTE, free(4096, cpu=1), change=on_slab())
order("a round from its lowest", *REMOTE, free(4096, 5120, 6144), change=on_slab(0, 1, 2))
order("rounds the other way round", *REMOTE, free(4096, 8192, 5120, 9216), change=on_slab(0, 1))
order("below what was there", *FIVE, free(5120), change=in_array(5120, 7168), machine=SLAB)
order(
    "withheld the other way round",
    *FIVE,
    free(4096, 5120, withheld=(4096, 5120)),
    change=lambda slabs: slabs.withheld[0].reverse(),
)

# --- what has nothing to do with it ---------------------------------------------------------------


def frame(what: str, *ops: SlabOp, machine: SlabMachine = SLUB, change: Change) -> None:
    broken("SLB-frame", what, machine, *ops, change=change)


frame("the array of an earlier request", *FIVE, free(4096), change=in_slots(4096))
frame("another cache", *FIVE, OTHER, ALLOC._replace(cache=2), change=at_hand())
frame("what another CPU has", *FIVE, ALLOC._replace(cpu=1), change=at_hand())
frame("another's array", *FIVE, ALLOC._replace(cpu=1), machine=SLAB, change=in_array())
frame(
    "sizes of a cache",
    *FIVE,
    ALLOC,
    change=of_cache(lambda cache: setattr(cache, "shape", cache.shape._replace(partials=9))),
)
frame(
    "another CPU's stock",
    *PAID,
    free(4096, cpu=1),
    machine=BY_OBJECT,
    change=lambda slabs: slabs.stocks.__setitem__(0, Stock(1, 8)),
)
frame(
    "another group",
    *PAID,
    SlabOp(SlabVerb.GROUP, group=2),
    ALLOC._replace(group=1),
    machine=BY_OBJECT,
    change=lambda slabs: setattr(slabs.groups[2], "rest", 8),
)
frame(
    "a cache of its own that is not empty",
    *PAID,
    SHRINK._replace(verb=SlabVerb.GROUP, group=2),
    machine=OWN,
    change=lambda slabs: slabs.caches.pop((1, 1)),
)

# --- what comes back ------------------------------------------------------------------------------


def leak(what: str, *ops: SlabOp, machine: SlabMachine = SLUB, change: Change) -> None:
    broken("SLB-leak", what, machine, *ops, change=change)


BACK = [*FIVE, free(*range(4096, 4096 + 5 * 1024, 1024))]


def stays(slabs: Slabs) -> None:
    """The slabs that a CPU had are with it again."""
    before = stepped(slabs.machine, [*FIVE]).after
    slabs.caches, slabs.frames = before.caches, before.frames


leak("a CPU that is flushed keeps a slab", *FIVE, FLUSH, change=stays)
leak("a CPU that is flushed keeps objects", *FIVE, FLUSH, machine=SLAB, change=stays)
leak("slabs that nobody uses", *BACK, SHRINK, change=stays)
leak("a frame is gone", *BACK, SHRINK, change=lambda slabs: slabs.zone.free_area[0].clear())

# --- beside the spec ------------------------------------------------------------------------------


def beside(what: str, outcome: int, change: Change) -> None:
    same, other = stepped(SLUB, FIVE), stepped(SLUB, FIVE, change=change)
    wrong = same._replace(twin=other.after, twin_outcome=outcome)
    sound = same._replace(twin=same.after, twin_outcome=same.outcome)
    row(TWIN_SLAB_LAWS, "TWIN-slabs", what, wrong, sound, SLUB.era)


beside("another answer", 4, id)
beside("another order", 5, at_hand(2, 1, 3))
