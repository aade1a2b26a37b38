"""Laws about where objects and slabs are, between requests.

They are judged from the most basic to the most demanding. They are asked of states at rest; whoever
is in the middle of a request may have an object in its hands.
"""

from collections import Counter

from pagespec.frames import SIZES
from pagespec.laws.law import Complaint, LawBook
from pagespec.slab.laws.bounds import kept_too_much
from pagespec.slab.laws.eras import has_slabs
from pagespec.slab.laws.where import misplaced
from pagespec.slab.laws.wording import named
from pagespec.slab.sizes import PAGE, objects_in
from pagespec.slab.state import Cache, HeldObject, Slab, Slabs
from pagespec.types import Pfn

REST_LAWS: LawBook[Slabs] = LawBook()


@REST_LAWS.law("SLB-place", eras=has_slabs, source="derived; mm/slub.c and mm/slab.c, 5.8 to 6.12")
def placed(slabs: Slabs) -> Complaint:
    """Every object of every slab is in exactly one place, and so is every slab.

    The places are: held, withheld, a CPU's chain or its slab's own, a CPU's array or the shared
    one. A slab's frames are held of the zone, and are of one cache. It is on the one list that fits
    its free objects: of a CPU, which has it frozen; of the node; or on none, when it is full. An
    object in no place is lost, one in two will have two owners.
    """
    wrong = _frames(slabs)
    if wrong is not None:
        return wrong
    for cache in slabs.caches.values():
        wrong = misplaced(slabs, cache) or _listed(cache)
        if wrong is not None:
            return f"{named(cache)}: {wrong}"
    for address, held in slabs.held.items():
        if held.cache and (held.cache, held.cache_group) not in slabs.caches:
            return f"object {address} is held of cache {held.cache}, which is not there"
    known = {first for cache in slabs.caches.values() for first in cache.slabs}
    for waiting in slabs.withheld:
        for address in waiting:
            if not any(first in known for first in _heads(slabs, address)):
                return f"{address} is withheld, but no slab has it"
    return None


def _heads(slabs: Slabs, address: int) -> list[Pfn]:
    """Where a block that has the address may begin."""
    base, frame = slabs.machine.zone.base, address // PAGE
    return [frame - (frame - base) % size for size in SIZES[: slabs.machine.zone.top + 1]]


def _frames(slabs: Slabs) -> Complaint:
    """Blocks of the zone are held for slabs of one cache, or as large objects, and for nothing."""
    orders = slabs.large.copy()
    for key, cache in slabs.caches.items():
        for first in cache.slabs:
            if first in orders:
                return f"block {first} is of {named(cache)} and something else"
            orders[first] = cache.shape.order
            if slabs.frames.get(first) != key:
                return (
                    f"slab {first} is of {named(cache)}, its frames say {slabs.frames.get(first)}"
                )
    stray = slabs.frames.keys() - (orders.keys() - slabs.large.keys())
    if stray:
        return f"frame {min(stray)} is said to begin a slab, but no cache has it"
    blocks = {first: held.order for first, held in slabs.zone.held.items()}
    if blocks != orders:
        wrong = min(dict(blocks.items() ^ orders.items()))
        return (
            f"block {wrong} is held of the zone with order {blocks.get(wrong)}, "
            f"is in use with order {orders.get(wrong)}"
        )
    large = {first * PAGE for first in slabs.large}
    told = {address for address, held in slabs.held.items() if held == HeldObject(0, 0, 0)}
    if large == told:
        return None
    return f"blocks at {sorted(large)} are objects by themselves, held as such are {sorted(told)}"


def _listed(cache: Cache) -> Complaint:
    """Each slab is on just the list that fits it."""
    at = Counter(cache.partial)
    at.update([*cache.full, *cache.empty])
    frozen: Counter[Pfn] = Counter()
    for mine in cache.cpus:
        frozen.update(mine.partial)
        frozen.update([] if mine.slab is None else [mine.slab])
    stray = (at.keys() | frozen.keys()) - cache.slabs.keys()
    if stray:
        return f"slab {min(stray)} is listed, but is none"
    own = {mine.slab for mine in cache.cpus}
    for first, slab in cache.slabs.items():
        lists = at[first] + frozen[first]
        if slab.frozen is not bool(frozen[first]):
            owner = "no CPU has it" if slab.frozen else "a CPU has it"
            return f"slab {first} is {'' if slab.frozen else 'not '}frozen, but {owner}"
        if lists > 1:
            return f"slab {first} is on {lists} lists"
        wrong = _fits_arrays(cache, slab) if cache.arrays else _fits(cache, slab, first in own)
        if wrong is not None:
            return f"slab {first} with {len(slab.chain)} on its chain {wrong}"
        if slab.counted and not (slab.frozen and first not in own):
            return f"slab {first} is counted as partial and is on no CPU's list"
    empty = [cpu for cpu, mine in enumerate(cache.cpus) if mine.slab is None and mine.chain]
    return f"CPU {empty[0]} has a chain of no slab" if empty else None


def _fits(cache: Cache, slab: Slab, own: bool) -> Complaint:
    """Which list of a SLUB cache the slab should be on, if it is not. own: a CPU serves from it."""
    if cache.full or cache.empty:
        return "is of a cache that keeps full or empty slabs"
    if slab.frozen:
        return None if own or slab.chain else "is on a CPU's list of partial slabs"
    listed = slab.first in cache.partial
    return (
        None if listed is bool(slab.chain) else f"is {'' if listed else 'not '}on the node's list"
    )


def _fits_arrays(cache: Cache, slab: Slab) -> Complaint:
    """Which list of a SLAB cache the slab should be on, if it is not."""
    if not slab.chain:
        fits = cache.full
    else:
        fits = cache.empty if len(slab.chain) == cache.shape.objects else cache.partial
    names = {id(cache.full): "full", id(cache.empty): "empty", id(cache.partial): "partial"}
    return None if slab.first in fits else f"is not on the list of {names[id(fits)]} slabs"


@REST_LAWS.law(
    "SLB-inuse", eras=has_slabs, source="mm/slub.c, struct slab and calculate_order; mm/slab.c"
)
def in_use(slabs: Slabs) -> Complaint:
    """A slab counts as in use what is not on its own chain, and CPUs and nodes keep what they may.

    A CPU keeps as many free objects, or slabs, as its cache allows, and the last that came; a node
    keeps no more empty slabs than its cache says. A count that is off gives a slab back to the page
    allocator while somebody has an object of it; what is kept beyond all bounds, nobody can use.
    """
    for cache in slabs.caches.values():
        shape = cache.shape
        room = objects_in(shape.order, shape.size)
        if not 1 <= shape.objects <= room or (cache.cpus and shape.objects != room):
            return f"slabs of {named(cache)} have {shape.objects} objects, there is room for {room}"
        for first, slab in cache.slabs.items():
            due = shape.objects - len(slab.chain)
            if slab.first != first:
                return f"slab {first} of {named(cache)} says that it is slab {slab.first}"
            if slab.inuse != due:
                return f"slab {first} of {named(cache)} counts {slab.inuse} in use, expected {due}"
        wrong = kept_too_much(slabs.machine.era, cache)
        if wrong is not None:
            return f"{named(cache)}: {wrong}"
    return None
