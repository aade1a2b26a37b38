"""Who pays for objects: what both allocators ask before and after they serve a group.

Where groups have caches of their own, each pays for the slabs of its caches, in frames. Where all
share the caches, each object is paid for by the byte, with the pointer that says whose it is: in
earlier eras before it is allocated, all that a bulk request asks for at once; in later ones after.
A request that has been paid for and fails is paid back, but a bulk request of the earlier eras
forgets the objects that it never got. That a slab may lack the pointers is not modelled.

Source: mm/slab.h and mm/memcontrol.c (memcg_slab_pre_alloc_hook, memcg_slab_post_alloc_hook,
memcg_slab_free_hook), mm/slub.c and mm/slab.c (kmem_cache_alloc_bulk), 5.9 to 6.12.
"""

from collections.abc import Sequence

from pagespec.frames import SIZES
from pagespec.slab.caches import new_cache
from pagespec.slab.groups import charge_frames, settle, uncharge_frames
from pagespec.slab.state import Cache, Slabs
from pagespec.slab.stock import charge_bytes, uncharge_bytes
from pagespec.slab.verbs import Address
from pagespec.steps import Steps

POINTER = 8
"""Bytes of the pointer to its group that is paid for with each object."""


def cache_for(slabs: Slabs, number: int, group: int) -> Cache:
    """The cache that serves a group: its own, made when it is first asked for, or everybody's."""
    if group == 0 or slabs.machine.scheme != "caches":
        return slabs.caches[number, 0]
    if (number, group) not in slabs.caches:
        shape = slabs.caches[number, 0].shape
        slabs.caches[number, group] = new_cache(slabs.machine, number, group, shape)
    return slabs.caches[number, group]


def full_size(cache: Cache) -> int:
    """The bytes that a group pays for one object."""
    return cache.shape.size + POINTER


def charge_before(slabs: Slabs, cpu: int, cache: Cache, group: int, objects: int) -> Steps[bool]:
    """Pay for objects that are about to be allocated; False if the group must not have them."""
    if not _pays(slabs, group) or slabs.machine.era.slab_charge == "after":
        return True
    paid = yield from charge_bytes(slabs, cpu, group, objects * full_size(cache))
    return paid


def charge_after(
    slabs: Slabs, cpu: int, cache: Cache, group: int, addresses: Sequence[Address]
) -> Steps[bool]:
    """Pay for objects that were allocated; if False, all of them are to be freed."""
    if not _pays(slabs, group) or slabs.machine.era.slab_charge != "after":
        return True
    paid = yield from charge_bytes(slabs, cpu, group, len(addresses) * full_size(cache))
    return paid


def forget(
    slabs: Slabs, cpu: int, cache: Cache, group: int, objects: int, *, bulk: bool
) -> Steps[None]:
    """Let a request fail that has paid for more objects than it got: those it did not get.

    What one object cost is paid back. What those of a bulk request did is not: it stays charged,
    and is lost.
    """
    if not _pays(slabs, group) or slabs.machine.era.slab_charge == "after":
        return
    if bulk:
        slabs.groups[group].lost += objects * full_size(cache)
    else:
        yield from uncharge_bytes(slabs, cpu, group, objects * full_size(cache))


def uncharge(slabs: Slabs, cpu: int, cache: Cache, addresses: Sequence[Address]) -> Steps[None]:
    """Pay back objects of a cache that are held, one by one, and note that nobody pays for them.

    Whoever frees them calls this first, while they still say who is charged.
    """
    if slabs.machine.scheme != "objects":
        return
    place = 0
    while place < len(addresses):
        address = addresses[place]
        group = slabs.held[address].charged
        if group:
            slabs.held[address] = slabs.held[address]._replace(charged=0)
            yield from uncharge_bytes(slabs, cpu, group, full_size(cache))
        place += 1


def charge_slab(slabs: Slabs, cache: Cache) -> bool:
    """Pay for a slab that the page allocator gave for a group's cache.

    If False the frames are to be freed, and there is no slab.
    """
    return cache.group == 0 or charge_frames(slabs, cache.group, SIZES[cache.shape.order])


def uncharge_slab(slabs: Slabs, cache: Cache) -> None:
    """Pay back a slab that was taken out of a group's cache, and is about to be freed."""
    if cache.group:
        uncharge_frames(slabs, cache.group, SIZES[cache.shape.order])
        settle(slabs, cache.group)


def _pays(slabs: Slabs, group: int) -> bool:
    """Whether a group pays by the object."""
    return group != 0 and slabs.machine.scheme == "objects"
