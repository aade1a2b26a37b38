"""How large slabs are and how many a CPU may keep: the twin of the spec's `slab.sizes`."""

from pageimpl.jitcache import kernel

PAGE_SHIFT = 12

MAX_SLAB_ORDER = 3


@kernel
def objects_in(order: int, size: int) -> int:
    """How many objects fit on a slab of that order."""
    return (1 << PAGE_SHIFT + order) // size


@kernel
def min_objects(cpus: int) -> int:
    """How many objects a slab should have at least, for so many CPUs to work on."""
    bits = 0
    while cpus >> bits:
        bits += 1
    return bits + 1 << 2


@kernel
def slab_order(size: int, objects: int, largest: int, fraction: int) -> int:
    """The smallest order on which so many objects fit and at most that fraction is wasted.

    One more than the largest, if there is none.
    """
    for order in range(largest + 1):
        room = 1 << PAGE_SHIFT + order
        if objects * size <= room and room % size <= room // fraction:
            return order
    return largest + 1


@kernel
def order_of_slab(size: int, cpus: int, top: int, halves: bool) -> int:
    """The order of the slabs of a SLUB cache; halves: whether a half may be wasted, too."""
    largest = min(MAX_SLAB_ORDER, top)
    objects = min(min_objects(cpus), objects_in(largest, size))
    while objects >= 1:
        fraction, last = 16, 2 if halves else 4
        if objects == 1 and not halves:
            fraction, last = 1, 1
        while fraction >= last:
            order = slab_order(size, objects, largest, fraction)
            if order <= largest:
                return order
            fraction >>= 1
        objects -= 1
    return slab_order(size, 1, top, 1)


@kernel
def min_partial(size: int) -> int:
    """How many partial slabs a node keeps even if they are empty."""
    bits = 0
    while size >> bits:
        bits += 1
    return max(5, min(10, bits - 1 >> 1))


@kernel
def cpu_partial(size: int, more: bool) -> int:
    """How many free objects a CPU may keep on partial slabs, about; four times as many later."""
    if size >= 1 << PAGE_SHIFT:
        return 6 if more else 2
    if size >= 1024:
        return 24 if more else 6
    if size >= 256:
        return 52 if more else 13
    return 120 if more else 30


@kernel
def array_limit(size: int) -> int:
    """How many objects a CPU's array holds, in SLAB."""
    if size > 1 << 17:
        return 1
    if size > 1 << PAGE_SHIFT:
        return 8
    if size > 1024:
        return 24
    return 54 if size > 256 else 120


@kernel
def batch_of(limit: int) -> int:
    """How many objects move to or from an array at a time."""
    return limit + 1 >> 1


@kernel
def shared_batches(size: int, cpus: int) -> int:
    """How many batches the array holds that a node's CPUs share; 0 if there is none."""
    return 8 if cpus > 1 and size <= 1 << PAGE_SHIFT else 0
