"""Arithmetic of frames and blocks by bit operations: the twin of the spec's `frames`.

The same values as the spec's divisions and tables for every index from 0 up and every order that
a zone may have; what is asked of a block's index is that it be a multiple of the block's size.
"""

from pageimpl.jitcache import kernel


@kernel
def is_aligned(index: int, order: int) -> bool:
    """Whether a block of that order may start at the index."""
    return index & ((1 << order) - 1) == 0


@kernel
def buddy_of(index: int, order: int) -> int:
    """The start of the one block that may merge with the block at the index."""
    return index ^ (1 << order)


@kernel
def parent_of(index: int, order: int) -> int:
    """The start of the block of the next order that holds the block at the index."""
    return index & ~(1 << order)


@kernel
def head_of(index: int, order: int) -> int:
    """The start of the aligned block of that order that holds the frame at the index."""
    return index & ~((1 << order) - 1)


@kernel
def rounded_up(pages: int, order: int) -> int:
    """The least number of frames that is not smaller and makes whole blocks of that order."""
    return head_of(pages + (1 << order) - 1, order)


@kernel
def largest_order_at(index: int, pages: int, top: int) -> int:
    """The largest order of an aligned block at the index that has no more than so many frames."""
    order = 0
    while order < top and index & (1 << order) == 0 and 2 << order <= pages:
        order += 1
    return order
