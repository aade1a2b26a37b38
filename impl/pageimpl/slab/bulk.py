"""Many objects at once: allocated all or not at all, and freed slab by slab.

The twin of the spec's `slab.bulk`. The objects are those of the array of slots.
"""

from pageimpl.jitcache import kernel
from pageimpl.slab.array import give as give_to_array
from pageimpl.slab.charge import charge_after, charge_before, forget, uncharge
from pageimpl.slab.checks import is_large
from pageimpl.slab.choices import SLUB
from pageimpl.slab.designs import take_bulk
from pageimpl.slab.detached import detach_by_marking, detach_by_swapping, place_in
from pageimpl.slab.hooks import charged_for, count_charged, withhold
from pageimpl.slab.objects import cache_at, free_large, free_object
from pageimpl.slab.places import hold, link_of, row_at, set_link
from pageimpl.slab.slub import give as give_to_slab
from pageimpl.slab.state import (
    NOTHING,
    WITHHELD,
    SlabMemory,
    cache_of,
    design_of,
    detached_at,
    detaches_by_swapping_of,
    set_slot,
    slab_of,
    slot_at,
    undoes_in_bulk_of,
    undoes_unhooked_of,
)


@kernel
def alloc_bulk(mem: SlabMemory, cpu: int, c: int, group: int, objects: int) -> int:
    """Allocate that many objects of a cache for a group, one at least: all, or none.

    c: the cache that serves the group. Returns how many; they are in the array then.
    """
    if not charge_before(mem, cpu, c, group, objects):
        return 0
    charged = charged_for(mem, group)
    got = take_bulk(mem, c, cpu, objects, charged)
    if got < objects:
        undo(mem, cpu, c, group, got, objects)
        return 0
    if not charge_after(mem, cpu, c, group, objects):
        for slot in range(got):
            hold(mem, place_in(mem, slot), 0)
        free_bulk(mem, cpu, got)
        return 0
    count_charged(mem, charged, got)
    return got


@kernel
def undo(mem: SlabMemory, cpu: int, c: int, group: int, got: int, asked: int) -> None:
    """Free the objects that a request has which cannot have all that it asked for."""
    if undoes_unhooked_of(mem):
        free_detached(mem, cpu, got, False)
        return
    forget(mem, cpu, c, group, asked - got, True)
    count_charged(mem, charged_for(mem, group), got)
    if undoes_in_bulk_of(mem):
        free_bulk(mem, cpu, got)
    else:
        for slot in range(got):
            free_object(mem, cpu, place_in(mem, slot), False)


@kernel
def free_bulk(mem: SlabMemory, cpu: int, count: int) -> None:
    """Free all objects of the array as the design does."""
    if design_of(mem) == SLUB:
        free_detached(mem, cpu, count, True)
    else:
        free_together(mem, cpu, count)


@kernel
def free_detached(mem: SlabMemory, cpu: int, count: int, hooked: bool) -> None:
    """Free all objects of the array, slab by slab; it is left as the era leaves it.

    hooked: whether the objects are held, and pass the hook for those that come back.
    """
    swaps = detaches_by_swapping_of(mem) != 0
    if hooked and not swaps:
        uncharge_each(mem, cpu, count)
    left = without_zeros(mem, count)
    while left:
        p = place_in(mem, left - 1)
        if is_large(mem, p):
            left -= 1
            address = slot_at(mem, left)
            if not swaps:
                set_slot(mem, left, 0)
            free_large(mem, cpu, address)
        elif swaps:
            count, left = detach_by_swapping(mem, left)
            if hooked:
                uncharge_detached(mem, cpu, count)
            give_chain(mem, cpu, count, hooked)
        else:
            count, left = detach_by_marking(mem, left)
            give_chain(mem, cpu, count, hooked)
        left = without_zeros(mem, left)


@kernel
def without_zeros(mem: SlabMemory, left: int) -> int:
    """How many slots are left without those at the end that have no object."""
    while left and slot_at(mem, left - 1) == 0:
        left -= 1
    return left


@kernel
def uncharge_each(mem: SlabMemory, cpu: int, count: int) -> None:
    """Pay back the objects of the array; large ones and slots without an object cost nothing."""
    for slot in range(count):
        if slot_at(mem, slot) != 0:
            p = place_in(mem, slot)
            if not is_large(mem, p):
                uncharge(mem, cpu, cache_at(mem, p), p)


@kernel
def uncharge_detached(mem: SlabMemory, cpu: int, count: int) -> None:
    """Pay back what was collected, in the order in which it stands in a permuted array."""
    for number in range(count - 1, -1, -1):
        p = detached_at(mem, number)
        uncharge(mem, cpu, cache_at(mem, p), p)


@kernel
def give_chain(mem: SlabMemory, cpu: int, count: int, hooked: bool) -> None:
    """Give what was collected back to its slab, less what is withheld.

    Whoever passes the hook goes into a chain that is built anew, and comes out the other way round.
    """
    row = slab_of(mem, row_at(detached_at(mem, 0)))
    first, last, given = NOTHING, NOTHING, 0
    for number in range(count):
        p = detached_at(mem, count - 1 - number if hooked else number)
        if hooked and link_of(mem, p) & WITHHELD:
            withhold(mem, cpu, p)
            continue
        set_link(mem, p, first)
        first = p
        given += 1
        if last == NOTHING:
            last = p
    if given:
        give_to_slab(mem, cache_of(mem, row), cpu, row, first, last, given)


@kernel
def free_together(mem: SlabMemory, cpu: int, count: int) -> None:
    """Free objects of whatever caches, the first one first.

    The spec pays back all of one cache that stand side by side before it frees any; neither asks
    for what the other changes.
    """
    for slot in range(count):
        p = place_in(mem, slot)
        if is_large(mem, p):
            free_large(mem, cpu, slot_at(mem, slot))
            continue
        c = cache_at(mem, p)
        uncharge(mem, cpu, c, p)
        if link_of(mem, p) & WITHHELD:
            withhold(mem, cpu, p)
        else:
            give_to_array(mem, c, cpu, p)
