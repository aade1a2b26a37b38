"""Laws about telling: when a CPU tells what it keeps, and what is left of it."""

from pagespec.laws.law import Complaint, LawBook
from pagespec.vmstat.laws.changes import KINDS
from pagespec.vmstat.laws.due import (
    Counts,
    change_counts,
    counts_of,
    difference,
    emptied_counts,
    is_read_out,
    is_statistic,
    land_counts,
    refresh_counts,
)
from pagespec.vmstat.laws.step import CounterStep
from pagespec.vmstat.laws.wording import wording
from pagespec.vmstat.machine import NUMA_ITEMS
from pagespec.vmstat.verbs import CounterVerb

TELLING_LAWS: LawBook[CounterStep] = LawBook()

CHANGING = frozenset(KINDS) | {CounterVerb.TAKE, CounterVerb.COUNT}
EMPTYING = frozenset({CounterVerb.REFRESH, CounterVerb.UNPLUG, CounterVerb.READ})
ZEROING = frozenset({CounterVerb.NUMA_OFF})


@TELLING_LAWS.law(
    "VM-fold",
    source="mm/vmstat.c, refresh_cpu_vm_stats, cpu_vm_stats_fold and fold_vm_numa_events, to 6.12",
)
def folded(step: CounterStep) -> Complaint:
    """A refresh tells each zone and node what the CPU kept, then the machine, and leaves 0.

    It answers how many cells had something. The end of a CPU is one, too, and tells its events
    besides; only the words of 2.6.9 stay where they are. Reading events tells those of every CPU
    that runs. What a CPU keeps when it is gone would be missing until it comes back.
    """
    counters, op = step.before, step.op
    if op.verb not in EMPTYING or not step.legal:
        return None
    due = due_emptied(step)
    if op.verb is CounterVerb.REFRESH:
        cells = zip(counters.places, counters.cells[op.cpu], strict=True)
        count = sum(is_read_out(counters.machine, place) and cell != 0 for place, cell in cells)
        if step.outcome != count:
            return f"{wording(op)} answered {step.outcome}, cells that had something: {count}"
    wrong = difference(due, step.after)
    return None if wrong is None else f"after {wording(op)} {wrong}"


def due_emptied(step: CounterStep) -> Counts:
    """The counts after a refresh, the end of a CPU, or a look."""
    counters, op = step.before, step.op
    machine, places = counters.machine, list(enumerate(counters.places))
    events = [number for number, place in places if is_statistic(machine, place)]
    if op.verb is CounterVerb.READ:
        due = counts_of(counters)
        for cpu in sorted(counters.running) if op.item in NUMA_ITEMS else ():
            due = emptied_counts(due, counters, cpu, events)
        return due
    stops = op.open and op.verb is CounterVerb.REFRESH
    due = refresh_counts(counters, op.cpu, stops=stops)
    ends = op.verb is CounterVerb.UNPLUG
    return emptied_counts(due, counters, op.cpu, events) if ends else due


@TELLING_LAWS.law(
    "VM-told",
    source="mm/vmstat.c, __mod_zone_page_state, __inc_zone_state, mod_zone_state, 2.6.18 to 6.12",
)
def told(step: CounterStep) -> Complaint:
    """A change is told if the cell would pass its threshold, then all of it; nothing else is told.

    A cell may stand at its threshold. An increment that tells adds half a threshold and leaves it
    with the opposite sign, and looks at the upper end alone; a decrement at the lower. A change by
    exchange looks at both ends. A CPU that tells too early shares a cache line for nothing; one
    that tells another number is found out by no reader.
    """
    counters, op = step.before, step.op
    if op.verb in EMPTYING | ZEROING or not step.legal:
        return None
    if op.verb in CHANGING:
        due = change_counts(counters, op, step.changes)
    else:
        due = counts_of(counters)
    if op.verb is CounterVerb.LAND:
        due = land_counts(counters, op.number)
    wrong = difference(due, step.after)
    return None if wrong is None else f"after {wording(op)} {wrong}"
