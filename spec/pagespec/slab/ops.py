"""Serving one request for objects: its steps, and what comes of it as a number.

Objects of 256 bytes, of which 16 are on a slab of one frame:

>>> from pagespec.era import ERAS
>>> from pagespec.machine import Machine
>>> slabs = start(SlabMachine(Machine(pages=64, top=4, era=ERAS["5.15"], start=1)))
>>> perform(slabs, SlabOp(SlabVerb.CREATE, cache=1, size=256))
0
>>> perform(slabs, SlabOp(SlabVerb.ALLOC, cache=1))
4096
>>> perform(slabs, SlabOp(SlabVerb.ALLOC_BULK, cache=1, objects=4)), slabs.slots
(4, [4352, 4608, 4864, 5120])
>>> perform(slabs, SlabOp(SlabVerb.FREE, addresses=(4608,)))
0

What was freed last is served first. A bulk free of objects of one slab is one exchange, after which
the object that stood last in the array is served first.

>>> perform(slabs, SlabOp(SlabVerb.FREE_BULK, cache=1, addresses=(4864, 4352, 5120)))
0
>>> [perform(slabs, SlabOp(SlabVerb.ALLOC, cache=1)) for _ in range(5)]
[5120, 4352, 4864, 4608, 5376]
>>> perform(slabs, SlabOp(SlabVerb.FREE, addresses=(4100,))).name
'NOT_OBJECT'
"""

from collections.abc import Callable

from pagespec.boot import boot
from pagespec.era import SlabDesign
from pagespec.pcp.cpus import work_on
from pagespec.slab import array_sizes, slub_upkeep
from pagespec.slab.bulk import FREE_BULK, alloc_bulk
from pagespec.slab.caches import new_cache
from pagespec.slab.checks import (
    check_bulk,
    check_cache,
    check_cpu,
    check_group,
    check_idle,
    check_new_cache,
    check_new_group,
    check_object,
    check_objects,
    check_order,
    check_withheld,
    refusal,
)
from pagespec.slab.groups import open_group
from pagespec.slab.machine import SlabMachine
from pagespec.slab.objects import alloc_large, alloc_object, free_object, release
from pagespec.slab.state import Shape, Slabs, empty_slabs
from pagespec.slab.upkeep import caches_of, destroy, flush_cpu, offline, reap_cpu, shrink
from pagespec.slab.verbs import SlabOp, SlabVerb
from pagespec.steps import Steps, run
from pagespec.types import (
    NO_MEMORY,
    BadRange,
    BadSize,
    GroupOffline,
    NoGroup,
    Refused,
    UnsupportedRequest,
)
from pagespec.verbs import Outcome

DONE = 0
"""The outcome of a request that answers nothing."""

SHAPES: dict[SlabDesign, Callable[[SlabMachine, SlabOp], Shape | None]] = {
    "slub": slub_upkeep.shape_of,
    "slab": array_sizes.shape_of,
}
"""The shape of a cache that is to be created, or None if none may have it."""


def start(machine: SlabMachine) -> Slabs:
    """A zone that has just been handed over, and no cache yet."""
    return empty_slabs(machine, boot(machine.zone))


def _create(slabs: Slabs, op: SlabOp) -> Steps[Outcome]:
    check_new_cache(slabs, op)
    shape = SHAPES[slabs.machine.design](slabs.machine, op)
    if shape is None:
        raise refusal(BadSize, f"cache {op.cache}")
    slabs.caches[op.cache, 0] = new_cache(slabs.machine, op.cache, 0, shape)
    yield from iter(())
    return DONE


def _destroy(slabs: Slabs, op: SlabOp) -> Steps[Outcome]:
    check_cache(slabs, op.cache)
    check_idle(slabs, op.cache)
    yield from destroy(slabs, op.cache, op.cpu)
    return DONE


def _shrink(slabs: Slabs, op: SlabOp) -> Steps[Outcome]:
    check_cache(slabs, op.cache)
    yield from shrink(slabs, caches_of(slabs, op.cache), op.cpu)
    return DONE


