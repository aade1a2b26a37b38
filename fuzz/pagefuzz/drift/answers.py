"""The two questions of the review of December 2017, answered with the figures of a machine."""

from collections.abc import Iterator

from pagefuzz.drift.designs import DesignRow, design_row
from pagefuzz.drift.figures import (
    CPU_COUNTS,
    UPDATES,
    ZoneRow,
    cpu_rows,
    folds,
    passed_from,
    saturated_from,
    zone_row,
)
from pagefuzz.drift.machine import Asked, marks_in
from pagefuzz.drift.words import how_often, memory, number, of, times
from pagespec.vmstat.drift import kept_by_cpus
from pagespec.vmstat.numa import NUMA_DESIGNS, NumaName
from pagespec.vmstat.threshold import MOST, drift_mark

NOT_SHOWN = (
    "Not shown here: cycles, which a benchmark measures, on as few cores as it has; what a fold "
    "costs, since cache misses between sockets are only counted as folds; and that a busy CPU "
    "tells what it keeps about once a second anyway (one that is idle may not, nor in 6.8 one that "
    "is isolated), so that drift is a bound and no forecast."
)

ASKED_ABOUT: tuple[NumaName, ...] = ("s16-draft", "u16")
"""Whose threshold other counters might be given, the design of the review first."""


def machine_line(machine: Asked) -> str:
    """The machine in a sentence."""
    zones = ", ".join(f"{memory(zone.pages)} on node {zone.node}" for zone in machine.zones)
    return (
        f"{of(machine.cpus, 'CPU')}; zones: {zones}; era {machine.era.name}, "
        f"min_free_kbytes {machine.min_free:,}"
    )


def note_on_marks(machine: Asked) -> str:
    """What to think of marks that the memory of their zones cannot pass, or nothing."""
    beyond = [
        f"zone {at} ({marks.high:,} of {of(zone.pages, 'page')})"
        for at, zone in enumerate(machine.zones)
        for marks in [marks_in(machine, zone)]
        if marks.high >= zone.pages
    ]
    if not beyond:
        return ""
    return (
        f"More pages than the high mark can never be free in {', '.join(beyond)}, so what is said "
        "of marks there is arithmetic alone."
    )


def why_not_alike(machine: Asked, designs: tuple[NumaName, ...]) -> str:
    """Why can't all counters behave the same?"""
    row = zone_row(machine, machine.largest)
    wide = [name for name in ASKED_ABOUT if name in designs][:1]
    return " ".join(
        [
            "Why can't all counters behave the same? Because of what is decided by them.",
            _free_pages(machine, row),
            *(_widened(machine, row, name) for name in wide),
            "By NUMA counters nothing is decided, so only what readers miss counts.",
            *_numa(machine, designs),
        ]
    )


def _free_pages(machine: Asked, row: ZoneRow) -> str:
    kept = (
        f"Requests and reclaim compare free pages with marks: in a zone of "
        f"{memory(row.zone.pages)} low is {_pages(row.gap)} above min. With the normal threshold, "
        f"{row.normal}, {of(machine.cpus, 'CPU')} can keep back {_pages(row.at_normal)}, "
        f"{times(row.at_normal, row.gap)} that gap"
    )
    if not row.mark:
        return f"{kept}: no more than it holds, so the zone needs no drift mark."
    looks = "reclaim" if machine.era.close_reads == "reclaim" else "whoever asks while kswapd works"
    closely = f"{row.mark:,} pages, {looks} adds up the cells of all CPUs"
    if row.is_due:
        awake = f", and while kswapd is awake the threshold is {row.pressure}"
        return (
            f"{kept}: the count can still be above low when min is broken. So below the drift "
            f"mark, {closely}{'' if row.pressure is None else awake}."
        )
    return (
        f"{kept}: no more than it holds, so no drift mark is due. But one is left from boot, when "
        f"CPUs came up before there were marks: below {closely}, and while kswapd is awake "
        f"the threshold is {row.pressure}, with which they can keep back {_pages(row.at_rest)}, "
        f"{times(row.at_rest, row.gap)} the gap."
    )


