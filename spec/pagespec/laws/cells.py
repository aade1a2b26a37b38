"""Laws about what CPUs keep to themselves of a zone's counts of free frames."""

from pagespec.era import Era
from pagespec.laws.law import Complaint, LawBook, Transition
from pagespec.laws.masks import managed_frames
from pagespec.laws.owners import drains_all, served_or_failed
from pagespec.laws.swept import Swept
from pagespec.laws.wording import wording
from pagespec.types import NO_MEMORY
from pagespec.verbs import Op, Verb
from pagespec.vmstat.kept import Cells
from pagespec.vmstat.laws.limits import MOST, due_normal, due_pressure
from pagespec.zone import Zone


def has_cells(era: Era) -> bool:
    """Whether the era's CPUs may keep parts of counts."""
    return era.cells != "none"


CELL_STATE_LAWS: LawBook[Swept] = LawBook()
CELL_LAWS: LawBook[Transition] = LawBook()

EMPTYING = frozenset({Verb.DRAIN_ALL, Verb.DISABLE, Verb.ISOLATE, Verb.CONTIG})
"""The verbs that have every CPU's lists drained."""


@CELL_STATE_LAWS.law("CELL-sum", eras=has_cells, source="mm/vmstat.c, zone_page_state_add")
def summed(swept: Swept) -> Complaint:
    """What a zone has been told of its free frames and what its CPUs keep is all of them.

    What is lost on the way is missing for ever: marks are then passed or missed by that much.
    """
    zone = swept.zone
    if zone.cells is None:
        return "no CPU has a cell, on a machine with cells" if zone.machine.cells else None
    for name, count, pages in (
        ("free", zone.cells.free, zone.free_pages),
        ("free CMA", zone.cells.cma, zone.free_cma),
    ):
        kept = sum(count.kept)
        if count.told + kept != pages:
            return (
                f"the zone was told of {count.told} {name} frames and its CPUs keep {kept}, "
                f"its lists count {pages}"
            )
    return None


@CELL_STATE_LAWS.law("CELL-width", eras=has_cells, source="include/linux/mmzone.h, vm_stat_diff")
def wide_enough(swept: Swept) -> Complaint:
    """A cell is from -125 to 125, and that of a CPU which does not run is empty.

    A byte has to hold one more and one less before it is told. And nobody asks a CPU that is gone.
    """
    cells = swept.zone.cells
    if cells is None:
        return None
    for cpu, pair in enumerate(zip(cells.free.kept, cells.cma.kept, strict=True)):
        if any(not -MOST <= kept <= MOST for kept in pair):
            return f"CPU {cpu} keeps {pair[0]} free and {pair[1]} CMA frames, at most {MOST}"
        if cpu in swept.zone.unplugged and any(pair):
            return f"CPU {cpu} is unplugged and keeps {pair[0]} free and {pair[1]} CMA frames"
    return None


def normal(zone: Zone) -> int:
    """The threshold by the formula, for the CPUs that run and the frames that are there."""
    pages = managed_frames(zone.machine).bit_count()
    if zone.machine.pageblock is not None:
        pages -= len(zone.offline) << zone.machine.pageblock
    return due_normal(zone.machine.cpus - len(zone.unplugged), pages)


def due_mark(zone: Zone, threshold: int, mark: int) -> int:
    """The drift mark once that threshold is set. mark: the one that stood before."""
    levels = zone.levels
    if levels is None:
        return mark
    most = threshold * (zone.machine.cpus - len(zone.unplugged))
    due = most > levels.marks.low - levels.marks.min
    return levels.marks.high + levels.boost + most if due else mark


def due_tuning(step: Transition) -> tuple[int, int] | None:
    """The threshold and the drift mark that a request leaves; None without cells."""
    before, after = step.before.zone, step.after.zone
    cells, levels = before.cells, after.levels
    if cells is None or after.cells is None:
        return None
    threshold, mark = cells.threshold, cells.drift_mark
    done = step.outcome == 0
    if step.op.verb in (Verb.PLUG, Verb.UNPLUG) and done:
        threshold = normal(after)
        mark = due_mark(after, threshold, mark)
    lowers = after.machine.era.lowers_thresholds and mark > 0
    if lowers and step.op.verb is Verb.REST and done:
        threshold = normal(after)
    slept = before.levels is not None and not before.levels.reclaiming
    if lowers and slept and levels is not None and levels.reclaiming:
        running = after.machine.cpus - len(after.unplugged)
        threshold = due_pressure(running, levels.marks)
    return threshold, mark


