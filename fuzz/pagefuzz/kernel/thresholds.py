"""Why a zone's counters have the threshold that zoneinfo prints: VM-threshold.

The formula says which one, from the CPUs that run and the frames that the zone manages. Two others
are explained. While kswapd is awake a zone with a drift mark has one that follows from its marks;
no file prints the drift mark. And thresholds are set before boot frees its own code and the first
file system, which nobody tells them: such a zone has the threshold of a slightly smaller one, until
a CPU comes or goes, memory is added, or kswapd falls asleep where there is a drift mark.

Source: mm/vmstat.c (refresh_zone_stat_thresholds, set_pgdat_percpu_threshold), 2.6.39 to 6.12;
init/main.c (kernel_init_freeable), 4.10 to 6.12; measured, docs/traces.md.
"""

from enum import StrEnum
from typing import NamedTuple

from pagefuzz.kernel.pagetypeinfo import ZoneName
from pagefuzz.kernel.zoneinfo import ZoneInfo
from pagespec.vmstat.threshold import (
    UNIT_PAGES,
    drift_mark,
    normal_threshold,
    pressure_threshold,
)
from pagespec.watermark.marks import Marks

LATE_SHARE = 8
"""Boot frees at most one in so many of a zone's frames after thresholds are set."""

_MIB_PAGES = 256


class Why(StrEnum):
    """What explains a threshold."""

    FORMULA = "the formula"
    PRESSURE = "kswapd may be awake"
    STALE = "stale"
    NOTHING = "unexplained"


class Threshold(NamedTuple):
    """A zone's threshold: what it follows from, what is printed, what the formula says, and why.

    seen: each that some CPU has; one, if all is well. behind: frames that the zone has got since a
    stale one was set, at least.
    """

    zone: ZoneName
    cpus: int
    managed: int
    seen: tuple[int, ...]
    computed: int
    why: Why
    behind: int = 0

    @property
    def printed(self) -> str:
        """What zoneinfo has."""
        return " and ".join(map(str, self.seen))

    @property
    def shown(self) -> str:
        """The explanation in words."""
        if self.why is not Why.STALE:
            return str(self.why)
        at = self.managed - self.behind
        return (
            f"{self.why}: right for {at} frames, {self.behind} ({self.behind / _MIB_PAGES:.1f} MiB)"
            " less; boot freed these later"
        )


def judge_threshold(zone: ZoneInfo, before: Threshold | None = None) -> Threshold | None:
    """Explain a zone's threshold, or return None where there is none to explain.

    before: the same zone in the run's last reading. What was set anew since boot is not stale.
    """
    seen = tuple(
        sorted({cpu.threshold for cpu in zone.pagesets.values() if cpu.threshold is not None})
    )
    if not seen:
        return None
    cpus, managed = len(zone.pagesets), zone.managed
    computed = normal_threshold(cpus, managed)
    found = Threshold(zone.name, cpus, managed, seen, computed, Why.NOTHING)
    if seen == (computed,):
        return found._replace(why=Why.FORMULA)
    if len(seen) > 1:
        return found
    behind = frames_behind(cpus, managed, seen[0])
    untouched = before is None or (before.cpus, before.seen) == (cpus, seen)
    if behind is not None and untouched:
        return found._replace(why=Why.STALE, behind=behind)
    marks = Marks(*(zone.amounts[word] for word in ("min", "low", "high")))
    if may_be_marked(cpus, computed, marks) and seen == (pressure_threshold(cpus, marks),):
        return found._replace(why=Why.PRESSURE)
    return found


def frames_behind(cpus: int, managed: int, threshold: int) -> int | None:
    """The fewest frames without which a zone has that threshold, or None if these are too many.

    >>> frames_behind(2, 34151, 4), frames_behind(2, 34151, 8), frames_behind(2, 65535, 4)
    (1384, None, None)
    """
    size = (managed // UNIT_PAGES).bit_length()  # of the count of units, which the formula takes
    for smaller in range(size):
        most = (UNIT_PAGES << size - 1 - smaller) - 1
        if managed - most > managed // LATE_SHARE:
            return None
        if normal_threshold(cpus, most) == threshold:
            return managed - most
    return None


def may_be_marked(cpus: int, threshold: int, marks: Marks) -> bool:
    """Whether the zone may have a drift mark.

    If the marks of now make none, an earlier one may stand: it is never taken away, and each CPU
    that comes up while boot has not set any marks yet leaves one, since their gap is 0 then. The
    first CPU does not.
    """
    return cpus > 1 or drift_mark(cpus, threshold, marks) > 0
