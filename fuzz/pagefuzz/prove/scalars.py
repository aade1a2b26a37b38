"""The spec's arithmetic and the twin's, each on the domain that the contract names.

CrossHair's diffbehavior knows no preconditions, so outside the domain both forms return None.
The spec divides and looks sizes up; the twin's form of the same name uses bits.
"""

from pageimpl import bitmap as bits_bitmap
from pageimpl import frames as bits
from pagespec import bitmap, frames
from pagespec.types import MAX_TOP


def _frame(index: int, order: int) -> bool:
    return index >= 0 and 0 <= order <= MAX_TOP


def _block(index: int, order: int) -> bool:
    return _frame(index, order) and frames.is_aligned(index, order)


def _run(index: int, pages: int, top: int) -> bool:
    return _frame(index, top) and pages >= 1


def is_aligned(index: int, order: int) -> bool | None:
    """The spec's `is_aligned`."""
    return frames.is_aligned(index, order) if _frame(index, order) else None


def is_aligned_by_bits(index: int, order: int) -> bool | None:
    """The twin's `is_aligned`."""
    return bits.is_aligned(index, order) if _frame(index, order) else None


def buddy_of(index: int, order: int) -> int | None:
    """The spec's `buddy_of`."""
    return frames.buddy_of(index, order) if _block(index, order) else None


def buddy_of_by_bits(index: int, order: int) -> int | None:
    """The twin's `buddy_of`."""
    return bits.buddy_of(index, order) if _block(index, order) else None


def parent_of(index: int, order: int) -> int | None:
    """The spec's `parent_of`."""
    return frames.parent_of(index, order) if _block(index, order) else None


def parent_of_by_bits(index: int, order: int) -> int | None:
    """The twin's `parent_of`."""
    return bits.parent_of(index, order) if _block(index, order) else None


def head_of(index: int, order: int) -> int | None:
    """The spec's `head_of`."""
    return frames.head_of(index, order) if _frame(index, order) else None


def head_of_by_bits(index: int, order: int) -> int | None:
    """The twin's `head_of`."""
    return bits.head_of(index, order) if _frame(index, order) else None


def rounded_up(index: int, order: int) -> int | None:
    """The spec's `rounded_up`."""
    return frames.rounded_up(index, order) if _frame(index, order) else None


def rounded_up_by_bits(index: int, order: int) -> int | None:
    """The twin's `rounded_up`."""
    return bits.rounded_up(index, order) if _frame(index, order) else None


def pair_of(index: int, order: int) -> int | None:
    """The spec's `pair_of`."""
    return bitmap.pair_of(index, order) if _frame(index, order) else None


def pair_of_by_bits(index: int, order: int) -> int | None:
    """The twin's `pair_of`."""
    return bits_bitmap.pair_of(index, order) if _frame(index, order) else None


def largest_order_at(index: int, pages: int, top: int) -> int | None:
    """The spec's `largest_order_at`."""
    return frames.largest_order_at(index, pages, top) if _run(index, pages, top) else None


def largest_order_at_by_bits(index: int, pages: int, top: int) -> int | None:
    """The twin's `largest_order_at`."""
    return bits.largest_order_at(index, pages, top) if _run(index, pages, top) else None
