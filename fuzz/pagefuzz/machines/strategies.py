"""Machines as Hypothesis values: odd lengths, unaligned starts, holes, every top order and era."""

from collections.abc import Sequence

from hypothesis import strategies as st

from pagespec.era import Era
from pagespec.frames import SIZES
from pagespec.machine import Machine


@st.composite
def machines(draw: st.DrawFn, eras: Sequence[Era], pages: st.SearchStrategy[int]) -> Machine:
    """A machine of one of the eras; the simplest starts at frame zero and has no holes."""
    era = draw(st.sampled_from(eras))
    length = draw(pages)
    top = draw(st.integers(0, 12))
    start = draw(st.sampled_from((0, 1, 3, SIZES[top], 5 * SIZES[top] + 6)))
    holes: list[tuple[int, int]] = []
    beyond = start
    for gap, size in draw(st.lists(st.tuples(st.integers(0, 12), st.integers(1, 5)), max_size=3)):
        first = beyond + gap
        if first + size > start + length:
            break
        holes.append((first, first + size))
        beyond = first + size + 1
    return Machine(length, top, era, start, tuple(holes))
