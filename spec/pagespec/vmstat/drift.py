"""How far a counter may be from the truth, and how often a CPU tells: both follow from thresholds.

The truth is what the zone has been told, what the CPUs keep in their cells, and what updates have
taken out of a cell but not told yet. What is kept back is therefore all there is to bound.

All bounds are tight: for each there is a sequence of updates that reaches it.
Source: derived from the rules of `cell`.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

Mix: TypeAlias = Literal["any", "mod", "inc", "dec"]
"""What updates a counter gets: of all kinds, or of one kind alone."""


class Range(NamedTuple):
    """The least and the most that the truth can be above what has been told, in pages."""

    least: int
    most: int


def kept_by_cell(threshold: int, mix: Mix) -> Range:
    """What one CPU keeps when none of its updates is under way.

    threshold: the largest one in force since the cell was last told or read out: what a cell holds
    stays when the threshold falls beneath it.

    >>> kept_by_cell(20, "any"), kept_by_cell(20, "inc")
    (Range(least=-20, most=20), Range(least=-10, most=20))
    """
    half = threshold // 2
    return Range(
        -half if mix == "inc" else -threshold,
        half if mix == "dec" else threshold,
    )


def kept_by_cpus(thresholds: Sequence[int], mix: Mix = "any") -> Range:
    """What all CPUs keep of one counter of one zone, or of several zones' sum, at rest.

    thresholds: one for each CPU and zone, each the largest one since that cell was last told.

    >>> kept_by_cpus([125] * 112)
    Range(least=-14000, most=14000)
    """
    cells = [kept_by_cell(threshold, mix) for threshold in thresholds]
    return Range(sum(cell.least for cell in cells), sum(cell.most for cell in cells))


def told_at_once(threshold: int, delta: int) -> int:
    """The most that one update has taken out of its cell and not told yet.

    delta: the size of its change; an increment or decrement is a change of 1 with an overstep.

    pre: threshold >= 0 and delta >= 0
    post: __return__ > threshold or delta == 0
    """
    return threshold + (1 + threshold // 2 if delta == 1 else delta)


def kept_with_updates(threshold: int, deltas: Sequence[int]) -> int:
    """The most that one CPU keeps in its cell and in updates of those sizes that are under way.

    Tasks can be preempted and interrupts can nest between the cell and the zone, so there may be
    any number on one CPU; meanwhile others go on with the cell and fill it again.

    >>> kept_with_updates(20, []), kept_with_updates(20, [1]), kept_with_updates(1, [1, 1])
    (20, 51, 5)
    """
    return threshold + sum(told_at_once(threshold, delta) for delta in deltas)


def kept_by_refresh(thresholds: Sequence[int]) -> int:
    """What a CPU that reads its cells out adds to how far the sum over all zones may be off.

    It tells each zone at once and the sum at the end, while the cells fill again.
    thresholds: one for each zone.
    """
    return sum(thresholds)


def updates_a_fold(threshold: int, step: int, *, overstep: bool, both_ways: bool) -> int:
    """How many updates a CPU makes, on average and in the long run, until it tells the zone.

    This stands for how often a cache line that all CPUs share changes its owner.
    step: by how much an update changes the counter. overstep: whether updates by 1 leave half a
    threshold behind. both_ways: whether each update goes up or down by the toss of a coin; else all
    go the same way. A coin takes the square of the way: a walk that starts at 0 leaves the span
    from -a to b after a * b steps on average.

    >>> [updates_a_fold(125, 1, overstep=True, both_ways=both) for both in (False, True)]
    [188, 12032]
    >>> updates_a_fold(125, 31, overstep=False, both_ways=False)
    5

    pre: threshold >= 0 and step >= 1
    post: 1 <= __return__
    """
    way = threshold // step + 1
    left = threshold // 2 if overstep and step == 1 else 0
    return (way + left) * (way - left) if both_ways else way + left
