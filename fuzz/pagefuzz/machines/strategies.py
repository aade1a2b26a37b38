"""Machines as Hypothesis values: odd lengths, unaligned starts, holes, every top order and era."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from pagefuzz.machines.pageblocks import fitted, largest_guard, smallest_pageblock
from pagespec.era import Era
from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.migratetype import MOVABLE

TYPES = st.binary(min_size=1, max_size=12)
"""A byte a pageblock chooses its type; all bytes are drawn at once, which is cheap."""


@st.composite
def machines(draw: st.DrawFn, eras: Sequence[Era], pages: st.SearchStrategy[int]) -> Machine:
    """A machine of one of the eras; the simplest starts at frame zero, has no holes and no types.

    Of an era with pageblocks three of four have them, with a top order that a small zone can meet.
    """
    era = draw(st.sampled_from(eras))
    grouped = era.numbering is not None and draw(st.integers(0, 3)) > 0
    length = draw(pages)
    top = draw(st.integers(1, 5) if grouped else st.integers(0, 12))
    start = draw(st.sampled_from((0, 1, 3, SIZES[top], 5 * SIZES[top] + 6)))
    holes: list[tuple[int, int]] = []
    beyond = start
    for gap, size in draw(st.lists(st.tuples(st.integers(0, 12), st.integers(1, 5)), max_size=3)):
        first = beyond + gap
        if first + size > start + length:
            break
        holes.append((first, first + size))
        beyond = first + size + 1
    machine = Machine(length, top, era, start, tuple(holes))
    return draw(_grouped(machine)) if grouped else machine


@st.composite
def _grouped(draw: st.DrawFn, machine: Machine) -> Machine:
    """The machine with pageblocks, types for them if any are drawn, and perhaps guard pages."""
    era, top = machine.era, machine.top
    pageblock = draw(st.integers(smallest_pageblock(era, top), top))
    machine = replace(machine, pageblock=pageblock)
    if era.guards:
        guard = draw(st.sampled_from((0, 0, 0, 1, largest_guard(machine))))
        machine = replace(machine, guard=guard)
    if draw(st.booleans()):
        return machine
    # Those whose byte is zero are movable, as all are without types.
    known = (MOVABLE, *(mt for mt in era.types if mt is not MOVABLE))
    drawn = draw(TYPES)
    types = [known[drawn[n % len(drawn)] % len(known)] for n in range(machine.pageblocks)]
    return replace(machine, types=tuple(fitted(machine, types)))
