"""How large slabs and arrays of SLAB are: the twin of the spec's `slab.array_sizes`."""

from pageimpl.jitcache import kernel
from pageimpl.slab.sizes import PAGE_SHIFT

MAX_ARRAY_SLAB_ORDER = 1


@kernel
def order_of_array_slab(size: int, top: int) -> int:
    """The order of the slabs of a SLAB cache: an eighth is wasted, if order 1 does for it."""
    for order in range(top):
        room = 1 << PAGE_SHIFT + order
        if size <= room and (order >= MAX_ARRAY_SLAB_ORDER or room % size << 3 <= room):
            return order
    return top


@kernel
def free_limit(cpus: int, batch: int, objects: int) -> int:
    """How many free objects a node keeps on slabs before it gives up those that are empty."""
    return (1 + cpus) * batch + objects
