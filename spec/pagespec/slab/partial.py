"""Partial slabs of SLUB: those that a CPU keeps, those of the node, and the way between.

A slab that was full and gets an object back is kept by the CPU that freed it, frozen, so that
nobody need touch the node's list. When a CPU keeps too much, all of it goes to the node at once;
empty ones go back to the page allocator there, if the node has enough. A CPU without objects takes
several off the node's list: one to serve from, others to keep.

Whatever takes, puts or empties a CPU's list does so with interrupts off, or under the lock of the
CPU's own, which is the same to others on that CPU. The node's lock is the zone's here: neither is
ever taken under the other.

Source: mm/slub.c (put_cpu_partial, unfreeze_partials, get_partial_node, acquire_slab,
deactivate_slab), 5.8 to 6.12; what became of the list when preemption no longer kept others off it
is told by "mm/slub: restore/expand unfreeze_partials() local exclusion scope" (M. Galbraith, 2021).
"""

from pagespec.era import Era
from pagespec.slab.growing import discard_slabs
from pagespec.slab.state import Cache, CpuSlab, Shape, Slabs
from pagespec.steps import Step, Steps
from pagespec.types import Pfn


def let_in(slabs: Slabs) -> Steps[None]:
    """Let interrupts in between two parts of a slow path, where the era does."""
    if slabs.machine.era.opens_slow_path:
        yield Step.IRQS_ON


def shut_out(slabs: Slabs) -> Steps[None]:
    """Keep interrupts off again, where they were let in."""
    if slabs.machine.era.opens_slow_path:
        yield Step.IRQS_OFF


def slabs_kept(shape: Shape) -> int:
    """How many partial slabs a CPU keeps, about, in eras that count slabs: half full, it is said.

    >>> slabs_kept(Shape(size=256, order=1, objects=32, objects_kept=52, partials=5))
    4
    """
    return -(-2 * shape.objects_kept // shape.objects)


def free_on(cache: Cache, first: Pfn) -> int:
    """How many objects of a slab nobody has who is not on its own chain."""
    return cache.shape.objects - cache.slabs[first].inuse


def keeps_too_much(era: Era, cache: Cache, kept: tuple[Pfn, ...]) -> bool:
    """Whether a CPU has so many partial slabs that they go to the node before one more comes.

    Objects are counted as slabs come, so that what is freed to them later is not.
    """
    if not kept:
        return False
    if era.keeps_more_partials:
        return len(kept) >= slabs_kept(cache.shape)
    return cache.slabs[kept[0]].counted > cache.shape.objects_kept


def list_partial(era: Era, cache: Cache, mine: CpuSlab, first: Pfn, kept: tuple[Pfn, ...]) -> None:
    """Put a slab before those that a CPU keeps."""
    if not era.keeps_more_partials:
        behind = cache.slabs[kept[0]].counted if kept else 0
        cache.slabs[first].counted = behind + free_on(cache, first)
    mine.partial = [first, *kept]


def take_partial(cache: Cache, mine: CpuSlab) -> Pfn:
    """Take the first of the partial slabs that a CPU keeps."""
    first = mine.partial.pop(0)
    cache.slabs[first].counted = 0
    return first


def keep_partial(slabs: Slabs, cache: Cache, cpu: int, first: Pfn) -> Steps[None]:
    """Keep a frozen slab that nobody has, for the CPU; if that is too much, all others go."""
    era, mine = slabs.machine.era, cache.cpus[cpu]
    yield Step.IRQS_OFF
    kept = tuple(mine.partial)
    full = keeps_too_much(era, cache, kept)
    yield Step.EDIT
    list_partial(era, cache, mine, first, () if full else kept)
    yield from let_in(slabs)
    if full:
        yield from unfreeze(slabs, cache, cpu, kept)
    yield from shut_out(slabs)
    if cache.shape.objects_kept == 0 and not era.opens_slow_path:
        mine.partial = []
        yield from unfreeze(slabs, cache, cpu, (first,))
    yield Step.IRQS_ON


def unfreeze(slabs: Slabs, cache: Cache, cpu: int, firsts: tuple[Pfn, ...]) -> Steps[None]:
    """Hand partial slabs that no CPU has any more to the node, the first one first."""
    yield Step.LOCK
    empty: tuple[Pfn, ...] = ()
    for first in firsts:
        slab = cache.slabs[first]
        slab.frozen, slab.counted = False, 0
        if slab.inuse == 0 and len(cache.partial) >= cache.shape.partials:
            empty = (first, *empty)
        else:
            cache.partial.append(first)
    yield Step.UNLOCK
    yield from discard_slabs(slabs, cache, cpu, empty)


def unfreeze_all(slabs: Slabs, cache: Cache, cpu: int) -> Steps[None]:
    """Hand all that a CPU keeps to the node, with interrupts off when this begins and ends."""
    mine = cache.cpus[cpu]
    kept = tuple(mine.partial)
    yield Step.EDIT
    mine.partial = []
    yield from let_in(slabs)
    if kept:
        yield from unfreeze(slabs, cache, cpu, kept)
    yield from shut_out(slabs)


def take_from_node(slabs: Slabs, cache: Cache, cpu: int) -> Steps[Pfn | None]:
    """Take slabs off the node's list, frozen; return the first, and keep the others for the CPU."""
    if not cache.partial:
        return None
    yield Step.LOCK
    served = _take_several(slabs.machine.era, cache, cache.cpus[cpu])
    yield Step.UNLOCK
    return served


def _take_several(era: Era, cache: Cache, mine: CpuSlab) -> Pfn | None:
    served: Pfn | None = None
    objects, more = 0, 0
    while cache.partial:
        first = cache.partial.pop(0)
        cache.slabs[first].frozen = True
        objects += free_on(cache, first)
        if served is None:
            served = first
        else:
            list_partial(era, cache, mine, first, tuple(mine.partial))
            more += 1
        if _is_enough(era, cache.shape, objects, more):
            break
    return served


def _is_enough(era: Era, shape: Shape, objects: int, more: int) -> bool:
    """Whether a CPU has taken half of what it may keep off the node's list."""
    if not era.keeps_more_partials:
        return objects > shape.objects_kept // 2
    kept = slabs_kept(shape)
    return more > kept // 2 or (kept == 0 and era.keeps_no_partials)


def deactivate(
    slabs: Slabs, cache: Cache, cpu: int, first: Pfn, chain: tuple[int, ...]
) -> Steps[None]:
    """Let a CPU give up the slab that it served from, with the objects of it that it had.

    It goes to the end of the node's list if others had freed objects of it, to the front if not.
    """
    slab = cache.slabs[first]
    remote = bool(slab.chain)
    yield Step.LOCK
    given = chain if slabs.machine.era.splices_chains else chain[::-1]
    slab.chain[:0] = given
    slab.inuse -= len(chain)
    slab.frozen = False
    empty = slab.inuse == 0 and len(cache.partial) >= cache.shape.partials
    if slab.chain and not empty:
        cache.partial.insert(len(cache.partial) if remote else 0, first)
    yield Step.UNLOCK
    if empty:
        yield from discard_slabs(slabs, cache, cpu, (first,))
