"""Arithmetic of frames: the provable form is the kernel's, and canonical() is its definition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagespec import bitmap
from pagespec.frames import (
    SIZES,
    buddy_of,
    canonical,
    head_of,
    is_aligned,
    largest_order_at,
    parent_of,
    runs_of,
)
from pagespec.types import MAX_TOP, Block

ORDERS = range(MAX_TOP + 1)
WIDE = st.integers(0, 2**62)
FRAMES = st.sets(st.integers(0, 70)) | st.builds(
    lambda first, count: set(range(first, first + count)), st.integers(0, 9), st.integers(0, 90)
)


def agree(index: int, order: int) -> None:
    """Both forms of every function give the same."""
    size = 1 << order
    head = index & ~(size - 1)

    assert SIZES[order] == size
    assert is_aligned(index, order) == (index & (size - 1) == 0)
    assert head_of(index, order) == head
    assert buddy_of(head, order) == head ^ size
    assert parent_of(head, order) == head & ~size == head & (head ^ size)
    assert bitmap.pair_of(index, order) == index >> (1 + order)


@pytest.mark.parametrize("order", ORDERS)
def test_small_arithmetic_is_the_kernels(order: int) -> None:
    """On every index up to 4096, // and % say what xor, and, shift say."""
    for index in range(4097):
        agree(index, order)


@given(WIDE, st.sampled_from(ORDERS))
def test_wide_arithmetic_is_the_kernels(index: int, order: int) -> None:
    """The same on indices as wide as a register, near multiples of the size above all."""
    agree(index, order)
    agree(index << order, order)


@given(WIDE, st.integers(1, 2**20), st.sampled_from(ORDERS))
def test_the_largest_order_is_what_both_ends_allow(index: int, pages: int, top: int) -> None:
    """Three bounds and nothing else: the lowest set bit, the length, and the top order."""
    lowest = (index & -index).bit_length() - 1 if index else MAX_TOP
    longest = pages.bit_length() - 1

    assert largest_order_at(index, pages, top) == min(lowest, longest, top)


def defined(frames: set[int], top: int) -> set[Block]:
    """The definition of the canonical decomposition, word for word."""

    def covered(pfn: int, order: int) -> bool:
        return all(frame in frames for frame in range(pfn, pfn + 2**order))

    return {
        Block(pfn, order)
        for order in range(top + 1)
        for pfn in range(0, 128, 2**order)
        if covered(pfn, order) and (order == top or not covered(pfn & ~(1 << order), order + 1))
    }


@given(FRAMES, st.integers(0, 8))
def test_runs_cut_into_blocks_are_the_canonical_decomposition(frames: set[int], top: int) -> None:
    """Greedy blocks of maximal runs are exactly the blocks whose parent is not wholly there."""
    assert canonical(frames, top) == defined(frames, top)


@given(FRAMES, st.integers(0, 8))
def test_the_canonical_decomposition_covers_each_frame_once(frames: set[int], top: int) -> None:
    """No frame is lost, none is in two blocks."""
    covered = [f for pfn, o in canonical(frames, top) for f in range(pfn, pfn + 2**o)]

    assert sorted(covered) == sorted(frames)


@given(FRAMES)
def test_runs_are_maximal(frames: set[int]) -> None:
    """Runs are disjoint, ascend, do not touch, and are the set."""
    runs = list(runs_of(frames))
    edges = [edge for run in runs for edge in run]

    assert {frame for first, end in runs for frame in range(first, end)} == frames
    assert edges == sorted(set(edges))
