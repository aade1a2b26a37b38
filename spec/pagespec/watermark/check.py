"""May the zone serve the request, or would it fall below a mark?

The cheap question compares the count of free frames with a mark. For larger blocks the count says
little: until 4.3 the frames that lie in smaller blocks were left out order by order, and since then
one look at the lists decides.

Source: mm/page_alloc.c (__zone_watermark_ok, zone_watermark_fast), 2.6.11 to 6.12.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from pagespec.frames import SIZES
from pagespec.types import Order


class Rights(NamedTuple):
    """How much of the minimum a request may use.

    high: it is urgent (__GFP_HIGH). harder: it cannot wait. oom: it is made by a victim of the OOM
    killer.
    """

    high: bool = False
    harder: bool = False
    oom: bool = False


NO_RIGHTS = Rights()

RightsRule: TypeAlias = Literal["halves-down", "quarter-after", "oom-instead", "harder-needs-high"]
"""What rights lower the minimum by: in 2.6.9, until 4.13, until 6.2, and since."""


def lowered(mark: int, rights: Rights, rule: RightsRule) -> int:
    """The mark that a request with rights must pass.

    >>> [lowered(1025, Rights(high=True, harder=harder), "oom-instead") for harder in (False, True)]
    [513, 385]
    >>> [lowered(1025, Rights(harder=True), rule) for rule in ("oom-instead", "harder-needs-high")]
    [769, 1025]
    """
    if rights.high:
        mark = mark // 2 if rule == "halves-down" else mark - mark // 2
    oom = rights.oom and rule in ("oom-instead", "harder-needs-high")
    harder = rights.harder and (rights.high if rule == "harder-needs-high" else not oom)
    if harder:
        mark -= mark // 4
    if oom:
        mark -= mark // 2
    return mark


def free_for(free: int, order: Order, unusable: int) -> int:
    """The free frames that would be left for the request, its own first frame included.

    unusable: frames of the reserve and of CMA memory that it may not have.

    pre: 0 <= order <= 15
    pre: unusable >= 0
    post: __return__ <= free
    """
    return free - (SIZES[order] - 1) - unusable


def has_order_by_counts(free: int, mark: int, order: Order, nr_free: Sequence[int]) -> bool:
    """Until 4.3: whether enough is left at each order below, against a mark that halves each time.

    free: as `free_for` gives it. A fragmented zone so fails long before it is empty, and may also
    fail with a suitable block free.

    >>> has_order_by_counts(100, 50, 2, [40, 10])
    True
    >>> has_order_by_counts(100, 50, 2, [80, 0])
    False
    """
    for smaller in range(order):
        free -= nr_free[smaller] * SIZES[smaller]
        mark //= 2
        if free <= mark:
            return False
    return True


def passes_fast(free: int, unusable: int, mark: int, reserve: int, *, wraps: bool) -> bool:
    """The shortcut for single frames (4.7): no rights are weighed, and most requests pass.

    wraps: until 5.15 the difference was unsigned, so that a count below what is unusable passed as
    a huge one; since 6.0 it stops at 0.

    pre: unusable >= 0 and mark >= 0 and reserve >= 0
    post: __return__ == (free - unusable > mark + reserve or (wraps and free < unusable))
    """
    left = free - unusable
    if left < 0:
        return wraps
    return left > mark + reserve
