"""Caches, CPUs and groups as a whole: they come, give up what nobody needs, and go.

The twin of the spec's `slab.upkeep`. A group that goes takes its caches along while they are still
walked over; what they had is gone by then, and a record that is given up still leads to what was
made before it.
"""

from pageimpl.jitcache import kernel
from pageimpl.slab.caches import give_up, record_of
from pageimpl.slab.designs import flush
from pageimpl.slab.designs import shrink as shrink_design
from pageimpl.slab.groups import close_group, settle
from pageimpl.slab.growing import visit
from pageimpl.slab.objects import release
from pageimpl.slab.places import group_row
from pageimpl.slab.reap import give_up_empty, reap
from pageimpl.slab.state import (
    NOTHING,
    SlabMemory,
    cpus_of,
    earlier_of,
    first_cache_of,
    group_of,
    known_of,
    last_cache_of,
    later_of,
    nr_slabs_of,
    number_of,
)


@kernel
def flush_cpu(mem: SlabMemory, cpu: int) -> None:
    """Let a CPU give up what it has of all caches, the newest first, and then all empty slabs."""
    c = last_cache_of(mem)
    while c != NOTHING:
        earlier = earlier_of(mem, c)
        flush(mem, c, cpu)
        c = earlier
    c = last_cache_of(mem)
    while c != NOTHING:
        earlier = earlier_of(mem, c)
        give_up_empty(mem, c, cpu, nr_slabs_of(mem, c))
        c = earlier


@kernel
def reap_cpu(mem: SlabMemory, cpu: int) -> None:
    """Let a CPU of SLAB give up what of all caches has not been used, the newest first."""
    c = last_cache_of(mem)
    while c != NOTHING:
        earlier = earlier_of(mem, c)
        reap(mem, c, cpu)
        c = earlier


@kernel
def shrink(mem: SlabMemory, c: int, cpu: int) -> None:
    """Let a cache give up what nobody needs; nothing stays withheld."""
    for other in range(cpus_of(mem)):
        visit(mem, other)
        release(mem, other, c)
    visit(mem, cpu)
    shrink_design(mem, c, cpu)


@kernel
def shrink_own(mem: SlabMemory, number: int, cpu: int) -> None:
    """Let the groups' own caches of a number give up what nobody needs, the newest first."""
    c = last_cache_of(mem)
    while c != NOTHING:
        earlier = earlier_of(mem, c)
        if number_of(mem, c) == number and group_of(mem, c) != 0:
            shrink(mem, c, cpu)
        c = earlier


@kernel
def destroy(mem: SlabMemory, number: int, cpu: int) -> None:
    """Let a cache go of which no object is held, and the groups' own before it."""
    shrink_own(mem, number, cpu)
    shrink(mem, record_of(mem, number, 0), cpu)
    c = first_cache_of(mem)
    while c != NOTHING:
        later = later_of(mem, c)
        if number_of(mem, c) == number:
            give_up(mem, c)
        c = later


@kernel
def offline(mem: SlabMemory, group: int, cpu: int) -> None:
    """Let a group go: its own caches keep nothing from now on, but for objects that are held."""
    close_group(mem, group)
    c = first_cache_of(mem)
    while c != NOTHING and known_of(mem, group_row(mem, group)):
        later = later_of(mem, c)
        if group_of(mem, c) == group:
            shrink(mem, c, cpu)
        c = later
    if known_of(mem, group_row(mem, group)):
        settle(mem, group)
