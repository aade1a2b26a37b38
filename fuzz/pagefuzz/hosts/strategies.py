"""Hosts as Hypothesis values: 1 or 2 nodes, 1 to 4 CPUs, zones of a few frames."""

from collections.abc import Sequence

from hypothesis import strategies as st

from pagefuzz.hosts.draw import classes_of
from pagefuzz.machines.pageblocks import smallest_pageblock
from pagefuzz.machines.strategies import BATCHES, HIGHS
from pagespec.era import Era
from pagespec.frames import SIZES
from pagespec.host import RATIOS, Host, Part
from pagespec.machine import Machine
from pagespec.types import Order, Pfn, ZoneClass

PAGES = (16, 8, 12, 24, 33)
"""The lengths of zones."""

SHARES = (None, 0, 2, 4, 8, 16)
"""The frames of min_free_kbytes, None for a host without marks."""

KEPT = ((1, 1, 1), (2, 4, 3), RATIOS)
"""The ratios of what lower zones keep; with those that are the default small zones keep nothing."""


@st.composite
def hosts(draw: st.DrawFn, eras: Sequence[Era]) -> Host:
    """A host of one of the eras; the simplest has one node, one CPU and one zone."""
    era = draw(st.sampled_from(eras))
    nodes = draw(st.integers(1, 2))
    cpus = tuple(draw(st.lists(st.integers(0, nodes - 1), min_size=1, max_size=4)))
    top = draw(st.integers(1, 3))
    grouped = era.numbering is not None and draw(st.booleans())
    pageblock = draw(st.integers(smallest_pageblock(era, top), top)) if grouped else None
    cells = era.cells != "none" and draw(st.booleans())
    parts: list[Part] = []
    at: Pfn = draw(st.sampled_from((0, SIZES[top], 5)))
    for node in range(nodes):
        # The class that every request may use comes first, so that a host of one zone has it.
        known = sorted(classes_of(era), key=lambda zone_class: zone_class is not ZoneClass.NORMAL)
        chosen = draw(st.sets(st.sampled_from(known), min_size=1, max_size=3))
        for zone_class in sorted(chosen):
            machine = draw(_zones(era, top, pageblock, at, node, cpus, cells))
            parts.append(Part(zone_class, node, machine))
            at = -(-machine.end // SIZES[top]) * SIZES[top]
    if all(part.zone_class is ZoneClass.MOVABLE for part in parts):
        parts[0] = Part(ZoneClass.NORMAL, 0, parts[0].machine)
    share = draw(st.sampled_from(SHARES))
    return Host(
        tuple(parts),
        cpus,
        # A frame has 4 KiB.
        None if share is None else 4 * share,
        draw(st.sampled_from(KEPT)) if era.keeps_low_memory else RATIOS,
        by_zone=era.zonelists_by_zone and draw(st.booleans()),
        numa=nodes > 1 or draw(st.booleans()),
    )


@st.composite
def _zones(
    draw: st.DrawFn,
    era: Era,
    top: Order,
    pageblock: Order | None,
    start: Pfn,
    node: int,
    cpus: tuple[int, ...],
    cells: bool,
) -> Machine:
    sizes = draw(st.integers(0, len(BATCHES) * len(HIGHS) - 1))
    batch, high = BATCHES[sizes % len(BATCHES)], HIGHS[sizes // len(BATCHES)]
    return Machine(
        draw(st.sampled_from(PAGES)),
        top,
        era,
        start,
        pageblock=pageblock,
        cpus=len(cpus),
        far=frozenset(cpu for cpu, near in enumerate(cpus) if near != node),
        batch=batch,
        high=None if era.tuning == "pair" else high,
        cells=cells,
    )
