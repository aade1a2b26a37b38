"""Which events of slabs a request was, told from the states before and after it."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from pagefuzz.slabs.events import SlabEvent, SlabMet
from pagefuzz.slabs.watch_charges import charged
from pagefuzz.slabs.watch_giving import given_back, given_back_in_bulk, released
from pagefuzz.slabs.watch_taking import taken, taken_in_bulk
from pagespec.slab.state import Cache, Slabs
from pagespec.slab.verbs import SlabOp, SlabVerb
from pagespec.types import NO_MEMORY, Refusal
from pagespec.verbs import Outcome

Happened: TypeAlias = Iterator[SlabEvent]
Watch: TypeAlias = Callable[[Slabs, SlabOp, Outcome, Slabs], Happened]
"""Tells the events of a request that was served from the states before and after it."""


def events_of_step(before: Slabs, op: SlabOp, outcome: Outcome, after: Slabs) -> Iterator[SlabMet]:
    """The events of one request, each of them once."""
    if outcome <= max(Refusal):
        yield SlabEvent.REFUSED, outcome
        return
    for event in dict.fromkeys(_events(before, op, outcome, after)):
        yield event, 0


def _events(before: Slabs, op: SlabOp, outcome: Outcome, after: Slabs) -> Happened:
    yield from WATCHES[op.verb](before, op, outcome, after)
    if after.frames.keys() - before.frames.keys():
        yield SlabEvent.GROWN
    if before.frames.keys() - after.frames.keys():
        yield SlabEvent.DISCARDED
    if before.machine.groups:
        yield from charged(before, op, outcome, after)


def _flush(before: Slabs, op: SlabOp, outcome: Outcome, after: Slabs) -> Happened:
    if any(_kept_by(cache, op.cpu) for cache in before.caches.values()):
        yield SlabEvent.FLUSHED


def _kept_by(cache: Cache, cpu: int) -> bool:
    """Whether a CPU keeps anything of a cache."""
    if cache.arrays:
        return bool(cache.arrays[cpu].entries)
    return cache.cpus[cpu].slab is not None or bool(cache.cpus[cpu].partial)


def _reap(before: Slabs, op: SlabOp, outcome: Outcome, after: Slabs) -> Happened:
    for key, cache in before.caches.items():
        if not cache.arrays or not cache.arrays[op.cpu].entries:
            continue
        now = after.caches.get(key)
        spared = now is not None and now.arrays[op.cpu].entries == cache.arrays[op.cpu].entries
        yield SlabEvent.SPARED if spared else SlabEvent.UNTOUCHED


def _shrink(before: Slabs, op: SlabOp, outcome: Outcome, after: Slabs) -> Happened:
    if len(after.frames) < len(before.frames):
        yield SlabEvent.SHRUNK


def _destroy(before: Slabs, op: SlabOp, outcome: Outcome, after: Slabs) -> Happened:
    if len(after.frames) < len(before.frames):
        yield SlabEvent.DESTROYED


def _nothing(before: Slabs, op: SlabOp, outcome: Outcome, after: Slabs) -> Happened:
    return iter(())


def _large(before: Slabs, op: SlabOp, outcome: Outcome, after: Slabs) -> Happened:
    if outcome == NO_MEMORY:
        yield SlabEvent.FAILED


WATCHES: dict[SlabVerb, Watch] = {
    SlabVerb.CREATE: _nothing,
    SlabVerb.DESTROY: _destroy,
    SlabVerb.SHRINK: _shrink,
    SlabVerb.ALLOC: taken,
    SlabVerb.FREE: given_back,
    SlabVerb.ALLOC_BULK: taken_in_bulk,
    SlabVerb.FREE_BULK: given_back_in_bulk,
    SlabVerb.LARGE: _large,
    SlabVerb.RELEASE: released,
    SlabVerb.FLUSH: _flush,
    SlabVerb.REAP: _reap,
    SlabVerb.GROUP: _nothing,
    SlabVerb.OFFLINE: _nothing,
}
"""Who tells the events of each verb beside those that all may have."""
