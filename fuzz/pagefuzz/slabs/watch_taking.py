"""Which events it was that objects were asked for, told from the states before and after."""

from collections.abc import Callable, Iterator

from pagefuzz.slabs.events import SlabEvent
from pagespec.slab.state import Cache, Slabs
from pagespec.slab.verbs import SlabOp
from pagespec.types import NO_MEMORY, Pfn
from pagespec.verbs import Outcome


def taken(before: Slabs, op: SlabOp, outcome: Outcome, after: Slabs) -> Iterator[SlabEvent]:
    """The events of a request for one object."""
    if outcome == NO_MEMORY:
        yield SlabEvent.FAILED
    else:
        yield from TAKES[before.machine.design](before, op, after)


def taken_in_bulk(before: Slabs, op: SlabOp, outcome: Outcome, after: Slabs) -> Iterator[SlabEvent]:
    """The events of a request for several."""
    if not op.objects:
        yield SlabEvent.NOTHING
    elif outcome:
        yield SlabEvent.BULK
        yield from TAKES[before.machine.design](before, op, after)
    else:
        yield SlabEvent.BULK_FAILED
        if _moved(before, op, after):
            yield SlabEvent.UNDONE


def _moved(before: Slabs, op: SlabOp, after: Slabs) -> bool:
    """Whether the cache shows that somebody has been at it."""
    was = {key: cache for key, cache in before.caches.items() if key[0] == op.cache}
    return any(after.caches.get(key) != cache for key, cache in was.items())


def _charged_cache(slabs: Slabs, op: SlabOp) -> Cache:
    """The cache that serves a request."""
    return slabs.caches.get((op.cache, op.group)) or slabs.caches[op.cache, 0]


def _take_slub(before: Slabs, op: SlabOp, after: Slabs) -> Iterator[SlabEvent]:
    cache, now = _charged_cache(before, op), _charged_cache(after, op)
    if (cache.number, cache.group) != (now.number, now.group):
        return
    was, mine = cache.cpus[op.cpu], now.cpus[op.cpu]
    if was.chain:
        yield SlabEvent.FAST
    if was.slab is not None and cache.slabs[was.slab].chain and not now.slabs[was.slab].chain:
        yield SlabEvent.TAKEN_OVER
    if was.partial and was.partial[0] not in mine.partial:
        yield SlabEvent.FROM_CPU
    if mine.slab in cache.partial:
        yield SlabEvent.FROM_NODE
    if any(first in cache.partial for first in mine.partial):
        yield SlabEvent.MORE_KEPT


def _take_array(before: Slabs, op: SlabOp, after: Slabs) -> Iterator[SlabEvent]:
    cache, now = _charged_cache(before, op), _charged_cache(after, op)
    if (cache.number, cache.group) != (now.number, now.group):
        return
    if cache.arrays[op.cpu].entries:
        yield SlabEvent.AT_HAND
    if cache.shared and now.shared and len(now.shared.entries) < len(cache.shared.entries):
        yield SlabEvent.FROM_SHARED
    if any(first in cache.slabs for first in changed_slabs(cache, now)):
        yield SlabEvent.FROM_SLABS


def changed_slabs(cache: Cache, now: Cache) -> list[Pfn]:
    """The slabs of both whose number of objects in use differs."""
    both = cache.slabs.keys() & now.slabs.keys()
    return [first for first in both if cache.slabs[first].inuse != now.slabs[first].inuse]


TAKES: dict[str, Callable[[Slabs, SlabOp, Slabs], Iterator[SlabEvent]]] = {
    "slub": _take_slub,
    "slab": _take_array,
}
