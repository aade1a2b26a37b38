"""Zones to compact as Hypothesis values: of 8 to 64 frames, with up to two CPUs."""

from collections.abc import Sequence

from hypothesis import strategies as st

from pagespec.compaction.design import SCANS
from pagespec.compaction.machine import CompactionMachine
from pagespec.era import Era
from pagespec.machine import Machine


@st.composite
def compaction_machines(draw: st.DrawFn, eras: Sequence[Era]) -> CompactionMachine:
    """A machine of one of the eras; the simplest has 8 frames, no lists and no marks."""
    top = draw(st.integers(2, 4))
    cpus = draw(st.integers(0, 2))
    zone = Machine(
        pages=draw(st.integers(8, 64)),
        top=top,
        era=draw(st.sampled_from(eras)),
        start=draw(st.sampled_from((0, 4, 7))),
        pageblock=draw(st.integers(top - 1, top)),
        cpus=cpus,
        batch=1 if cpus else None,
        min_free=draw(st.sampled_from((None, 8, 16))),
    )
    return CompactionMachine(zone, draw(st.sampled_from((None, *SCANS))))
