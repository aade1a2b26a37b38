"""What the two allocators of objects have in common: the twin of the spec's `slab.designs`."""

from pageimpl.jitcache import inlined, kernel
from pageimpl.slab.array import give as give_to_array
from pageimpl.slab.array import take as take_from_array
from pageimpl.slab.array import take_bulk as take_many_from_array
from pageimpl.slab.choices import SLUB
from pageimpl.slab.places import row_at
from pageimpl.slab.reap import flush as flush_array
from pageimpl.slab.reap import shrink as shrink_arrays
from pageimpl.slab.slub import flush as flush_slabs
from pageimpl.slab.slub import give as give_to_slab
from pageimpl.slab.slub import take as take_from_slab
from pageimpl.slab.slub import take_bulk as take_many_from_slab
from pageimpl.slab.slub_upkeep import shrink as shrink_slabs
from pageimpl.slab.state import SlabMemory, design_of, slab_of


@inlined
def take_one(mem: SlabMemory, c: int, cpu: int) -> int:
    """Take an object, or NOTHING if there are no frames for a slab."""
    if design_of(mem) == SLUB:
        return take_from_slab(mem, c, cpu)
    return take_from_array(mem, c, cpu)


@inlined
def give_one(mem: SlabMemory, c: int, cpu: int, p: int) -> None:
    """Free an object."""
    if design_of(mem) == SLUB:
        give_to_slab(mem, c, cpu, slab_of(mem, row_at(p)), p, p, 1)
    else:
        give_to_array(mem, c, cpu, p)


@kernel
def take_bulk(mem: SlabMemory, c: int, cpu: int, objects: int, charged: int) -> int:
    """Take that many objects, or fewer if there are no frames for a slab, into the array of slots.

    Returns how many. They are held from now on; charged: who pays.
    """
    if design_of(mem) == SLUB:
        return take_many_from_slab(mem, c, cpu, objects, charged)
    return take_many_from_array(mem, c, cpu, objects, charged)


@kernel
def flush(mem: SlabMemory, c: int, cpu: int) -> None:
    """Let a CPU give up all that it has of a cache."""
    if design_of(mem) == SLUB:
        flush_slabs(mem, c, cpu)
    else:
        flush_array(mem, c, cpu)


@kernel
def shrink(mem: SlabMemory, c: int, cpu: int) -> None:
    """Let a cache give up its empty slabs, as a CPU asks; what the CPUs have of it as well."""
    if design_of(mem) == SLUB:
        shrink_slabs(mem, c, cpu)
    else:
        shrink_arrays(mem, c, cpu)
