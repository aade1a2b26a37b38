"""What holds of one cell whatever its threshold was and is, and of a CPU that is read out.

As contracts over all paths. CrossHair knows no literal types, so a mix is given by its number. Each
contract makes one step: that it holds for every state that the bound allows is what makes the bound
hold after any number of steps.
`most` is the largest threshold since the cell was last told or read out, `now` the one in force.
"""

from typing import get_args

from pagespec.era import ERAS
from pagespec.steps import run
from pagespec.vmstat.cell import Told, dec, exchange, inc, mod
from pagespec.vmstat.counters import boot_counters
from pagespec.vmstat.drift import Mix, kept_by_cell, kept_by_contexts, told_at_once
from pagespec.vmstat.machine import CountedZone, CounterMachine, Item
from pagespec.vmstat.refresh import refresh
from pagespec.vmstat.threshold import drift_mark, normal_threshold, pressure_threshold
from pagespec.watermark.marks import Marks

MIXES: tuple[Mix, ...] = get_args(Mix)


def changed(kind: int, way: int, diff: int, now: int, delta: int) -> Told:
    """What a change of a kind makes of the cell: by 0 mod, 1 inc, 2 dec; by way 0 plain, else 1."""
    by, lean = (delta, 0) if kind == 0 else (1, 1) if kind == 1 else (-1, -1)
    if way == 1:
        return exchange(diff, by, now, lean)
    return mod(diff, by, now) if kind == 0 else inc(diff, now) if kind == 1 else dec(diff, now)


def ways_agree_within(kind: int, diff: int, delta: int, now: int) -> bool:
    """Both ways do the same to a cell that is within its threshold.

    pre: 0 <= kind < 3 and now >= 0 and -now <= diff <= now
    post: _
    """
    return changed(kind, 0, diff, now, delta) == changed(kind, 1, diff, now, delta)


def ways_of_any_number_agree(diff: int, delta: int, now: int) -> bool:
    """A change by any number of pages looks at both ends either way, also after a threshold fell.

    pre: now >= 0
    post: _
    """
    return changed(0, 0, diff, now, delta) == changed(0, 1, diff, now, delta)


def ways_differ_beneath(up: bool, diff: int, now: int) -> bool:
    """They differ exactly where a step towards 0 leaves the cell beyond a threshold that fell.

    The plain way then tells nothing, the exchange all of it and half a threshold. diff: what the
    cell holds, with the other sign for a decrement.

    pre: now >= 0 and diff <= now
    post: _
    """
    kind, sign = (1, 1) if up else (2, -1)
    plain = changed(kind, 0, sign * diff, now, 0)
    exchanged = changed(kind, 1, sign * diff, now, 0)
    if diff + 1 >= -now:
        return plain == exchanged
    total, half = sign * (diff + 1), sign * (now // 2)
    return plain == Told(0, total) and exchanged == Told(total + half, -half)


def a_step_stays_in_range(
    mix: int, kind: int, way: int, diff: int, delta: int, now: int, most: int
) -> bool:
    """No change that a mix has leads a cell out of what its thresholds allow for that mix.

    What is told leaves a cell within the threshold in force, what is not one within the largest.

    pre: 0 <= mix < 4 and 0 <= kind < 3 and 0 <= way < 2 and mix in (0, kind + 1)
    pre: 0 <= now <= most
    post: _
    """
    was = kept_by_cell(most, MIXES[mix])
    if not was.least <= diff <= was.most:
        return True
    told, left = changed(kind, way, diff, now, delta)
    allowed = kept_by_cell(now, MIXES[mix]) if told else was
    return allowed.least <= left <= allowed.most


def an_update_takes_out_so_much(
    kind: int, way: int, diff: int, delta: int, now: int, most: int
) -> bool:
    """No update takes more out of its cell than its bound.

    pre: 0 <= kind < 3 and 0 <= way < 2 and 0 <= now <= most and -most <= diff <= most
    post: _
    """
    told = changed(kind, way, diff, now, delta)
    size = 1 if kind else abs(delta)
    return abs(told.pages) <= told_at_once(most, size)


def an_update_alone_keeps_so_much(
    kind: int, way: int, diff: int, delta: int, now: int, most: int
) -> bool:
    """What an update leaves and has taken out is within the bound of a context that is alone.

    pre: 0 <= kind < 3 and 0 <= way < 2 and 0 <= now <= most and -most <= diff <= most
    pre: kind > 0 or delta != 0
    post: _
    """
    told = changed(kind, way, diff, now, delta)
    size = 1 if kind else abs(delta)
    return abs(told.pages + told.left) <= kept_by_contexts(most, 1, size)


def pressure_is_below_normal(cpus: int, pages: int, low: int, least: int, high: int) -> bool:
    """Where a zone has a drift mark that fits its marks, waking kswapd lowers the threshold.

    pre: 1 <= cpus <= 8192 and 0 <= pages <= 2**40 and 0 <= least <= low <= high
    post: _
    """
    marks, normal = Marks(least, low, high), normal_threshold(cpus, pages)
    if drift_mark(cpus, normal, marks) == 0:
        return True
    return pressure_threshold(cpus, marks) < normal


READ_OUT = CounterMachine(ERAS["6.1"], cpus=(0, 1), zones=(CountedZone(0, 64), CountedZone(1, 64)))
"""Two zones with a CPU each; the first two counters are of their free frames."""


def a_read_out_tells_all(near: int, far: int, others: int, told: int) -> bool:
    """A CPU that is read out keeps nothing, and zones and the sum are told no more and no less.

    near, far: what it keeps of the free frames of either zone. others: what the other CPU keeps,
    which stays. told: what the zones have been told of.

    post: _
    """
    counters = boot_counters(READ_OUT)
    counters.told[:2] = told, told
    counters.totals[Item.FREE] = 2 * told
    for cpu, cells in enumerate(([near, far], [others, others])):
        counters.cells[cpu][:2] = cells
    cells_told = run(refresh(counters, 0))
    return (
        counters.cells[0][:2] == [0, 0]
        and counters.cells[1][:2] == [others, others]
        and counters.told[:2] == [told + near, told + far]
        and counters.totals[Item.FREE] == 2 * told + near + far
        and cells_told == (near != 0) + (far != 0)
    )
