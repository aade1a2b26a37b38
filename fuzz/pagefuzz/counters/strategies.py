"""Machines with counters as Hypothesis values: 1 to 8 CPUs, 1 to 3 zones on 1 or 2 nodes."""

from collections.abc import Sequence

from hypothesis import strategies as st

from pagefuzz.counters.draw import has_threshold
from pagespec.era import Era
from pagespec.vmstat.machine import CountedZone, CounterMachine
from pagespec.vmstat.numa import NUMA_DESIGNS

PAGES, LARGE_PAGES = (64, 500, 2000), (64, 40_000, 2**18)
"""The frames of zones whose thresholds are said, and of those whose thresholds follow."""

MIN_FREE = (0, 16, 400, 4000)
"""Min_free_kbytes."""

NORMAL = (2, 3, 1, 5, 0)
"""Thresholds that a few updates reach."""


@st.composite
def counter_machines(draw: st.DrawFn, eras: Sequence[Era]) -> CounterMachine:
    """A machine of one of the eras; the simplest has one CPU and one zone."""
    era = draw(st.sampled_from(eras))
    nodes = draw(st.integers(1, 2))
    cpus = draw(st.lists(st.integers(0, nodes - 1), min_size=1, max_size=8))
    said = era.cells != "none" and draw(st.integers(0, 3)) < 3
    pages = st.sampled_from(PAGES if said else LARGE_PAGES)
    zones = draw(st.lists(pages, min_size=nodes, max_size=3))
    numa = draw(st.sampled_from((None, *NUMA_DESIGNS)))
    normal = draw(st.sampled_from(NORMAL)) if said else None
    return CounterMachine(
        era=era,
        cpus=tuple(cpus),
        zones=tuple(CountedZone(at % nodes, count) for at, count in enumerate(zones)),
        min_free=draw(st.sampled_from(MIN_FREE)),
        numa=numa,
        normal=normal,
        pressure=draw(st.integers(0, normal)) if normal and era.lowers_thresholds else None,
        numa_threshold=(
            draw(st.integers(0, 5))
            if has_threshold(NUMA_DESIGNS[era.numa if numa is None else numa])
            else None
        ),
    )
