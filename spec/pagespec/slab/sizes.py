"""How large slabs are and how many a CPU may keep: small total functions of the objects' size.

Source: mm/slub.c (calculate_order, set_cpu_partial, set_min_partial) and mm/slab.c
(enable_cpucache, calculate_slab_order), 5.8 to 6.12.
"""

from pagespec.frames import SIZES
from pagespec.types import Order

PAGE = 4096
"""Bytes of a frame."""

MAX_SLAB_ORDER = 3
"""The largest order of a slab that smaller ones are preferred to, in SLUB."""


def objects_in(order: Order, size: int) -> int:
    """How many objects fit on a slab of that order.

    pre: 0 <= order <= 10 and size >= 1
    post: __return__ * size <= PAGE * SIZES[order]
    """
    return PAGE * SIZES[order] // size


def min_objects(cpus: int) -> int:
    """How many objects a slab should have at least, for so many CPUs to work on.

    >>> [min_objects(cpus) for cpus in (2, 8, 64)]
    [12, 20, 32]
    """
    return 4 * (cpus.bit_length() + 1)


def slab_order(size: int, objects: int, largest: Order, fraction: int) -> Order:
    """The smallest order on which so many objects fit and at most that fraction is wasted.

    One more than the largest, if there is none.

    >>> slab_order(12000, 2, 3, 4), slab_order(12000, 2, 3, 2), slab_order(12000, 1, 3, 1)
    (4, 3, 2)
    """
    order = 0
    while order <= largest:
        room = PAGE * SIZES[order]
        if room >= objects * size and room % size <= room // fraction:
            return order
        order += 1
    return largest + 1


def order_of_slab(size: int, cpus: int, top: Order, *, halves: bool = False) -> Order:
    """The order of the slabs of a SLUB cache.

    Rather few wasted bytes than many objects: for each number of objects, a sixteenth of a slab
    may be wasted at most, then an eighth, then a quarter, before one object less must do. halves:
    whether a half may be, too, so that no fewer objects ever must.

    >>> [order_of_slab(256, cpus, 10) for cpus in (1, 4, 8, 127, 128)]
    [0, 0, 1, 1, 2]
    >>> [order_of_slab(12000, 1, 10, halves=halves) for halves in (False, True)]
    [2, 3]
    """
    largest = min(MAX_SLAB_ORDER, top)
    objects = min(min_objects(cpus), objects_in(largest, size))
    fractions = (16, 8, 4, 2) if halves else (16, 8, 4)
    while objects >= 1:
        for fraction in fractions if objects > 1 or halves else (1,):
            order = slab_order(size, objects, largest, fraction)
            if order <= largest:
                return order
        objects -= 1
    return slab_order(size, 1, top, 1)


def min_partial(size: int) -> int:
    """How many partial slabs a node keeps even if they are empty.

    >>> [min_partial(size) for size in (8, 4096, 1 << 20)]
    [5, 6, 10]
    """
    return max(5, min(10, (size.bit_length() - 1) // 2))


CPU_PARTIAL_5_12 = ((PAGE, 2), (1024, 6), (256, 13), (0, 30))
CPU_PARTIAL_6_1 = ((PAGE, 6), (1024, 24), (256, 52), (0, 120))


def cpu_partial(size: int, table: tuple[tuple[int, int], ...]) -> int:
    """How many free objects a CPU may keep on partial slabs, about.

    >>> cpu_partial(256, CPU_PARTIAL_5_12), cpu_partial(256, CPU_PARTIAL_6_1)
    (13, 52)
    """
    return next(objects for least, objects in table if size >= least)


ARRAY_LIMITS = ((131073, 1), (PAGE + 1, 8), (1025, 24), (257, 54), (0, 120))


def array_limit(size: int) -> int:
    """How many objects a CPU's array holds, in SLAB.

    >>> [array_limit(size) for size in (256, 257, 4096, 4097, 131073)]
    [120, 54, 24, 8, 1]
    """
    return next(objects for least, objects in ARRAY_LIMITS if size >= least)


def batch_of(limit: int) -> int:
    """How many objects move to or from an array at a time.

    pre: limit >= 1
    post: 1 <= __return__ <= limit
    """
    return (limit + 1) // 2


def shared_batches(size: int, cpus: int) -> int:
    """How many batches the array holds that a node's CPUs share; 0 if there is none.

    >>> shared_batches(256, 2), shared_batches(256, 1), shared_batches(8192, 2)
    (8, 0, 0)
    """
    return 8 if cpus > 1 and size <= PAGE else 0
