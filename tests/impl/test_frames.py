"""Bits and division agree: the twin's arithmetic is the spec's."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pageimpl import bitmap, frames
from pagespec import bitmap as spec_bitmap
from pagespec import frames as spec_frames
from pagespec.types import MAX_TOP

ORDERS = range(MAX_TOP + 1)
Arithmetic = Callable[[int, int], int]

OF_FRAMES: list[tuple[Arithmetic, Arithmetic]] = [
    (spec_frames.is_aligned, frames.is_aligned),
    (spec_frames.head_of, frames.head_of),
    (spec_frames.rounded_up, frames.rounded_up),
    (spec_bitmap.pair_of, bitmap.pair_of),
]
OF_BLOCKS: list[tuple[Arithmetic, Arithmetic]] = [
    (spec_frames.buddy_of, frames.buddy_of),
    (spec_frames.parent_of, frames.parent_of),
]


def name_of(pair: tuple[Arithmetic, Arithmetic]) -> str:
    return pair[0].__name__


@pytest.mark.parametrize("pair", OF_FRAMES, ids=name_of)
def test_small_indices(pair: tuple[Arithmetic, Arithmetic]) -> None:
    """Every index below 4096 at every order."""
    spec, twin = pair
    for order in ORDERS:
        expected = [spec(index, order) for index in range(4096)]
        assert expected == [twin(index, order) for index in range(4096)]


@pytest.mark.parametrize("pair", OF_BLOCKS, ids=name_of)
def test_small_blocks(pair: tuple[Arithmetic, Arithmetic]) -> None:
    """The first 1024 blocks of every order."""
    spec, twin = pair
    for order in ORDERS:
        blocks = range(0, 1024 << order, 1 << order)
        assert [spec(at, order) for at in blocks] == [twin(at, order) for at in blocks]


@settings(deadline=None)
@given(st.integers(0, 2**40), st.sampled_from(ORDERS))
def test_wide_indices(number: int, order: int) -> None:
    """Any index that a zone may have."""
    for spec, twin in OF_FRAMES:
        assert spec(number, order) == twin(number, order)
    for spec, twin in OF_BLOCKS:
        assert spec(number << order, order) == twin(number << order, order)


def test_largest_orders() -> None:
    """Every start, length and top of a small zone."""
    for top in range(8):
        for index in range(130):
            lengths = range(1, 130)
            expected = [spec_frames.largest_order_at(index, pages, top) for pages in lengths]
            assert expected == [frames.largest_order_at(index, pages, top) for pages in lengths]
