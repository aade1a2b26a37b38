"""Where an object lies, and what lies at an address."""

from pagespec.frames import SIZES
from pagespec.slab.sizes import PAGE
from pagespec.slab.state import Cache, Slabs
from pagespec.slab.verbs import Address
from pagespec.types import Pfn


def slab_of(slabs: Slabs, cache: Cache, address: Address) -> Pfn:
    """The first frame of the slab on which an object of the cache lies."""
    base = slabs.zone.machine.base
    frame = address // PAGE - base
    return base + frame - frame % SIZES[cache.shape.order]


def head_at(slabs: Slabs, address: Address) -> Pfn:
    """The first frame of the slab or large block on which an object lies.

    address: of an object that is on a slab, or is a block; others have none.
    """
    base = slabs.zone.machine.base
    frame = address // PAGE - base
    heads = (base + frame - frame % size for size in SIZES[: slabs.zone.machine.top + 1])
    return next(head for head in heads if head in slabs.frames or head in slabs.large)


def cache_at(slabs: Slabs, address: Address) -> Cache:
    """The cache of an object that is on a slab."""
    return slabs.caches[slabs.frames[head_at(slabs, address)]]


def number_of(cache: Cache, slab: Pfn, address: Address) -> int:
    """Which object of a slab an address is."""
    return (address - slab * PAGE) // cache.shape.size
