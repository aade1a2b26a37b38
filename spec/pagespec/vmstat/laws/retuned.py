"""Laws about what is set: what thresholds and marks follow, and what leaves them as they were."""

from pagespec.laws.law import Complaint, LawBook
from pagespec.vmstat.laws.step import CounterStep
from pagespec.vmstat.laws.wording import wording

SETTING_LAWS: LawBook[CounterStep] = LawBook()


@SETTING_LAWS.law(
    "VM-settings", source="mm/page_alloc.c, __setup_per_zone_wmarks; mm/vmscan.c, kswapd, to 6.12"
)
def as_set(step: CounterStep) -> Complaint:
    """CPUs, sizes, marks, who reclaims, and the switch of statistics are as requests have set them.

    Marks follow min_free_kbytes and the zones' sizes, but not when boot frees its own code late.
    All that follows from these would be computed from something else.
    """
    counters, settings = step.after, step.book.settings
    for name in ("running", "min_free", "pages", "marks", "reclaiming", "numa_on"):
        got, due = getattr(counters, name), getattr(settings, name)
        if got != due:
            return f"after {wording(step.op)} {name} is {got}, expected {due}"
    return None


@SETTING_LAWS.law(
    "VM-threshold",
    source="mm/vmstat.c, refresh_zone_stat_thresholds and set_pgdat_percpu_threshold, to 6.12",
)
def thresholds(step: CounterStep) -> Complaint:
    """Thresholds follow the formula when CPUs come or go, or memory does, and at no other time.

    The latter since 4.9. While kswapd is awake a zone with a drift mark has one by which all CPUs
    keep back no more than the low mark is above the lowest: since 2.6.39, and until a CPU comes or
    goes. A node has the largest normal one of its zones. Too low a threshold shares a cache line
    for nothing, and too high a one lets a zone seem to have what it has not.
    """
    counters, settings = step.after, step.book.settings
    if counters.thresholds != settings.thresholds:
        return (
            f"after {wording(step.op)} the zones' thresholds are {counters.thresholds}, "
            f"expected {settings.thresholds}"
        )
    if counters.node_thresholds != settings.node_thresholds:
        return (
            f"after {wording(step.op)} the nodes' thresholds are {counters.node_thresholds}, "
            f"expected {settings.node_thresholds}"
        )
    return None


@SETTING_LAWS.law(
    "VM-mark",
    eras=lambda era: era.close_reads != "never",
    source="mm/vmstat.c, refresh_zone_stat_thresholds, 2.6.37 to 6.12",
)
def drift_marks(step: CounterStep) -> Complaint:
    """A zone has a drift mark once CPUs could keep back more than the low mark is above the lowest.

    It is as far above the high mark as what all of them could keep back. It is computed with the
    thresholds alone, so that other marks leave it as it was, and never taken away. Below it whoever
    frees memory must not believe what is told.
    """
    got, due = step.after.drift_marks, step.book.settings.drift_marks
    return None if got == due else f"after {wording(step.op)} drift marks are {got}, expected {due}"
