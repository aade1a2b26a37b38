"""The spec's sizes of slabs and the twin's, each as the other's second form."""

from pageimpl.slab import array_sizes as bits_arrays
from pageimpl.slab import sizes as bits
from pagespec.frames import SIZES
from pagespec.slab import array_sizes, sizes


def objects_in(order: int, size: int) -> int:
    """The spec's `objects_in`."""
    return sizes.objects_in(order, size)


def objects_in_by_bits(order: int, size: int) -> int:
    """The twin's `objects_in`."""
    return bits.objects_in(order, size)


def batch_of(limit: int) -> int:
    """The spec's `batch_of`."""
    return sizes.batch_of(limit)


def batch_of_by_bits(limit: int) -> int:
    """The twin's `batch_of`."""
    return bits.batch_of(limit)


def free_limit(cpus: int, batch: int, objects: int) -> int:
    """The spec's `free_limit`."""
    return array_sizes.free_limit(cpus, batch, objects)


def free_limit_by_bits(cpus: int, batch: int, objects: int) -> int:
    """The twin's `free_limit`."""
    return bits_arrays.free_limit(cpus, batch, objects)


def _fits(size: int, top: int) -> bool:
    return size <= sizes.PAGE * SIZES[top]


def order_of_array_slab(size: int, top: int) -> int | None:
    """The spec's `order_of_array_slab`; None for what does not fit."""
    return array_sizes.order_of_array_slab(size, top) if _fits(size, top) else None


def order_of_array_slab_by_bits(size: int, top: int) -> int | None:
    """The twin's `order_of_array_slab`."""
    return bits_arrays.order_of_array_slab(size, top) if _fits(size, top) else None
