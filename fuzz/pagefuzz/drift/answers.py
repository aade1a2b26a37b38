"""The two questions of the review of December 2017, answered with the figures of a machine."""

from pagefuzz.drift.designs import DesignRow, design_row
from pagefuzz.drift.figures import (
    CPU_COUNTS,
    UPDATES,
    ZoneRow,
    cpu_rows,
    folds,
    marked_from,
    saturated_from,
    zone_row,
)
from pagefuzz.drift.machine import Asked
from pagefuzz.drift.words import memory, number, of, times
from pagespec.vmstat.drift import kept_by_cpus
from pagespec.vmstat.numa import NUMA_DESIGNS, NumaName
from pagespec.vmstat.threshold import MOST, drift_mark

DRAFT: NumaName = "s16-draft"
U16: NumaName = "u16"

NOT_SHOWN = (
    "Not shown here: cycles, which a benchmark measures, on as few cores as it has; what a fold "
    "costs, since cache misses between sockets are only counted as folds; and that every CPU "
    "tells what it keeps about once a second anyway, so that drift is a bound and no forecast."
)


def machine_line(machine: Asked) -> str:
    """The machine in a sentence."""
    zones = ", ".join(f"{memory(zone.pages)} on node {zone.node}" for zone in machine.zones)
    return (
        f"{of(machine.cpus, 'CPU')}; zones: {zones}; era {machine.era.name}, "
        f"min_free_kbytes {machine.min_free:,}"
    )


def why_not_alike(machine: Asked) -> str:
    """Why can't all counters behave the same?"""
    row = zone_row(machine, machine.largest)
    u16, draft = design_row(machine, U16), design_row(machine, DRAFT)
    return " ".join(
        [
            "Why can't all counters behave the same? Because of what is decided by them.",
            _free_pages(machine, row),
            _free_pages_widened(machine, row),
            _numa(machine, row, u16, draft),
        ]
    )


def _free_pages(machine: Asked, row: ZoneRow) -> str:
    kept = (
        f"Requests and reclaim compare free pages with marks: in a zone of "
        f"{memory(row.zone.pages)} low is {_pages(row.gap)} above min. With the normal threshold, "
        f"{row.normal}, {of(machine.cpus, 'CPU')} can keep back {_pages(row.at_rest)}, "
        f"{times(row.at_rest, row.gap)} that gap"
    )
    if not row.mark:
        return f"{kept}: no more than it holds, so the zone needs no drift mark."
    looks = "reclaim" if machine.era.close_reads == "reclaim" else "whoever asks while kswapd works"
    closely = (
        f"{kept}: the count can still be above low when min is broken. So below the drift mark, "
        f"{row.mark:,} pages, {looks} adds up the cells of all CPUs"
    )
    if row.pressure is None:
        return f"{closely}."
    return f"{closely}, and while kswapd is awake the threshold is {row.pressure}."


def _free_pages_widened(machine: Asked, row: ZoneRow) -> str:
    threshold = NUMA_DESIGNS[DRAFT].threshold
    assert threshold is not None
    kept = kept_by_cpus([threshold] * machine.cpus).most
    mark = drift_mark(machine.cpus, threshold, row.marks)
    if not mark:
        return f"With {threshold:,} it would be {memory(kept)}, still no more than the gap."
    free = "always" if mark >= row.zone.pages else f"whenever fewer than {_pages(mark)} are free"
    return (
        f"With {threshold:,}, which the draft gave to NUMA counters, they could keep back "
        f"{memory(kept)}, {times(kept, row.gap)} the gap: all cells would have to be added up "
        f"{free}."
    )


def _numa(machine: Asked, row: ZoneRow, u16: DesignRow, draft: DesignRow) -> str:
    now = folds(row.normal).up
    return (
        "By NUMA counters nothing is decided, so only what readers miss counts: with u16 up to "
        f"{u16.lag_in_all:,} allocations in the machine's number and {u16.lag} in a zone's, with "
        f"the draft {draft.lag_in_all}. In return a CPU folds {number(u16.told)} or "
        f"{number(draft.told)} times in {UPDATES:,} allocations, not {number(now)} times."
    )


def does_it_scale(machine: Asked) -> str:
    """Does the normal threshold scale well enough for larger machines?"""
    most = CPU_COUNTS[-1]
    zone, full = machine.largest, saturated_from(machine.largest.pages)
    one, last = cpu_rows(machine, (1, most))
    sentences = (
        "Does the normal threshold scale for larger machines?",
        _never_full(zone.pages, one, last) if full is None else _full(machine, full, one, last),
        _marked(machine),
        _awake(last),
    )
    return " ".join(filter(None, sentences))


def _never_full(pages: int, one: ZoneRow, last: ZoneRow) -> str:
    return (
        f"In a zone of {memory(pages)} it does not reach {MOST}, the most that a cell of eight "
        f"bits allows: from 1 CPU to {CPU_COUNTS[-1]:,} it rises from {one.normal} to "
        f"{last.normal}, so that a CPU folds {_rate(one)} to {_rate(last)} times in {UPDATES:,} "
        f"updates one way, and drift grows from {memory(one.at_rest)} to {memory(last.at_rest)}, "
        f"{times(last.at_rest, last.gap)} the gap between min and low."
    )


def _full(machine: Asked, full: int, one: ZoneRow, last: ZoneRow) -> str:
    [at] = cpu_rows(machine, (full,))
    where = "there or beyond" if machine.cpus >= full else "short of that"
    return (
        f"Up to {of(full, 'CPU')}: there a zone of {memory(at.zone.pages)} has {MOST}, the most "
        f"that a cell of eight bits allows, and this machine is {where}. From 1 CPU to there "
        f"folds fall from {_rate(one)} to {_rate(at)} in {UPDATES:,} updates one way, for which "
        f"drift grows from {memory(one.at_rest)} to {memory(at.at_rest)}, "
        f"{times(at.at_rest, at.gap)} the gap between min and low."
        + (_beyond(full, last) if full < CPU_COUNTS[-1] else "")
    )


def _beyond(full: int, last: ZoneRow) -> str:
    more = number(CPU_COUNTS[-1] / full)
    return (
        f" From there to {CPU_COUNTS[-1]:,} CPUs folds stay {_rate(last)} and drift grows as the "
        f"CPUs do, {more}-fold, to {memory(last.at_rest)}, {times(last.at_rest, last.gap)} the "
        f"gap, which stays; and {more} times as many CPUs that are each as busy fold into the "
        f"zone {more} times as often."
    )


def _marked(machine: Asked) -> str:
    first = marked_from(machine)
    if first is None:
        return f"Even {CPU_COUNTS[-1]:,} CPUs keep back no more than the gap."
    return f"From {of(first, 'CPU')} on they can keep back more than the gap."


def _awake(last: ZoneRow) -> str:
    if last.pressure is None:
        return ""
    return (
        f"What pays for that is reclaim: with {CPU_COUNTS[-1]:,} CPUs the threshold falls to "
        f"{last.pressure} while kswapd is awake, and a CPU folds "
        f"{number(folds(last.pressure).up)} times in {UPDATES:,} updates."
    )


def _pages(pages: int) -> str:
    return f"{pages:,} pages ({memory(pages)})"


def _rate(row: ZoneRow) -> str:
    return number(folds(row.normal).up)