@CELL_LAWS.law(
    "CELL-threshold", eras=has_cells, source="mm/vmstat.c, refresh_zone_stat_thresholds, to 6.12"
)
def tuned(step: Transition) -> Complaint:
    """The threshold follows CPUs that come or go, and kswapd where the drift mark stands.

    That mark is set when what all CPUs may keep is more than lies between the lowest and the low
    mark, and stays. A threshold that is not lowered lets a zone fall far below its marks unseen.
    """
    due, cells = due_tuning(step), step.after.zone.cells
    if due is None or cells is None or due == (cells.threshold, cells.drift_mark):
        return None
    return (
        f"{wording(step.op)} left threshold {cells.threshold} and drift mark {cells.drift_mark}, "
        f"expected {due[0]} and {due[1]}"
    )


def at_work(zone: Zone, op: Op) -> int:
    """The CPU that serves the request: the one that it names, if it runs, or else the first."""
    cpus = [cpu for cpu in range(zone.machine.cpus) if cpu not in zone.unplugged]
    if op.verb is Verb.UNPLUG and op.cpu in cpus and len(cpus) > 1:
        cpus.remove(op.cpu)
    return op.cpu if op.cpu in cpus else cpus[0]


def may_count(step: Transition) -> set[int]:
    """The CPUs whose cells a request may change."""
    zone, op = step.before.zone, step.op
    cpus = {at_work(zone, op)}
    if op.verb is Verb.UNPLUG:
        cpus.add(op.cpu)
    failed = step.outcome == NO_MEMORY or op.verb in (Verb.ALLOC, Verb.BULK)
    drained = op.verb in EMPTYING or (failed and served_or_failed(step) and drains_all(zone, op))
    if drained and not zone.machine.era.drains_remotely:
        cpus.update(kept.cpu for kept in step.before.kept_blocks)
    return cpus


@CELL_LAWS.law("CELL-owner", eras=has_cells, source="mm/vmstat.c, __mod_zone_page_state, to 6.12")
def owned(step: Transition) -> Complaint:
    """A request counts on the CPU that serves it, and on those that drain their lists for it.

    A cell has no lock: it is safe because nobody else writes it. Since 6.0 whoever wants all lists
    drained does that itself.
    """
    was, now = step.before.zone.cells, step.after.zone.cells
    if was is None or now is None:
        return None
    own = may_count(step)
    for cpu in range(step.before.zone.machine.cpus):
        if cpu not in own and kept_by(was, cpu) != kept_by(now, cpu):
            return (
                f"{wording(step.op)} on CPU {step.op.cpu} changed what CPU {cpu} keeps from "
                f"{kept_by(was, cpu)} to {kept_by(now, cpu)}"
            )
    return None


def kept_by(cells: Cells, cpu: int) -> tuple[int, int]:
    """What a CPU keeps of both counts."""
    return cells.free.kept[cpu], cells.cma.kept[cpu]


@CELL_LAWS.law("CELL-bound", eras=has_cells, source="mm/vmstat.c, __mod_zone_page_state, to 6.12")
def bounded(step: Transition) -> Complaint:
    """A cell that changed is within the threshold: what is beyond has been told.

    So no zone is further from what it was told than all thresholds together. A threshold that fell
    leaves what cells hold; and the request that lets it fall counts before or after.
    """
    was, now = step.before.zone.cells, step.after.zone.cells
    if was is None or now is None:
        return None
    most = max(was.threshold, now.threshold)
    for cpu in range(step.before.zone.machine.cpus):
        for old, kept in zip(kept_by(was, cpu), kept_by(now, cpu), strict=True):
            if kept != old and not -most <= kept <= most:
                return f"{wording(step.op)} left {kept} frames with CPU {cpu}, at most {most}"
    return None


@CELL_LAWS.law(
    "CELL-fold", eras=has_cells, source="mm/vmstat.c, refresh_cpu_vm_stats and cpu_vm_stats_fold"
)
def folded(step: Transition) -> Complaint:
    """After a refresh a CPU keeps only what its lists gave back then; gone, it keeps nothing.

    What stays in a cell that nobody changes any more is never told. Guards that a merge absorbs
    are free again with what was given back.
    """
    now, op = step.after.zone.cells, step.op
    if now is None or op.verb not in (Verb.REFRESH, Verb.UNPLUG) or step.outcome != 0:
        return None
    drained = 0
    if op.verb is Verb.REFRESH:
        left = {kept.block for kept in step.after.kept_blocks if kept.cpu == op.cpu}
        gone = [kept.block for kept in step.before.kept_blocks if kept.cpu == op.cpu]
        drained = sum(1 << block.order for block in gone if block not in left)
        guards = step.before.zone.guards.items() - step.after.zone.guards.items()
        drained += sum(1 << order for _, order in guards)
    if all(0 <= kept <= drained for kept in kept_by(now, op.cpu)):
        return None
    return (
        f"{wording(op)} left {kept_by(now, op.cpu)} free and CMA frames untold, of {drained} "
        "that it gave back"
    )
