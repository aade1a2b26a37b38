"""Why a drift mark holds for any number of CPUs, as contracts that CrossHair follows on all paths.

A zone at rest is three numbers: what it has been told, what all CPUs keep, and the most that they
may keep, the drift. That a change leaves each cell within its threshold is a condition of `cell`;
that the sum then stays within the drift follows CPU by CPU from the first lemma here. So the rest
need not speak of CPUs.
"""

from pagefuzz.prove.soundness.bound import least_passed, mark_covers, needed
from pagespec.types import Order
from pagespec.vmstat.threshold import drift_mark
from pagespec.watermark.check import free_for
from pagespec.watermark.marks import Marks


def one_more_cpu_adds_its_threshold(kept: int, drift: int, cell: int, threshold: int) -> bool:
    """What many CPUs keep is within the drift, with one CPU more as well.

    pre: -drift <= kept <= drift and -threshold <= cell <= threshold
    post: _
    """
    return -(drift + threshold) <= kept + cell <= drift + threshold


def passes(told: int, kept: int, drift_mark_at: int, mark: int, order: Order) -> bool:
    """The check by whoever looks closely below the drift mark."""
    cheap = max(0, told)
    free = max(0, told + kept) if cheap < drift_mark_at else cheap
    return free_for(free, order, 0) > mark


def nothing_passes_below_what_is_promised(
    told: int, kept: int, drift: int, drift_mark_at: int, mark: int, order: Order
) -> bool:
    """Whatever the drift mark, old or of other marks, a zone that passes has what is promised.

    pre: 0 <= order <= 10 and mark >= 0 and drift_mark_at >= 0
    pre: -drift <= kept <= drift and told + kept >= 0
    post: _
    """
    least = least_passed(needed(mark, order), drift_mark_at, kept=drift)
    return not passes(told, kept, drift_mark_at, mark, order) or told + kept >= least


def a_mark_that_stands_is_sound(
    told: int, kept: int, drift: int, marks: Marks, low: bool, order: Order
) -> bool:
    """Where the drift mark is due and set, nothing passes that the exact check fails.

    That is, for a mark below high, by as much as the block takes.

    low: whether low is asked for, not min.

    pre: 0 <= order <= 10 and 0 <= marks.min <= marks.low <= marks.high
    pre: drift > marks.low - marks.min
    pre: -drift <= kept <= drift and told + kept >= 0
    post: _
    """
    mark = marks.low if low else marks.min
    covered = mark_covers(marks.high - mark, order)
    passed = passes(told, kept, drift_mark(1, drift, marks), mark, order)
    return not (covered and passed) or told + kept >= needed(mark, order)


def a_count_at_the_mark_is_high_in_truth(told: int, kept: int, drift: int, marks: Marks) -> bool:
    """From a drift mark that stands upwards, the zone is at high or above, not always above it.

    pre: 0 <= marks.min <= marks.low <= marks.high
    pre: drift > marks.low - marks.min
    pre: -drift <= kept <= drift
    post: _
    """
    return told < drift_mark(1, drift, marks) or told + kept >= marks.high


def where_no_mark_is_due_low_keeps_above_min(
    told: int, kept: int, drift: int, marks: Marks
) -> bool:
    """Whoever passes low for one frame, however cheaply, leaves the zone at min or above.

    So it is while kswapd is awake as well, if there is a frame for each CPU between min and low.

    pre: 0 <= marks.min <= marks.low <= marks.high
    pre: 0 <= drift <= marks.low - marks.min
    pre: -drift <= kept <= drift and told + kept >= 0
    post: _
    """
    return not passes(told, kept, 0, marks.low, 0) or told + kept >= needed(marks.min, 0)
