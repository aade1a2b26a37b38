"""Frames of slabs and their utilisation over the number of groups, as a picture."""

from collections.abc import Sequence

from pagefuzz.drift.canvas import (
    BLUE,
    KINDS,
    ORANGE,
    drawing,
    label,
    line,
    plain_numbers,
    rendered,
)
from pagefuzz.drift.words import number
from pagefuzz.slabs.sharing.tables import Row
from pagespec.slab.sizes import PAGE

NAME = "slabs-by-groups"
FILES = tuple(f"{NAME}.{kind}" for kind in KINDS)

PAGES_A_MIB = 2**20 // PAGE


def draw(rows: Sequence[Row]) -> dict[str, bytes]:
    """The picture's files by name."""
    last = rows[-1]
    title = (
        f"With {last.groups:,} groups shared caches need {number(abs(last.percent))} % "
        f"{'fewer' if last.saved >= 0 else 'more'} frames"
    )
    groups = [float(row.groups) for row in rows]
    with drawing(8.6, 6.4, title) as figure:
        above, below = figure.subplots(2, 1, sharex=True)
        for ink, words, uses in (
            (ORANGE, "own caches", [row.own for row in rows]),
            (BLUE, "shared caches", [row.shared for row in rows]),
        ):
            mib = [use.frames / PAGES_A_MIB for use in uses]
            used = [100 * use.utilisation for use in uses]
            line(above, groups, mib, ink)
            line(below, groups, used, ink)
            label(above, groups[-1], mib[-1], words, ink, 6, 0)
            label(below, groups[-1], used[-1], words, ink, 6, 0)
        above.set_xscale("log", base=2)
        above.set_xlim(0.9, 3 * last.groups)
        above.set_ylabel("slabs, in MiB")
        below.set_ylim(0, 105)
        below.set_ylabel("of that in use, in %")
        below.set_xlabel("groups")
        plain_numbers(above)
        plain_numbers(below)
        files = rendered(figure)
    return {f"{NAME}.{kind}": content for kind, content in files.items()}
