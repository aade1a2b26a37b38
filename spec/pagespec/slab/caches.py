"""A cache as it comes: no slab, nothing at hand."""

from pagespec.slab.machine import SlabMachine
from pagespec.slab.state import Array, Cache, CpuSlab, Shape


def new_cache(machine: SlabMachine, number: int, group: int, shape: Shape) -> Cache:
    """A cache without objects, with what each CPU of the machine has of it in that design."""
    if machine.design == "slub":
        return Cache(number, group, shape, cpus=[CpuSlab() for _ in range(machine.cpus)])
    return Cache(
        number,
        group,
        shape,
        arrays=[Array() for _ in range(machine.cpus)],
        shared=Array() if shape.shared else None,
    )
