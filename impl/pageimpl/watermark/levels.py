"""A zone's marks as they stand, written into its memory: the twin of the spec's `watermark.levels`.

Plain Python: it runs once for each zone, before boot.
"""

from collections.abc import Sequence

from pageimpl.era import (
    BOOSTS,
    ORDER_CHECKS,
    RIGHTS_RULES,
    SHORTCUTS,
    SPARES_URGENT,
    WAKES_UNBOOSTED,
)
from pageimpl.memory import (
    Memory,
    set_boosts,
    set_classes,
    set_drains_on_failure,
    set_lowmem_reserve,
    set_mark,
    set_marked,
    set_order_check,
    set_rights_rule,
    set_shortcut,
    set_tries_high_first,
)
from pageimpl.watermark.marks import Marks
from pagespec.era import Era

# The numbers of the marks; the first one of none, for requests that are held to no mark.
NO_MARK = -1
MARK_MIN = 0
MARK_LOW = 1
MARK_HIGH = 2


def write_levels(memory: Memory, era: Era, marks: Marks, reserve: Sequence[int]) -> None:
    """Give the zone marks.

    reserve: what it keeps from requests of each class of zones, in frames.
    """
    set_marked(memory, 1)
    for level, mark in enumerate(marks):
        set_mark(memory, level, mark)
    set_classes(memory, len(reserve))
    for number, pages in enumerate(reserve):
        set_lowmem_reserve(memory, number, pages)
    set_rights_rule(memory, RIGHTS_RULES[era.rights])
    set_order_check(memory, ORDER_CHECKS[era.order_check])
    set_shortcut(memory, SHORTCUTS[era.shortcut])
    kinds = WAKES_UNBOOSTED * era.wakes_unboosted | SPARES_URGENT * era.spares_urgent
    set_boosts(memory, BOOSTS * era.boosts | kinds)
    set_tries_high_first(memory, era.tries_high_first)
    set_drains_on_failure(memory, era.drains_on_failure)
