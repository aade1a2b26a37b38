"""Many objects at once: allocated all or not at all, and freed slab by slab.

The hook before is asked once for all, and settles which cache serves; the hook after is told once,
of exactly the objects that there are. If some can't be had, those that there are pass that hook
too, with interrupts on again, and are then freed as any others: so no object is freed that was
never given out. Later releases tell neither hook of them.

Source: mm/slub.c and mm/slab.c (kmem_cache_alloc_bulk, kmem_cache_free_bulk) and mm/slab_common.c
(__kmem_cache_free_bulk), 5.8 to 6.12; 03ec0ed57ffc for the order of things where some objects are
missing.
"""

from collections.abc import Callable, Sequence
from functools import partial

from pagespec.era import SlabDesign
from pagespec.slab.charge import cache_for, charge_after, charge_before, forget, uncharge
from pagespec.slab.designs import GIVE, TAKE_BULK
from pagespec.slab.detached import detach_by_marking, detach_by_swapping
from pagespec.slab.hooks import give_out, pass_back
from pagespec.slab.objects import free_large, free_object
from pagespec.slab.places import cache_at, head_at
from pagespec.slab.sizes import PAGE
from pagespec.slab.state import Cache, Slabs
from pagespec.slab.verbs import Address
from pagespec.steps import Steps


def alloc_bulk(
    slabs: Slabs, cpu: int, number: int, group: int, objects: int
) -> Steps[list[Address]]:
    """Allocate that many objects of a cache for a group, one at least; all, or none."""
    cache = cache_for(slabs, number, group)
    paid = yield from charge_before(slabs, cpu, cache, group, objects)
    if not paid:
        return []
    got = yield from TAKE_BULK[slabs.machine.design](slabs, cache, cpu, objects)
    if len(got) < objects:
        yield from undo(slabs, cpu, cache, group, got, objects)
        return []
    paid = yield from charge_after(slabs, cpu, cache, group, got)
    give_out(slabs, cache, group if paid else 0, got)
    if not paid:
        yield from FREE_BULK[slabs.machine.design](slabs, cpu, got, ())
        return []
    return got


def undo(
    slabs: Slabs, cpu: int, cache: Cache, group: int, got: list[Address], asked: int
) -> Steps[None]:
    """Free the objects that a request has which cannot have all that it asked for."""
    era, design = slabs.machine.era, slabs.machine.design
    if era.undoes_unhooked:
        yield from free_detached(slabs, cpu, got, (), hooked=False)
        return
    yield from forget(slabs, cpu, cache, group, asked - len(got), bulk=True)
    give_out(slabs, cache, group, got)
    if era.undoes_in_bulk:
        yield from FREE_BULK[design](slabs, cpu, got, ())
    else:
        yield from free_each(slabs, cpu, got, ())


def free_detached(
    slabs: Slabs,
    cpu: int,
    slots: list[Address],
    withheld: Sequence[Address],
    *,
    hooked: bool = True,
) -> Steps[None]:
    """Free all objects of an array, slab by slab; the array is left as the era leaves it.

    hooked: whether the objects are held, and pass the hook for those that come back.
    """
    swaps = slabs.machine.era.detaches_by_swapping
    detach = detach_by_swapping if swaps else detach_by_marking
    if hooked and not swaps:
        yield from uncharge_each(slabs, cpu, tuple(slots))
    left = without_zeros(slots, len(slots))
    while left:
        last = slots[left - 1]
        if last // PAGE in slabs.large:
            left -= 1
            slots[left] = last if swaps else 0
            yield from free_large(slabs, cpu, last)
        else:
            chain, left = detach(slots, left, partial(head_at, slabs))
            yield from give_chain(slabs, cpu, chain, slots, left, withheld, hooked=hooked)
        left = without_zeros(slots, left)


def without_zeros(slots: list[Address], left: int) -> int:
    """How many slots are left without those at the end that have no object.

    >>> without_zeros([0, 16, 0, 0, 17], 4)
    2
    """
    while left and slots[left - 1] == 0:
        left -= 1
    return left


def give_chain(
    slabs: Slabs,
    cpu: int,
    chain: tuple[Address, ...],
    slots: list[Address],
    left: int,
    withheld: Sequence[Address],
    *,
    hooked: bool,
) -> Steps[None]:
    """Give a detached list back to its slab, less what is withheld.

    Where the array is permuted, the list's objects stand in it from slot `left` on, and are paid
    back in that order; where it is marked they have been paid back before.
    """
    cache = cache_at(slabs, chain[0])
    if hooked and slabs.machine.era.detaches_by_swapping:
        yield from uncharge(slabs, cpu, cache, tuple(slots[left : left + len(chain)]))
    count = len(chain)
    if hooked:
        chain, count = pass_back(slabs, cpu, chain, withheld)
    if count:
        yield from GIVE[slabs.machine.design](slabs, cache, cpu, chain, count)


def uncharge_each(slabs: Slabs, cpu: int, addresses: tuple[Address, ...]) -> Steps[None]:
    """Pay back objects of whatever caches; large ones and slots without an object cost nothing."""
    place = 0
    while place < len(addresses):
        address = addresses[place]
        if address and address // PAGE not in slabs.large:
            yield from uncharge(slabs, cpu, cache_at(slabs, address), (address,))
        place += 1


def free_each(
    slabs: Slabs, cpu: int, addresses: list[Address], withheld: Sequence[Address]
) -> Steps[None]:
    """Free objects one by one, the first one first, as if by a request each."""
    place = 0
    while place < len(addresses):
        yield from free_object(slabs, cpu, addresses[place], withheld)
        place += 1


def free_together(
    slabs: Slabs, cpu: int, slots: list[Address], withheld: Sequence[Address]
) -> Steps[None]:
    """The same in one go for objects of one cache that stand side by side in an array."""
    place = 0
    while place < len(slots):
        end = end_of_run(slabs, slots, place)
        if end == place:
            yield from free_large(slabs, cpu, slots[place])
            place += 1
            continue
        cache, together = cache_at(slabs, slots[place]), tuple(slots[place:end])
        yield from uncharge(slabs, cpu, cache, together)
        chain, objects = pass_back(slabs, cpu, together, withheld)
        if objects:
            yield from GIVE[slabs.machine.design](slabs, cache, cpu, chain[::-1], objects)
        place = end


def end_of_run(slabs: Slabs, slots: list[Address], place: int) -> int:
    """The slot behind the objects of one cache that begin at a place; the same if one is large."""
    end = place
    while end < len(slots) and slots[end] // PAGE not in slabs.large:
        if cache_at(slabs, slots[end]) is not cache_at(slabs, slots[place]):
            break
        end += 1
    return end


FREE_BULK: dict[
    SlabDesign, Callable[[Slabs, int, list[Address], Sequence[Address]], Steps[None]]
] = {"slub": free_detached, "slab": free_together}
"""How each design frees the objects of an array."""
