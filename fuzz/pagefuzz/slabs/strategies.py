"""Machines with slabs as Hypothesis values: 1 to 8 CPUs, few frames, any design and scheme."""

from collections.abc import Sequence

from hypothesis import strategies as st

from pagespec.era import Era
from pagespec.machine import Machine
from pagespec.slab.machine import SCHEMES, SlabMachine


@st.composite
def slab_machines(draw: st.DrawFn, eras: Sequence[Era]) -> SlabMachine:
    """A machine of one of the eras; the simplest has one CPU, and nobody is charged."""
    era = draw(st.sampled_from(eras))
    pages = draw(st.sampled_from((16, 5, 9, 64)))
    cpus = draw(st.integers(1, 8))
    listed = draw(st.integers(0, 3)) == 3
    scheme = draw(st.sampled_from(SCHEMES))
    groups = 0 if scheme == "none" else draw(st.integers(1, 3))
    zone = Machine(
        pages,
        draw(st.integers(3, 5)),
        era,
        draw(st.sampled_from((1, 8, 13))),
        cpus=cpus if listed else 0,
        batch=draw(st.sampled_from((1, 2, 4))) if listed else None,
    )
    return SlabMachine(
        zone=zone,
        cpus=cpus,
        present=draw(st.sampled_from((None, 8, 64))),
        design=draw(st.sampled_from(era.slab_designs)),
        scheme=scheme,
        groups=groups,
        limit=draw(st.integers(0, 4)) if groups and draw(st.booleans()) else None,
    )
