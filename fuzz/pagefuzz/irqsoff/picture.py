"""How long interrupts were off, as a picture: how often, and the longest of each round."""

from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING

from pagefuzz.drift.canvas import (
    BLUE,
    DARK,
    GREEN,
    GREY,
    KINDS,
    ORANGE,
    drawing,
    label,
    line,
    plain_numbers,
    rendered,
)
from pagefuzz.irqsoff.sides import Side

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "irqs-off"
FILES = tuple(f"{NAME}.{kind}" for kind in KINDS)
INKS = (ORANGE, BLUE, GREEN, DARK, GREY)
"""The first era's, and those of the others."""


def draw(sides: Sequence[Side]) -> dict[str, bytes]:
    """The picture's files by name."""
    seen = ", ".join(f"{side.recorded.most.get('free', 0):,} in {side.era}" for side in sides)
    title = f"The longest window of the free scanner, in visits:\n{seen}"
    with drawing(8.6, 7.2, title) as figure:
        above, below = figure.subplots(2, 1)
        for side, ink in zip(sides, cycle(INKS), strict=False):
            counts = spread(side)
            edges = [2.0**doublings / side.recorded.rate for doublings in range(len(counts))]
            most = max(counts)
            first = next((number for number, count in enumerate(counts) if count), 1) - 1
            shown = slice(max(first, 0), None)
            line(above, edges[shown], [float(count) for count in counts[shown]], ink, steps=True)
            label(above, edges[counts.index(most)], most, side.era, ink, 4, 6)
            longest = [float(sample.length) for sample in side.recorded.by_visits]
            line(below, [1.0 + number for number in range(len(longest))], longest, ink)
            if longest:
                label(below, len(longest), longest[-1], side.era, ink, 6, 0)
        _axes(above, "us with interrupts off, on the twin", "stretches of the free scanner")
        above.set_xscale("log")
        plain_numbers(above)
        _axes(below, "round", "longest of a round, in visits")
        plain_numbers(below)
        files = rendered(figure)
    return {f"{NAME}.{kind}": content for kind, content in files.items()}


def spread(side: Side) -> list[int]:
    """How many stretches of the free scanner took so many doublings of the clock's tick.

    With none at the end.
    """
    buckets = side.recorded.buckets
    reached = [number for (part, number), count in buckets.items() if part == "free" and count]
    return [buckets["free", number] for number in range(max(reached, default=0) + 2)]


def _axes(axes: "Axes", xs: str, ys: str) -> None:
    axes.set_xlabel(xs)
    axes.set_ylabel(ys)
    axes.set_yscale("symlog", linthresh=1)