def _numa(machine: Asked, designs: tuple[NumaName, ...]) -> Iterator[str]:
    own = machine.era.numa
    era = machine.era.name
    yield f"In era {era} they are counted as {own}: {_design(design_row(machine, own))}."
    for name in designs:
        if name != own:
            yield f"With {name} {_design(design_row(machine, name))}."


def _design(row: DesignRow) -> str:
    if row.threshold is None:
        return "no cell is told for being full, and readers miss nothing"
    return (
        f"a CPU folds {how_often(row.told, UPDATES, 'allocations')}, and up to "
        f"{row.lag_in_all:,} may be missing from the machine's number, {row.lag:,} from "
        f"{'a node' if NUMA_DESIGNS[row.name].of_node else 'a zone'}'s"
    )


def _widened(machine: Asked, row: ZoneRow, name: NumaName) -> str:
    threshold = NUMA_DESIGNS[name].threshold
    assert threshold is not None
    kept = kept_by_cpus([threshold] * machine.cpus).most
    mark = drift_mark(machine.cpus, threshold, row.marks)
    if not mark:
        return f"With {threshold:,} it would be {memory(kept)}, still no more than the gap."
    free = "always" if mark >= row.zone.pages else f"whenever fewer than {_pages(mark)} are free"
    return (
        f"With {threshold:,}, the threshold of NUMA counters in {name}, they could keep back "
        f"{memory(kept)}, {times(kept, row.gap)} the gap: all cells would have to be added up "
        f"{free}."
    )


def does_it_scale(machine: Asked) -> str:
    """Does the normal threshold scale well enough for larger machines?"""
    most = CPU_COUNTS[-1]
    zone, full = machine.largest, saturated_from(machine.largest.pages)
    one, last = cpu_rows(machine, (1, most))
    sentences = (
        "Does the normal threshold scale for larger machines?",
        _never_full(zone.pages, one, last) if full is None else _full(machine, full, one, last),
        _passed(machine),
        _awake(last),
    )
    return " ".join(filter(None, sentences))


def _never_full(pages: int, one: ZoneRow, last: ZoneRow) -> str:
    return (
        f"In a zone of {memory(pages)} it does not reach {MOST}, the most that a cell of eight "
        f"bits allows: from 1 CPU to {CPU_COUNTS[-1]:,} it rises from {one.normal} to "
        f"{last.normal}, so that a CPU folds {_rate(one)} to {_rate(last)} times in {UPDATES:,} "
        f"updates one way, and drift grows from {memory(one.at_normal)} to "
        f"{memory(last.at_normal)}, {times(last.at_normal, last.gap)} the gap between min and low."
    )


def _full(machine: Asked, full: int, one: ZoneRow, last: ZoneRow) -> str:
    [at] = cpu_rows(machine, (full,))
    where = "there or beyond" if machine.cpus >= full else "short of that"
    return (
        f"Up to {of(full, 'CPU')}: there a zone of {memory(at.zone.pages)} has {MOST}, the most "
        f"that a cell of eight bits allows, and this machine is {where}. From 1 CPU to there "
        f"folds fall from {_rate(one)} to {_rate(at)} in {UPDATES:,} updates one way, for which "
        f"drift grows from {memory(one.at_normal)} to {memory(at.at_normal)}, "
        f"{times(at.at_normal, at.gap)} the gap between min and low."
        + (_beyond(full, last) if full < CPU_COUNTS[-1] else "")
    )


def _beyond(full: int, last: ZoneRow) -> str:
    more = number(CPU_COUNTS[-1] / full)
    return (
        f" From there to {CPU_COUNTS[-1]:,} CPUs folds stay {_rate(last)} and drift grows as the "
        f"CPUs do, {more}-fold, to {memory(last.at_normal)}, {times(last.at_normal, last.gap)} the "
        f"gap, which stays; and {more} times as many CPUs that are each as busy fold into the "
        f"zone {more} times as often."
    )


def _passed(machine: Asked) -> str:
    first = passed_from(machine)
    if first is None:
        return f"Even {CPU_COUNTS[-1]:,} CPUs keep back no more than the gap."
    return f"From {of(first, 'CPU')} on they can keep back more than the gap."


def _awake(last: ZoneRow) -> str:
    if last.pressure is None or not last.is_due:
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
