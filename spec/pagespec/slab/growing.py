"""Slabs come from the page allocator and go back to it.

A request for a slab is one for a compound block of unmovable frames. It does not fall back to a
smaller slab where frames are short, as kernels do once: all slabs of a cache have one order here.

Source: mm/slub.c (allocate_slab, __free_slab) and mm/slab.c (kmem_getpages, kmem_freepages), 5.8 to
6.12.
"""

from pagespec.alloc import alloc_pages, free_pages
from pagespec.pcp.lists import Where
from pagespec.rmqueue import Want
from pagespec.slab.charge import charge_slab, uncharge_slab
from pagespec.slab.state import Cache, Slab, Slabs
from pagespec.steps import Steps
from pagespec.types import Pfn


def where_of(slabs: Slabs, cpu: int) -> Where:
    """Who asks the page allocator; where CPUs keep no page lists, it knows one of them only."""
    return Where(cpu if slabs.zone.machine.cpus else 0)


def new_slab(slabs: Slabs, cache: Cache, cpu: int) -> Steps[Pfn | None]:
    """A slab more, with all its objects on its own chain, lowest first; on no list yet.

    None if no frames can be had, or the group whose cache it is must not have them.
    """
    order = cache.shape.order
    where = where_of(slabs, cpu)
    first = yield from alloc_pages(slabs.zone, Want(order), where, compound=order > 0)
    if first is None:
        return None
    if not charge_slab(slabs, cache):
        yield from free_pages(slabs.zone, first, order, where)
        return None
    slabs.frames[first] = (cache.number, cache.group)
    cache.slabs[first] = Slab(first, inuse=0, chain=list(range(cache.shape.objects)))
    return first


def discard_slab(slabs: Slabs, cache: Cache, cpu: int, first: Pfn) -> Steps[None]:
    """Give a slab back that is on no list, and none of whose objects anybody has."""
    del cache.slabs[first]
    del slabs.frames[first]
    uncharge_slab(slabs, cache)
    yield from free_pages(slabs.zone, first, cache.shape.order, where_of(slabs, cpu))


def discard_slabs(slabs: Slabs, cache: Cache, cpu: int, firsts: tuple[Pfn, ...]) -> Steps[None]:
    """Give several back, one after the other."""
    place = 0
    while place < len(firsts):
        yield from discard_slab(slabs, cache, cpu, firsts[place])
        place += 1
