"""How far a counter may be from the truth, and how often a CPU tells: both follow from thresholds.

The truth is what the zone has been told, what the CPUs keep in their cells, and what updates have
taken out of a cell but not told yet. What is kept back is therefore all there is to bound.

A threshold means here the largest one in force since the cell was last within one: what a cell
holds stays when the threshold falls beneath it, until it is told or read out or gets back within by
itself. An update that has told but not written its cell counts from its begin, and with updates
under way it is the largest since the cell was within one before the oldest of them.

All bounds are tight, upwards as well as downwards: for each there is a sequence of updates that
reaches it, as long as some of them change the counter by one.
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

    Beyond the threshold in force a change leaves nothing, or half of that threshold with the
    opposite sign; else it leaves no more than the threshold, or goes back towards 0. So no change
    leads out of the range. Increments alone get below 0 only by what one of them leaves behind.

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

    No cell depends on another one, so that all of them can be at the end of their range at once.
    thresholds: one for each CPU and zone, each the largest since that cell was last within one.

    >>> kept_by_cpus([125] * 112)
    Range(least=-14000, most=14000)
    """
    cells = [kept_by_cell(threshold, mix) for threshold in thresholds]
    return Range(sum(cell.least for cell in cells), sum(cell.most for cell in cells))


def told_at_once(threshold: int, delta: int) -> int:
    """The most that one update has taken out of its cell and not told yet.

    That is what a full cell holds, and the change. delta: the size of its change; a change of 1 may
    be an increment or decrement, which tells half a threshold more. One of 0 tells something only
    if the threshold has fallen.

    pre: threshold >= 0 and delta >= 0
    post: __return__ > threshold or delta == 0
    """
    return threshold + (1 + threshold // 2 if delta == 1 else delta)


def missed_closely(threshold: int, deltas: Sequence[int]) -> int:
    """The most that a close look at every cell is off by, with updates of those sizes under way.

    It adds up all that is told and all that the cells hold, and misses what is in neither. Of an
    update with interrupts off it sees too much instead, from when the zone is told until the cell
    is written: of an increment all that is told, of any other change what the cell held before.

    >>> missed_closely(20, []), missed_closely(20, [1, 1, 512])
    (0, 594)
    """
    return sum(told_at_once(threshold, delta) for delta in deltas)


def kept_with_updates(threshold: int, deltas: Sequence[int]) -> int:
    """The most that one CPU keeps in its cell and in updates of those sizes that are under way.

    Tasks can be preempted and interrupts can nest between the cell and the zone, so there may be
    any number on one CPU; meanwhile others come, fill the cell again and are gone.

    >>> kept_with_updates(20, []), kept_with_updates(20, [1]), kept_with_updates(1, [1, 1])
    (20, 51, 5)
    """
    return threshold + missed_closely(threshold, deltas)


def kept_by_contexts(threshold: int, contexts: int, delta: int) -> int:
    """The most that one CPU keeps if no more than so many tasks and interrupts change the counter.

    Then nobody is left to fill the cell once all of them are under way: what the last of them
    leaves and what it has taken out make up what the cell held before, and its change. So with one
    context, which nothing interrupts, it is a full cell and the change. Nothing may read the cell
    out meanwhile: that would tell the half threshold that is left behind.

    contexts: how many there are, at least 1. delta: the largest size of a change.

    >>> [kept_by_contexts(20, contexts, 1) for contexts in (1, 2, 3)], kept_by_contexts(1, 2, 1)
    ([21, 52, 83], 4)

    pre: threshold >= 0 and contexts >= 1 and delta >= 1
    post: contexts > 1 or __return__ == threshold + delta
    post: __return__ >= contexts * (threshold + delta)
    """
    others = max(told_at_once(threshold, 1), told_at_once(threshold, delta))
    return (contexts - 1) * others + threshold + delta


def kept_by_refresh(thresholds: Sequence[int]) -> int:
    """What a CPU that reads its cells out adds to how far the sum over all zones may be off.

    It tells each zone at once and the sum at the end, while the cells fill again. So for the sum
    this comes on top of what the CPU's cells keep and its updates have taken out; for each zone it
    adds nothing. Several at once, such as one that interrupts the other, add as much each.

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
