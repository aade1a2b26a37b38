"""The least that a zone can hold in truth when a check of its count passes, in closed form.

Each sum here is held against every state that small machines reach, and found to be reached there:
no smaller promise would be true, and no larger one is.
"""

from pagespec.frames import SIZES
from pagespec.types import Order


def needed(mark: int, order: Order) -> int:
    """The fewest free frames that pass a mark exactly, for a block of that order."""
    return mark + SIZES[order]


def least_passed(
    least: int, drift_mark: int, *, kept: int, unseen: int = 0, misread: int = 0
) -> int:
    """The fewest frames that are free in truth when the check passes.

    least: what passes exactly. drift_mark: from which count on nobody looks closely; 0 where nobody
    ever does. kept: the most that the CPUs keep back. unseen: the most that updates under way have
    yet to tell. misread: by how much, because of these, even a close look is too high.

    >>> least_passed(10078, 26093, kept=14000), least_passed(10078, 0, kept=14000)
    (10078, 0)
    """
    cheaply = max(least, drift_mark) - kept - unseen
    closely = least - misread if drift_mark else least
    return max(0, min(cheaply, closely))


def mark_covers(gap: int, order: Order) -> bool:
    """Whether a drift mark that stands lets nothing pass that is too low for a block of the order.

    It keeps the zone at its high mark, no more: so `gap`, from the mark that is asked for up to the
    high one, must be larger than what the block takes beside its first frame.

    >>> mark_covers(0, 0), mark_covers(1, 0), mark_covers(128, 7), mark_covers(128, 8)
    (False, True, True, False)
    """
    return gap >= SIZES[order]
