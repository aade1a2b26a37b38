"""One cell: what a CPU has counted and not told yet, and what a change makes of it.

A CPU that adds to a counter adds to a cell of its own, and tells the zone only when the cell goes
beyond a threshold. Counters that mostly grow then leave half a threshold behind with the opposite
sign, so that the next telling is further away.

There are two ways to change a cell. The plain one is for callers that no interrupt can disturb: it
tells first and writes the cell last. The other one exchanges the cell in one instruction and tells
afterwards; it looks at both ends of the cell's range, whichever way it goes.

All sums here are of unlimited width. What is left fits the cell's width as long as the threshold
keeps a margin of one.
Source: mm/vmstat.c (__mod_zone_page_state, __inc_zone_state, __dec_zone_state, mod_zone_state,
__inc_numa_state), 2.6.24 to 6.12.
"""

from typing import Literal, NamedTuple, TypeAlias


class Told(NamedTuple):
    """What a change tells the zone, 0 for nothing, and what is left in the CPU's cell."""

    pages: int
    left: int


Width: TypeAlias = Literal["s8", "s16", "u16", "long"]

WIDTHS: dict[Width, tuple[int, int]] = {
    "s8": (-(2**7), 2**7 - 1),
    "s16": (-(2**15), 2**15 - 1),
    "u16": (0, 2**16 - 1),
    "long": (0, 2**64 - 1),
}
"""The least and the largest value of a cell of each width."""


def mod(diff: int, delta: int, threshold: int) -> Told:
    """Add to the cell; beyond the threshold, tell all of it.

    >>> mod(15, 5, 20), mod(15, 6, 20), mod(-1, 512, 125)
    (Told(pages=0, left=20), Told(pages=21, left=0), Told(pages=511, left=0))

    pre: threshold >= 0
    post: __return__.pages + __return__.left == diff + delta
    post: -threshold <= __return__.left <= threshold
    post: __return__.pages == 0 or __return__.left == 0
    """
    total = diff + delta
    return Told(total, 0) if not -threshold <= total <= threshold else Told(0, total)


def inc(diff: int, threshold: int) -> Told:
    """Add one; beyond the threshold, tell all of it and half a threshold more.

    >>> inc(19, 20), inc(20, 20)
    (Told(pages=0, left=20), Told(pages=31, left=-10))

    pre: threshold >= 0
    post: __return__.pages + __return__.left == diff + 1
    post: __return__.left <= threshold
    post: __return__.pages in (0, max(diff, threshold) + 1 + threshold // 2)
    """
    total = diff + 1
    if total <= threshold:
        return Told(0, total)
    overstep = threshold // 2
    return Told(total + overstep, -overstep)


def dec(diff: int, threshold: int) -> Told:
    """Take one away; beyond the threshold below 0, tell all of it and half a threshold more.

    >>> dec(-19, 20), dec(-20, 20)
    (Told(pages=0, left=-20), Told(pages=-31, left=10))

    pre: threshold >= 0
    post: __return__.pages + __return__.left == diff - 1
    post: -threshold <= __return__.left
    post: __return__.pages in (0, min(diff, -threshold) - 1 - threshold // 2)
    """
    total = diff - 1
    if total >= -threshold:
        return Told(0, total)
    overstep = threshold // 2
    return Told(total - overstep, overstep)


def exchange(diff: int, delta: int, threshold: int, lean: int) -> Told:
    """Add to the cell in one exchange; beyond the threshold, tell all of it and what it leans to.

    lean: 0 for no more than there is, 1 or -1 for half a threshold above or below. Only here does
    a change towards 0 tell as well, if the threshold was lowered beneath what the cell held.

    >>> exchange(20, 1, 20, 1), exchange(-20, 1, 5, 1), inc(-20, 5)
    (Told(pages=31, left=-10), Told(pages=-17, left=-2), Told(pages=0, left=-19))

    pre: threshold >= 0
    pre: lean in (-1, 0, 1)
    post: __return__.pages + __return__.left == diff + delta
    post: -threshold <= __return__.left <= threshold
    """
    total = diff + delta
    if -threshold <= total <= threshold:
        return Told(0, total)
    overstep = lean * (threshold // 2)
    return Told(total + overstep, -overstep)


def inc_without_overstep(diff: int, threshold: int) -> Told:
    """Add one; beyond the threshold, tell all of it: how a cell without a sign must count.

    >>> inc_without_overstep(65532, 65533), inc_without_overstep(65533, 65533)
    (Told(pages=0, left=65533), Told(pages=65534, left=0))

    pre: threshold >= 0
    pre: 0 <= diff <= threshold
    post: __return__.pages + __return__.left == diff + 1
    post: 0 <= __return__.left <= threshold
    """
    total = diff + 1
    return Told(total, 0) if total > threshold else Told(0, total)
