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
    if grouped:
        machine = draw(_grouped(machine))
    cpus = draw(st.sampled_from((0, 0, 1, 2, 3, 4)))
    return draw(_listed(machine, cpus))


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


BATCHES, HIGHS = (1, 2, 3, 0, 7, None), (4, 8, 0, 1, 2, 12, 20, None)
"""The batch and high of lists, None for what follows from the zone's size."""

SHARES = (None, None, 0, 1, 2, 4, 8)
"""The frames below which a zone serves urgent requests alone, None for a zone without marks."""


@st.composite
def _listed(draw: st.DrawFn, machine: Machine, cpus: int) -> Machine:
    """The machine with so many CPUs that keep lists, and perhaps marks and parts of counts."""
    share = draw(st.sampled_from(SHARES))
    # A frame has 4 KiB.
    machine = replace(machine, min_free=None if share is None else 4 * share)
    if not cpus:
        return machine
    sizes = draw(st.integers(0, len(BATCHES) * len(HIGHS) - 1))
    batch, high = BATCHES[sizes % len(BATCHES)], HIGHS[sizes // len(BATCHES)]
    return replace(
        machine,
        cpus=cpus,
        batch=batch,
        high=None if machine.era.tuning == "pair" else high,
        cells=machine.era.cells != "none" and draw(st.booleans()),
    )


@st.composite
def small_listed(draw: st.DrawFn, eras: Sequence[Era], pages: st.SearchStrategy[int]) -> Machine:
    """A small machine of 1 to 4 CPUs that keep lists, of a top order that its zone can meet."""
    era = draw(st.sampled_from(eras))
    top = draw(st.sampled_from((4, 3, 2, 5)))
    machine = Machine(draw(pages), top, era)
    if era.numbering is not None and draw(st.booleans()):
        machine = replace(machine, pageblock=max(top - 1, smallest_pageblock(era, top)))
    return draw(_listed(machine, draw(st.integers(1, 4))))
