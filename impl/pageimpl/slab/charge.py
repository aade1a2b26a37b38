"""Who pays for objects: what both allocators ask before and after they serve a group.

The twin of the spec's `slab.charge`.
"""

from pageimpl.jitcache import inlined, kernel
from pageimpl.memory import set_word, word_at
from pageimpl.slab.caches import new_like, record_of
from pageimpl.slab.choices import BY_CACHES, BY_OBJECTS, CHARGE_AFTER
from pageimpl.slab.groups import charge_frames, settle, uncharge_frames
from pageimpl.slab.places import group_row
from pageimpl.slab.state import (
    CHARGED,
    NOTHING,
    SlabMemory,
    charge_of,
    group_of,
    lost_of,
    nr_charged_of,
    number_of,
    objects_of,
    order_of,
    scheme_of,
    set_lost,
    set_nr_charged,
    size_of,
)
from pageimpl.slab.stock import charge_bytes, uncharge_bytes

POINTER = 8
"""Bytes of the pointer to its group that is paid for with each object."""


@kernel
def cache_for(mem: SlabMemory, c: int, group: int) -> int:
    """The cache that serves a group: its own, made when it is first asked for, or everybody's.

    c: everybody's, where groups have their own. NOTHING if there is no room to make one.
    """
    if group == 0 or scheme_of(mem) != BY_CACHES:
        return c
    own = record_of(mem, number_of(mem, c), group)
    return new_like(mem, c, group) if own == NOTHING else own


@inlined
def full_size(mem: SlabMemory, c: int) -> int:
    """The bytes that a group pays for one object."""
    return size_of(mem, c) + POINTER


@inlined
def pays(mem: SlabMemory, group: int) -> bool:
    """Whether a group pays by the object."""
    return group != 0 and scheme_of(mem) == BY_OBJECTS


@inlined
def charge_before(mem: SlabMemory, cpu: int, c: int, group: int, objects: int) -> bool:
    """Pay for objects that are about to be allocated; False if the group must not have them."""
    if not pays(mem, group) or charge_of(mem) == CHARGE_AFTER:
        return True
    return charge_bytes(mem, cpu, group, objects * full_size(mem, c))


@inlined
def charge_after(mem: SlabMemory, cpu: int, c: int, group: int, objects: int) -> bool:
    """Pay for objects that were allocated; if False, all of them are to be freed."""
    if not pays(mem, group) or charge_of(mem) != CHARGE_AFTER:
        return True
    return charge_bytes(mem, cpu, group, objects * full_size(mem, c))


@kernel
def forget(mem: SlabMemory, cpu: int, c: int, group: int, objects: int, bulk: bool) -> None:
    """Let a request fail that has paid for more objects than it got: those it did not get.

    What one object cost is paid back. What those of a bulk request did stays charged, and is lost.
    """
    if not pays(mem, group) or charge_of(mem) == CHARGE_AFTER:
        return
    size = objects * full_size(mem, c)
    if bulk:
        g = group_row(mem, group)
        set_lost(mem, g, lost_of(mem, g) + size)
    else:
        uncharge_bytes(mem, cpu, group, size)


@inlined
def uncharge(mem: SlabMemory, cpu: int, c: int, p: int) -> None:
    """Pay back an object of a cache that is held, and note that nobody pays for it."""
    if scheme_of(mem) != BY_OBJECTS:
        return
    word = word_at(objects_of(mem), p)
    group = word & CHARGED
    if group != 0:
        set_word(objects_of(mem), p, word - group)
        g = group_row(mem, group)
        set_nr_charged(mem, g, nr_charged_of(mem, g) - 1)
        uncharge_bytes(mem, cpu, group, full_size(mem, c))


@kernel
def charge_slab(mem: SlabMemory, c: int) -> bool:
    """Pay for a slab that the page allocator gave for a group's cache.

    If False the frames are to be freed, and there is no slab.
    """
    group = group_of(mem, c)
    return group == 0 or charge_frames(mem, group, 1 << order_of(mem, c))


@kernel
def uncharge_slab(mem: SlabMemory, c: int) -> None:
    """Pay back a slab that was taken out of a group's cache, and is about to be freed."""
    group = group_of(mem, c)
    if group != 0:
        uncharge_frames(mem, group, 1 << order_of(mem, c))
        settle(mem, group)
