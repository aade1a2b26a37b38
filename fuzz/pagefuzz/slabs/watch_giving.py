"""Which events it was that objects came back, told from the states before and after."""

from collections.abc import Callable, Iterator

from pagefuzz.slabs.events import SlabEvent
from pagefuzz.slabs.watch_taking import changed_slabs
from pagespec.slab.sizes import PAGE
from pagespec.slab.state import Cache, Slabs
from pagespec.slab.verbs import Address, SlabOp
from pagespec.types import Pfn
from pagespec.verbs import Outcome


def given_back(before: Slabs, op: SlabOp, outcome: Outcome, after: Slabs) -> Iterator[SlabEvent]:
    """The events of objects that a request gave back."""
    if op.withheld:
        yield SlabEvent.WITHHELD
    given = [address for address in op.addresses if address and address not in op.withheld]
    if any(address // PAGE in before.large for address in given):
        yield SlabEvent.LARGE_BACK
    yield from _back(before, op.cpu, given, after)


def given_back_in_bulk(
    before: Slabs, op: SlabOp, outcome: Outcome, after: Slabs
) -> Iterator[SlabEvent]:
    """The same, and what is special about several at once."""
    if not op.addresses:
        yield SlabEvent.NOTHING
    yield from given_back(before, op, outcome, after)
    given = [address for address in op.addresses if address]
    caches = {before.held[each].cache for each in given if each // PAGE not in before.large}
    if len(caches) > 1:
        yield SlabEvent.ANY_CACHE
    slabs = [_home(before, each) for each in given]
    if len(set(slabs)) > 1:
        yield SlabEvent.ROUNDS
        if _is_stopped(slabs):
            yield SlabEvent.STOPPED


LOOK_AHEAD = 3
"""Objects of other slabs at which the search for one more of the same ends."""


def _is_stopped(slabs: list[Pfn]) -> bool:
    """Whether the search from the last object down misses one of the same slab."""
    others = 0
    for slab in reversed(slabs[:-1]):
        others += slab != slabs[-1]
        if others >= LOOK_AHEAD and slab == slabs[-1]:
            return True
    return False


def _home(slabs: Slabs, address: Address) -> Pfn:
    """The first frame of the slab that an object lives on."""
    if address // PAGE in slabs.large:
        return address // PAGE
    held = slabs.held[address]
    cache = slabs.caches[held.cache, held.cache_group]
    pages = 1 << cache.shape.order
    return next(first for first in cache.slabs if first <= address // PAGE < first + pages)


def _back(before: Slabs, cpu: int, given: list[Address], after: Slabs) -> Iterator[SlabEvent]:
    """The events of objects that go back to where they came from."""
    for address in given:
        if address // PAGE in before.large:
            continue
        held = before.held[address]
        key, first = (held.cache, held.cache_group), _home(before, address)
        # A group that has gone takes its caches along with its last object.
        if key in after.caches:
            yield from BACKS[before.machine.design](
                before.caches[key], cpu, first, after.caches[key]
            )


def _back_slub(cache: Cache, cpu: int, first: Pfn, now: Cache) -> Iterator[SlabEvent]:
    was, slab = cache.cpus[cpu], now.slabs.get(first)
    if was.slab == first:
        yield SlabEvent.OWN
    elif any(each.slab == first for each in cache.cpus):
        yield SlabEvent.REMOTE
    if first not in was.partial and first in now.cpus[cpu].partial:
        yield SlabEvent.TO_CPU
    if any(each in now.partial or each not in now.slabs for each in was.partial):
        yield SlabEvent.DRAINED
    if slab is not None and not slab.inuse and first in now.partial:
        yield SlabEvent.KEPT_EMPTY


def _back_array(cache: Cache, cpu: int, first: Pfn, now: Cache) -> Iterator[SlabEvent]:
    if len(now.arrays[cpu].entries) > len(cache.arrays[cpu].entries):
        yield SlabEvent.TO_ARRAY
    if cache.shared and now.shared and len(now.shared.entries) > len(cache.shared.entries):
        yield SlabEvent.TO_SHARED
    if changed_slabs(cache, now) or len(now.slabs) < len(cache.slabs):
        yield SlabEvent.TO_SLABS
    if len(now.empty) > len(cache.empty):
        yield SlabEvent.KEPT_EMPTY


BACKS: dict[str, Callable[[Cache, int, Pfn, Cache], Iterator[SlabEvent]]] = {
    "slub": _back_slub,
    "slab": _back_array,
}


def released(before: Slabs, op: SlabOp, outcome: Outcome, after: Slabs) -> Iterator[SlabEvent]:
    """The events of objects that may be used again."""
    if before.withheld[op.cpu]:
        yield SlabEvent.RELEASED
