"""What the two allocators of objects have in common: the same moves, each in its own way."""

from collections.abc import Callable
from typing import TypeAlias

from pagespec.era import SlabDesign
from pagespec.slab import array, reap, slub, slub_upkeep
from pagespec.slab.state import Cache, Slabs
from pagespec.slab.verbs import Address
from pagespec.steps import Steps

TAKE: dict[SlabDesign, Callable[[Slabs, Cache, int], Steps[Address | None]]] = {
    "slub": slub.take,
    "slab": array.take,
}
"""Take an object for a CPU, or None if there are no frames for a slab."""

TAKE_BULK: dict[SlabDesign, Callable[[Slabs, Cache, int, int], Steps[list[Address]]]] = {
    "slub": slub.take_bulk,
    "slab": array.take_bulk,
}
"""Take so many, or as many as there are frames for."""

Give: TypeAlias = Callable[[Slabs, Cache, int, tuple[Address, ...], int], Steps[None]]

GIVE: dict[SlabDesign, Give] = {"slub": slub.give, "slab": array.give}
"""Free objects that nobody holds, in SLUB all of one slab, on a CPU; and how many they are."""

FLUSH: dict[SlabDesign, Callable[[Slabs, Cache, int], Steps[None]]] = {
    "slub": slub.flush,
    "slab": reap.flush,
}
"""Let a CPU give up all that it has of a cache."""

SHRINK: dict[SlabDesign, Callable[[Slabs, Cache, int], Steps[None]]] = {
    "slub": slub_upkeep.shrink,
    "slab": reap.shrink,
}
"""Let a cache give up its empty slabs, as a CPU asks; what the CPUs have of it as well."""
