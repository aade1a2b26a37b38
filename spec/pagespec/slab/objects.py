"""One object: allocated, freed, freed at last after it was withheld; and large ones.

Source: mm/slub.c (slab_alloc_node, slab_free, kfree, kmalloc_large_node), mm/slab.c
(slab_alloc_node, ___cache_free) and mm/kasan/quarantine.c, 5.8 to 6.12.
"""

from collections.abc import Sequence

from pagespec.alloc import alloc_pages, free_pages
from pagespec.rmqueue import Want
from pagespec.slab.charge import cache_for, charge_after, charge_before, forget, uncharge
from pagespec.slab.designs import GIVE, TAKE
from pagespec.slab.growing import where_of
from pagespec.slab.hooks import give_out, pass_back
from pagespec.slab.places import cache_at
from pagespec.slab.sizes import PAGE
from pagespec.slab.state import Cache, HeldObject, Slabs
from pagespec.slab.verbs import Address
from pagespec.steps import Steps
from pagespec.types import Order


def alloc_object(slabs: Slabs, cpu: int, number: int, group: int) -> Steps[Address | None]:
    """Allocate an object for a group, or None if none can be had or it must not have one."""
    cache = cache_for(slabs, number, group)
    paid = yield from charge_before(slabs, cpu, cache, group, 1)
    if not paid:
        return None
    address = yield from TAKE[slabs.machine.design](slabs, cache, cpu)
    if address is None:
        yield from forget(slabs, cpu, cache, group, 1, bulk=False)
        return None
    paid = yield from charge_after(slabs, cpu, cache, group, (address,))
    if not paid:
        yield from GIVE[slabs.machine.design](slabs, cache, cpu, (address,), 1)
        return None
    give_out(slabs, cache, group, (address,))
    return address


def free_object(
    slabs: Slabs, cpu: int, address: Address, withheld: Sequence[Address]
) -> Steps[None]:
    """Free an object that is held, of whatever cache, or a large one, which is never withheld."""
    if address // PAGE in slabs.large:
        yield from free_large(slabs, cpu, address)
        return
    cache = cache_at(slabs, address)
    yield from uncharge(slabs, cpu, cache, (address,))
    passed = pass_back(slabs, cpu, (address,), withheld)
    if passed.objects:
        yield from GIVE[slabs.machine.design](slabs, cache, cpu, passed.chain, passed.objects)


def alloc_large(slabs: Slabs, cpu: int, order: Order) -> Steps[Address | None]:
    """Allocate a block of frames as one object; nobody is charged."""
    want, where = Want(order), where_of(slabs, cpu)
    first = yield from alloc_pages(slabs.zone, want, where, compound=order > 0)
    if first is None:
        return None
    slabs.large[first] = order
    slabs.held[first * PAGE] = HeldObject(0, 0, 0)
    return first * PAGE


def free_large(slabs: Slabs, cpu: int, address: Address) -> Steps[None]:
    """Free a block of frames."""
    del slabs.held[address]
    order = slabs.large.pop(address // PAGE)
    yield from free_pages(slabs.zone, address // PAGE, order, where_of(slabs, cpu))


def release(slabs: Slabs, cpu: int, cache: Cache | None = None) -> Steps[None]:
    """Free what a CPU has withheld, the oldest first; of one cache only, if one is named."""
    waiting = [
        address
        for address in slabs.withheld[cpu]
        if cache is None or cache_at(slabs, address) is cache
    ]
    while waiting:
        address = waiting.pop(0)
        slabs.withheld[cpu].remove(address)
        yield from GIVE[slabs.machine.design](slabs, cache_at(slabs, address), cpu, (address,), 1)
