"""How large slabs and arrays of SLAB are, as they follow from the objects' size.

Source: mm/slab.c (calculate_slab_order, enable_cpucache, init_cache_node), 5.8 to 6.1.
"""

from pagespec.frames import SIZES
from pagespec.slab.machine import SlabMachine
from pagespec.slab.sizes import PAGE, array_limit, batch_of, objects_in, shared_batches
from pagespec.slab.state import Shape
from pagespec.slab.verbs import SlabOp
from pagespec.types import Order

MAX_ARRAY_SLAB_ORDER = 1
"""The largest order of a slab that smaller ones are preferred to, in SLAB with 32 MiB or more."""


def shape_of(machine: SlabMachine, op: SlabOp) -> Shape | None:
    """The shape of a cache that is to be created, or None if no cache may have it."""
    order = order_of_array_slab(op.size, machine.zone.top) if op.order is None else op.order
    objects = objects_in(order, op.size)
    kept = array_limit(op.size) if op.objects_kept is None else op.objects_kept
    batch = batch_of(kept) if op.batch is None else op.batch
    if not 1 <= batch <= kept:
        return None
    batches = shared_batches(op.size, machine.cpus) if op.shared is None else op.shared
    partials = free_limit(machine.cpus, batch, objects) if op.partials is None else op.partials
    return Shape(op.size, order, objects, kept, partials, batch, batches * batch)


def order_of_array_slab(size: int, top: Order) -> Order:
    """The order of the slabs of a SLAB cache: an eighth is wasted at most, if order 1 does for it.

    >>> [order_of_array_slab(size, 10) for size in (256, 1344, 3000, 5000, 9000)]
    [0, 0, 1, 1, 2]

    pre: 1 <= size <= PAGE * SIZES[top] and 0 <= top <= 10
    post: 0 <= __return__ <= top and size <= PAGE * SIZES[__return__]
    """
    order = 0
    while order < top:
        room = PAGE * SIZES[order]
        if size <= room and (order >= MAX_ARRAY_SLAB_ORDER or room % size * 8 <= room):
            break
        order += 1
    return order


def free_limit(cpus: int, batch: int, objects: int) -> int:
    """How many free objects a node keeps on slabs before it gives up those that are empty.

    >>> free_limit(cpus=2, batch=60, objects=16)
    196

    pre: cpus >= 1 and batch >= 1 and objects >= 1
    post: __return__ > objects
    """
    return (1 + cpus) * batch + objects