def _alloc(slabs: Slabs, op: SlabOp) -> Steps[Outcome]:
    check_cache(slabs, op.cache)
    check_group(slabs, op.group)
    address = yield from alloc_object(slabs, op.cpu, op.cache, op.group)
    return NO_MEMORY if address is None else address


def _free(slabs: Slabs, op: SlabOp) -> Steps[Outcome]:
    if len(op.addresses) != 1:
        raise refusal(BadRange, f"objects {len(op.addresses)}")
    check_object(slabs, op.addresses[0])
    check_withheld(op)
    yield from free_object(slabs, op.cpu, op.addresses[0], op.withheld)
    return DONE


def _alloc_bulk(slabs: Slabs, op: SlabOp) -> Steps[Outcome]:
    check_cache(slabs, op.cache)
    check_group(slabs, op.group)
    check_bulk(op.objects)
    got = []
    if op.objects:
        got = yield from alloc_bulk(slabs, op.cpu, op.cache, op.group, op.objects)
    slabs.slots = got
    return len(got)


def _free_bulk(slabs: Slabs, op: SlabOp) -> Steps[Outcome]:
    if op.cache:
        check_cache(slabs, op.cache)
    check_objects(slabs, op)
    check_withheld(op)
    slots = list(op.addresses)
    yield from FREE_BULK[slabs.machine.design](slabs, op.cpu, slots, op.withheld)
    slabs.slots = slots
    return DONE


def _large(slabs: Slabs, op: SlabOp) -> Steps[Outcome]:
    order = check_order(slabs, op.order)
    address = yield from alloc_large(slabs, op.cpu, order)
    return NO_MEMORY if address is None else address


def _release(slabs: Slabs, op: SlabOp) -> Steps[Outcome]:
    yield from release(slabs, op.cpu)
    return DONE


def _flush(slabs: Slabs, op: SlabOp) -> Steps[Outcome]:
    yield from flush_cpu(slabs, op.cpu)
    return DONE


def _reap(slabs: Slabs, op: SlabOp) -> Steps[Outcome]:
    if slabs.machine.design == "slub":
        raise refusal(UnsupportedRequest, op.verb.value)
    yield from reap_cpu(slabs, op.cpu)
    return DONE


def _group(slabs: Slabs, op: SlabOp) -> Steps[Outcome]:
    check_new_group(slabs, op.group)
    open_group(slabs, op.group)
    yield from iter(())
    return DONE


def _offline(slabs: Slabs, op: SlabOp) -> Steps[Outcome]:
    if op.group not in slabs.groups:
        raise refusal(NoGroup, f"group {op.group}")
    if not slabs.groups[op.group].online:
        raise refusal(GroupOffline, f"group {op.group}")
    yield from offline(slabs, op.group, op.cpu)
    return DONE


SLAB_STEPS: dict[SlabVerb, Callable[[Slabs, SlabOp], Steps[Outcome]]] = {
    SlabVerb.CREATE: _create,
    SlabVerb.DESTROY: _destroy,
    SlabVerb.SHRINK: _shrink,
    SlabVerb.ALLOC: _alloc,
    SlabVerb.FREE: _free,
    SlabVerb.ALLOC_BULK: _alloc_bulk,
    SlabVerb.FREE_BULK: _free_bulk,
    SlabVerb.LARGE: _large,
    SlabVerb.RELEASE: _release,
    SlabVerb.FLUSH: _flush,
    SlabVerb.REAP: _reap,
    SlabVerb.GROUP: _group,
    SlabVerb.OFFLINE: _offline,
}
"""The steps of each request."""


def steps_of(slabs: Slabs, op: SlabOp) -> Steps[Outcome]:
    """The steps of a request, which raise what refuses it before anything changes.

    Their value is the address of ALLOC and LARGE, or NO_MEMORY; how many objects ALLOC_BULK got;
    and DONE for the others.
    """
    check_cpu(slabs, op.cpu)
    return SLAB_STEPS[op.verb](slabs, op)


def perform(slabs: Slabs, op: SlabOp) -> Outcome:
    """Serve the request with nothing in between; a refusal becomes its code."""
    work_on(slabs.zone, op.cpu)
    try:
        return run(steps_of(slabs, op))
    except Refused as refused:
        return refused.refusal
