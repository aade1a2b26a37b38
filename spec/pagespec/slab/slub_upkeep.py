"""A SLUB cache as a whole: the sizes that it comes with, and how it shrinks.

Source: mm/slub.c (calculate_sizes, set_cpu_partial, __kmem_cache_shrink, __kmem_cache_do_shrink,
free_partial), 5.8 to 6.12.
"""

from pagespec.pcp.cpus import work_on
from pagespec.slab import slub
from pagespec.slab.growing import discard_slabs
from pagespec.slab.machine import SlabMachine
from pagespec.slab.partial import free_on
from pagespec.slab.sizes import (
    CPU_PARTIAL_5_12,
    CPU_PARTIAL_6_1,
    cpu_partial,
    min_partial,
    objects_in,
    order_of_slab,
)
from pagespec.slab.state import Cache, Shape, Slabs
from pagespec.slab.verbs import SlabOp
from pagespec.steps import Step, Steps, Visit
from pagespec.types import Pfn

SORTED = 32
"""Slabs with more free objects than that are not sorted."""


def shape_of(machine: SlabMachine, op: SlabOp) -> Shape | None:
    """The shape of a cache that is to be created, or None if no cache may have it."""
    era, top = machine.era, machine.zone.top
    if op.batch is not None or op.shared is not None:
        return None
    order = op.order
    if order is None:
        order = order_of_slab(op.size, machine.counted_cpus, top, halves=era.halves_slabs)
    kept, partials = op.objects_kept, op.partials
    if kept is None:
        table = CPU_PARTIAL_6_1 if era.keeps_more_partials else CPU_PARTIAL_5_12
        kept = cpu_partial(op.size, table)
    if partials is None:
        partials = min_partial(op.size)
    return Shape(op.size, order, objects_in(order, op.size), kept, partials)


def shrink(slabs: Slabs, cache: Cache, cpu: int) -> Steps[None]:
    """Let all CPUs give up what they have, discard empty slabs and sort those that are left.

    Those with the fewest free objects come first, so that the others may become empty.
    """
    wanted_by = slabs.zone.on_cpu
    other = 0
    while other < len(cache.cpus):
        yield Visit(other)
        work_on(slabs.zone, other)
        yield from slub.flush(slabs, cache, other)
        yield Step.BACK
        slabs.zone.on_cpu = wanted_by
        other += 1
    yield Step.LOCK
    empty, cache.partial = _sorted(cache)
    yield Step.UNLOCK
    yield from discard_slabs(slabs, cache, cpu, empty)


def _sorted(cache: Cache) -> tuple[tuple[Pfn, ...], list[Pfn]]:
    """The empty slabs, and the others by their free objects; of the same number, the last first."""
    last_first = cache.partial[::-1]
    empty = tuple(first for first in last_first if free_on(cache, first) == cache.shape.objects)
    others = [first for first in last_first if first not in empty]
    few = [first for first in others if free_on(cache, first) <= SORTED]
    many = [first for first in others if first not in few]
    return empty, [*sorted(few, key=lambda first: free_on(cache, first)), *many[::-1]]
