"""Whether buddyinfo holds as many frames as zoneinfo counts free: VM-drift.

The one walks the lists, the other has what CPUs have told. So they differ by what all CPUs keep,
at most a threshold each. But a zone's threshold can be up to 125 while kswapd is awake, and what a
CPU keeps stays when it falls.

The files are not read at once: where buddyinfo itself changed meanwhile, or was read only once, a
larger difference says nothing.
Source: mm/vmstat.c, 2.6.37 to 6.12; measured, docs/traces.md.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from pagefuzz.kernel.pagetypeinfo import Columns
from pagefuzz.kernel.zoneinfo import ZoneInfo
from pagespec.frames import SIZES
from pagespec.vmstat.drift import kept_by_cpus
from pagespec.vmstat.threshold import MOST


class Outcome(StrEnum):
    """How the lists compare with the count."""

    EQUAL = "equal"
    KEPT = "within a threshold for each CPU"
    PRESSURE = f"within {MOST} for each CPU, as while kswapd is awake"
    MOVED = "changed while it was read"
    BEYOND = "unexplained"


class Drift(NamedTuple):
    """The outcome, by how many frames the lists have more than was told, and what CPUs may keep."""

    outcome: Outcome
    frames: int
    most: int


def frames_in(columns: Columns) -> int:
    """How many frames a line of buddyinfo has."""
    return sum(blocks * SIZES[order] for order, blocks in enumerate(columns))


def judge_free(zone: ZoneInfo, columns: Sequence[Columns], threshold: int, *, awoke: bool) -> Drift:
    """Compare a zone's count of free frames with the lists, which were read before and after it.

    threshold: the largest that the zone was seen to have. awoke: whether kswapd may have been
    awake.
    """
    told = zone.amounts["nr_free_pages"]
    held = [frames_in(each) for each in columns]
    nearest = min(max(told, min(held)), max(held))  # what lies between the two readings is right
    cpus, most = len(zone.pagesets), MOST if awoke else threshold
    kept, bound = (kept_by_cpus([each] * cpus).most for each in (threshold, most))
    away = abs(nearest - told)
    if away <= kept:
        same = all(each == told for each in held)
        return Drift(Outcome.EQUAL if same else Outcome.KEPT, nearest - told, kept)
    if away <= bound:
        return Drift(Outcome.PRESSURE, nearest - told, bound)
    still = len(held) > 1 and len({*held}) == 1
    return Drift(Outcome.BEYOND if still else Outcome.MOVED, nearest - told, bound)
