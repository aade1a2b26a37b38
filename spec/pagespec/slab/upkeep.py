"""Caches, CPUs and groups as a whole: they come, give up what nobody needs, and go.

Source: mm/slab_common.c (kmem_cache_create, kmem_cache_destroy, kmem_cache_shrink_all), mm/slub.c
(slub_cpu_dead), mm/slab.c (cpuup_canceled, cache_reap), mm/memcontrol.c (memcg_offline_kmem), 5.8
to 6.12.
"""

from pagespec.pcp.cpus import work_on
from pagespec.slab.designs import FLUSH, SHRINK
from pagespec.slab.groups import close_group, settle
from pagespec.slab.objects import release
from pagespec.slab.reap import give_up_empty, reap
from pagespec.slab.state import Cache, Slabs
from pagespec.steps import Step, Steps, Visit


def caches_of(slabs: Slabs, number: int) -> list[Cache]:
    """Everybody's cache of a number, and then the groups' own, the newest first."""
    own = [cache for (of, group), cache in slabs.caches.items() if of == number and group]
    return [slabs.caches[number, 0], *own[::-1]]


def flush_cpu(slabs: Slabs, cpu: int) -> Steps[None]:
    """Let a CPU give up what it has of all caches, the newest first, and then all empty slabs.

    The latter are SLAB's: SLUB has those that it keeps among the partial ones.
    """
    caches = list(slabs.caches.values())
    while caches:
        yield from FLUSH[slabs.machine.design](slabs, caches.pop(), cpu)
    caches = list(slabs.caches.values())
    while caches:
        cache = caches.pop()
        yield from give_up_empty(slabs, cache, cpu, len(cache.empty))


def reap_cpu(slabs: Slabs, cpu: int) -> Steps[None]:
    """Let a CPU of SLAB give up what of all caches has not been used, the newest first."""
    caches = list(slabs.caches.values())
    while caches:
        yield from reap(slabs, caches.pop(), cpu)


def shrink(slabs: Slabs, caches: list[Cache], cpu: int) -> Steps[None]:
    """Let caches give up what nobody needs, one after the other; nothing stays withheld."""
    while caches:
        cache = caches.pop(0)
        yield from release_all(slabs, cache)
        yield from SHRINK[slabs.machine.design](slabs, cache, cpu)


def release_all(slabs: Slabs, cache: Cache) -> Steps[None]:
    """Free the objects of a cache that any CPU has withheld, each CPU its own."""
    wanted_by = slabs.zone.on_cpu
    cpu = 0
    while cpu < slabs.machine.cpus:
        yield Visit(cpu)
        work_on(slabs.zone, cpu)
        yield from release(slabs, cpu, cache)
        yield Step.BACK
        slabs.zone.on_cpu = wanted_by
        cpu += 1


def destroy(slabs: Slabs, number: int, cpu: int) -> Steps[None]:
    """Let a cache go of which no object is held, and the groups' own before it."""
    caches = caches_of(slabs, number)
    yield from shrink(slabs, [*caches[1:], caches[0]], cpu)
    for cache in caches:
        # A group that was gone but for this cache has taken it along.
        slabs.caches.pop((cache.number, cache.group), None)


def offline(slabs: Slabs, number: int, cpu: int) -> Steps[None]:
    """Let a group go: its own caches keep nothing from now on, but for objects that are held."""
    yield from shrink(slabs, close_group(slabs, number), cpu)
    if number in slabs.groups:
        settle(slabs, number)
