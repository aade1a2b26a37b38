"""Which events of groups a request was, told from the states before and after it."""

from collections.abc import Iterator

from pagefuzz.slabs.events import SlabEvent
from pagespec.slab.sizes import PAGE
from pagespec.slab.state import Group, Slabs
from pagespec.slab.verbs import SlabOp, SlabVerb
from pagespec.types import NO_MEMORY
from pagespec.verbs import Outcome

POINTER = 8
"""The bytes that are charged for an object beside its own: who pays for it is kept there."""


def charged(before: Slabs, op: SlabOp, outcome: Outcome, after: Slabs) -> Iterator[SlabEvent]:
    """What became of charges."""
    scheme = before.machine.scheme
    yield from _slabs(before, after) if scheme == "caches" else _stocks(before, op, after)
    for number, group in after.groups.items():
        was = before.groups.get(number, Group())
        if group.pages < was.pages and scheme == "objects":
            yield SlabEvent.PAGES_UNCHARGED
        if group.lost > was.lost:
            yield SlabEvent.LOST
    back = [before.held[each].charged for each in before.held.keys() - after.held.keys()]
    if any(back):
        yield SlabEvent.UNCHARGED
    if any(number and not before.groups[number].online for number in back):
        yield SlabEvent.LATE
    if _asked(op) and outcome in (0, NO_MEMORY) and _too_much(before, op):
        yield SlabEvent.OVER_LIMIT


def _asked(op: SlabOp) -> int:
    """How many objects of a group's are asked for."""
    several = op.objects if op.verb is SlabVerb.ALLOC_BULK else 0
    return (1 if op.verb is SlabVerb.ALLOC else several) if op.group else 0


def _too_much(before: Slabs, op: SlabOp) -> bool:
    """Whether the objects, or a slab for one, are more than the group may still be charged."""
    limit = before.machine.limit
    if limit is None:
        return False
    shape = before.caches[op.cache, 0].shape
    pages = 1 << shape.order
    if before.machine.scheme == "objects":
        stock = before.stocks[op.cpu]
        wanted = _asked(op) * (shape.size + POINTER)
        pages = -(-wanted // PAGE)
        if stock.group == op.group and stock.bytes >= wanted:
            return False
    return before.groups[op.group].pages + pages > limit


def _slabs(before: Slabs, after: Slabs) -> Iterator[SlabEvent]:
    if any(group for _, group in after.caches.keys() - before.caches.keys()):
        yield SlabEvent.GROUP_CACHE
    frames = (before.frames, after.frames)
    for has, lacks, event in (
        (*frames[::-1], SlabEvent.SLAB_CHARGED),
        (*frames, SlabEvent.SLAB_UNCHARGED),
    ):
        if any(has[first][1] for first in has.keys() - lacks.keys()):
            yield event


def _stocks(before: Slabs, op: SlabOp, after: Slabs) -> Iterator[SlabEvent]:
    if not _asked(op):
        return
    was, now = before.stocks[op.cpu], after.stocks[op.cpu]
    grown = after.groups[op.group].pages - before.groups[op.group].pages
    if was.group == op.group == now.group and not grown and now.bytes < was.bytes:
        yield SlabEvent.STOCKED
    if grown > 0:
        yield SlabEvent.PAGES_CHARGED
    if was.group and now.group and was.group != now.group:
        yield SlabEvent.SWITCHED
