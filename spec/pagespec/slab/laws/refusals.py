"""What is wrong with a request for objects: every reason for which it may be refused."""

from pagespec.slab.machine import MAX_CACHES
from pagespec.slab.sizes import PAGE, array_limit
from pagespec.slab.state import Slabs
from pagespec.slab.verbs import MAX_BULK, SlabOp, SlabVerb
from pagespec.types import Refusal

OF_CACHE = frozenset({SlabVerb.DESTROY, SlabVerb.SHRINK, SlabVerb.ALLOC, SlabVerb.ALLOC_BULK})
CHARGING = frozenset({SlabVerb.ALLOC, SlabVerb.ALLOC_BULK})
GIVING_BACK = frozenset({SlabVerb.FREE, SlabVerb.FREE_BULK})
LEAST_SIZE = 8
"""Bytes of the link that lies in a free object; sizes are multiples of it."""


def reasons(slabs: Slabs, op: SlabOp) -> frozenset[Refusal]:
    """Every reason for which the request may be refused; it must be served if there is none."""
    found = {
        Refusal.BAD_CPU: op.cpu not in range(slabs.machine.cpus),
        Refusal.NO_CACHE: _names_cache(op) and (op.cache, 0) not in slabs.caches,
        Refusal.UNSUPPORTED: op.verb is SlabVerb.REAP and slabs.machine.design == "slub",
        Refusal.CACHE_BUSY: op.verb is SlabVerb.DESTROY
        and op.cache in {held.cache for held in slabs.held.values() if held.cache},
    }
    found |= _of_new_cache(slabs, op) if op.verb is SlabVerb.CREATE else {}
    found |= _of_group(slabs, op)
    found |= _of_objects(slabs, op) if op.verb in GIVING_BACK else {}
    asked = op.objects if op.verb is SlabVerb.ALLOC_BULK else len(op.addresses)
    single = op.verb is SlabVerb.FREE and len(op.addresses) != 1
    found[Refusal.BAD_RANGE] = asked not in range(MAX_BULK + 1) or single
    if op.verb in (SlabVerb.CREATE, SlabVerb.LARGE) and op.order is not None:
        found[Refusal.BAD_ORDER] = op.order not in range(slabs.zone.machine.top + 1)
    return frozenset(reason for reason, holds in found.items() if holds)


def _names_cache(op: SlabOp) -> bool:
    return op.verb in OF_CACHE or (op.verb is SlabVerb.FREE_BULK and op.cache != 0)


def _of_new_cache(slabs: Slabs, op: SlabOp) -> dict[Refusal, bool]:
    order = slabs.zone.machine.top if op.order is None else op.order
    counts = [op.objects_kept, op.partials, op.batch, op.shared]
    fits = op.size >= LEAST_SIZE and op.size % LEAST_SIZE == 0
    largest = PAGE * 2 ** min(max(order, 0), slabs.zone.machine.top)
    taken = op.cache not in range(1, MAX_CACHES + 1) or (op.cache, 0) in slabs.caches
    negative = any(count is not None and count < 0 for count in counts)
    return {
        Refusal.CACHE_EXISTS: taken,
        Refusal.BAD_SIZE: not fits or op.size > largest or negative or not _fits_design(slabs, op),
    }


def _fits_design(slabs: Slabs, op: SlabOp) -> bool:
    """Whether an array moves something at a time, and no more than it has room for; where there are
    no arrays, whether nothing is said of any."""
    if slabs.machine.design != "slab":
        return op.batch is None and op.shared is None
    if op.size < 1:
        return True
    kept = array_limit(op.size) if op.objects_kept is None else op.objects_kept
    return 1 <= (op.batch if op.batch is not None else -(-kept // 2)) <= kept


def _of_group(slabs: Slabs, op: SlabOp) -> dict[Refusal, bool]:
    known = slabs.groups.get(op.group)
    if op.verb is SlabVerb.GROUP:
        within = op.group in range(1, slabs.machine.groups + 1)
        return {Refusal.NO_GROUP: not within, Refusal.GROUP_EXISTS: known is not None}
    if op.verb is SlabVerb.OFFLINE or (op.verb in CHARGING and op.group):
        gone = known is not None and not known.online
        return {Refusal.NO_GROUP: known is None, Refusal.GROUP_OFFLINE: gone}
    return {}


def _of_objects(slabs: Slabs, op: SlabOp) -> dict[Refusal, bool]:
    given = list(op.addresses)
    if op.verb is SlabVerb.FREE_BULK and skips_empty(slabs):
        given = [address for address in given if address]
    unknown = any(address not in slabs.held for address in given) or len(set(given)) < len(given)
    stray = any(address == 0 or address not in given for address in op.withheld)
    caches = {slabs.held[address].cache for address in given if address in slabs.held}
    wrong = op.verb is SlabVerb.FREE_BULK and op.cache != 0 and caches - {op.cache} != set()
    return {Refusal.NOT_OBJECT: unknown or stray, Refusal.WRONG_CACHE: wrong}


def skips_empty(slabs: Slabs) -> bool:
    """Whether a bulk free skips slots of its array that hold no object."""
    machine = slabs.machine
    return machine.design == "slub" and not machine.era.detaches_by_swapping
