"""Whether a cell of a width holds what it must: CrossHair's integers have no width.

An increment or decrement writes the cell before it looks whether that is beyond the threshold, so
the cell must hold one more for a moment. All other changes add in a wide register and write only
what is left.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from pagespec.laws.law import LawBroken
from pagespec.vmstat.cell import (
    WIDTHS,
    Told,
    Width,
    dec,
    exchange,
    inc,
    inc_without_overstep,
    mod,
)

AMOUNTS = (1, 2, 125, 126, 251, 512, 2**31 - 1)
"""Pages that are added, or taken away, in one change."""


def held(value: int, width: Width) -> int:
    """What a cell of that width makes of a value."""
    least, most = WIDTHS[width]
    return (value - least) % (most - least + 1) + least


def stepped(diff: int, by: int, threshold: int, width: Width) -> Told:
    """An increment or decrement of a cell that has a width, and a half threshold only with a sign.

    >>> stepped(126, 1, 126, "s8"), stepped(127, 1, 127, "s8"), inc(127, 127)
    (Told(pages=190, left=-63), Told(pages=0, left=-128), Told(pages=191, left=-63))
    """
    cell = held(diff + by, width)
    if by * cell <= threshold:
        return Told(0, cell)
    half = 0 if width == "u16" else by * (threshold // 2)
    return Told(cell + half, held(-half, width))


STEPS: dict[Width, dict[int, Callable[[int, int], Told]]] = {
    "s8": {1: inc, -1: dec},
    "s16": {1: inc, -1: dec},
    "u16": {1: inc_without_overstep},
}
"""The steps that a counter with such cells takes, without a width."""


def others(diff: int, threshold: int) -> Iterator[int]:
    """What all other changes leave of a cell."""
    for by in (*AMOUNTS, *(-by for by in AMOUNTS)):
        yield mod(diff, by, threshold).left
        yield exchange(diff, by, threshold, 0).left
    yield exchange(diff, 1, threshold, 1).left
    yield exchange(diff, -1, threshold, -1).left


class WidthDomain(NamedTuple):
    """Cells of a width and thresholds: each with whatever any of them allows the cell to hold."""

    width: Width
    thresholds: range

    def diffs(self, threshold: int) -> range:
        """What a cell holds that is within a threshold."""
        least, _ = WIDTHS[self.width]
        return range(-threshold if least else 0, threshold + 1)

    def counts(self) -> dict[str, tuple[int, ...]]:
        """How many cases there are, and how large a threshold could be.

        largest: so that one step fits before the cell is looked at. twice: so that two do, the
        second by an interrupt that comes between the first and its look.
        Raises LawBroken for a case in which the width shows.
        """
        diffs = self.diffs(self.thresholds[-1])
        cases = sum(
            self._check_steps(threshold, diffs, (1,)) + self._check_others(threshold, diffs)
            for threshold in self.thresholds
        )
        return {
            "cases": (cases,),
            "largest": (self._largest((1,)),),
            "twice": (self._largest((1, 2)),),
        }

    def _check_steps(self, threshold: int, diffs: range, times: tuple[int, ...]) -> int:
        """Steps are as without a width, also where so many fall together before the look."""
        width = self.width
        for diff in diffs:
            for by, wide in STEPS[width].items():
                due, got = wide(diff, threshold), stepped(diff, by, threshold, width)
                if due != got:
                    raise LawBroken("VM-width", f"{diff} and {by} beyond {threshold}: {got}")
                for sums in (diff + n * by for n in times):
                    if held(sums, width) != sums:
                        raise LawBroken("VM-width", f"{sums} is {held(sums, width)} in {width}")
        return len(diffs) * len(STEPS[width])

    def _check_others(self, threshold: int, diffs: range) -> int:
        """What other changes leave fits the width."""
        if self.width == "u16":
            return 0
        least, most = WIDTHS[self.width]
        cases = 0
        for diff in diffs:
            for left in others(diff, threshold):
                if not least <= left <= most:
                    raise LawBroken("VM-width", f"{left} is left of {diff} beyond {threshold}")
                cases += 1
        return cases

    def _largest(self, times: tuple[int, ...]) -> int:
        """The largest threshold with which steps are as they should be, upwards from those here."""
        threshold = self.thresholds[-1]
        try:
            while True:
                self._check_steps(threshold, self.diffs(threshold), times)
                threshold += 1
        except LawBroken:
            return threshold - 1

    def __str__(self) -> str:
        low, high = self.thresholds[0], self.thresholds[-1]
        return f"width {self.width} thresholds {low}..{high}"


WIDTH_DOMAINS = (
    WidthDomain("s8", range(126)),
    WidthDomain("s16", range(32765, 32766)),
    WidthDomain("u16", range(65533, 65534)),
)
"""The cells of zones and nodes, those of the draft, and those of NUMA statistics from 4.14 on."""
