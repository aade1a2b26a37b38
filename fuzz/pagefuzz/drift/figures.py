"""What CPUs keep back and how often they tell, per zone, per threshold and per number of CPUs.

Every number is one of the spec's stated functions, in rows; here they are only put side by side.
"""

from bisect import bisect_left
from typing import NamedTuple

from pagefuzz.drift.machine import Asked, marks_in
from pagespec.machine import MAX_CPUS
from pagespec.pcp.sizes import BATCH_RULES, raw_batch
from pagespec.vmstat.drift import kept_by_cpus, kept_with_updates, updates_a_fold
from pagespec.vmstat.machine import CountedZone
from pagespec.vmstat.numa import NUMA_DESIGNS, NumaName
from pagespec.vmstat.threshold import MOST, drift_mark, normal_threshold, pressure_threshold
from pagespec.watermark.marks import Marks

STEPS = (1, 2, 4, 8, 16, 32, 64, MOST)
"""The thresholds to compare, up to the most that a cell of eight bits allows."""

CPU_COUNTS = tuple(2**doublings for doublings in range(MAX_CPUS.bit_length()))

UPDATES = 1000
"""Folds are counted per so many updates."""


class ZoneRow(NamedTuple):
    """A zone: its marks, its thresholds, and the most that its CPUs keep of its free frames.

    normal: the threshold by the formula. pressure: the one while kswapd is awake, None where it
    is never applied. mark: the drift mark, 0 for none. at_rest: in pages, with no update under way;
    one_each: with an update by one page under way on each CPU.
    """

    zone: CountedZone
    marks: Marks
    normal: int
    pressure: int | None
    mark: int
    at_rest: int
    one_each: int

    @property
    def gap(self) -> int:
        """The frames between min and low."""
        return self.marks.low - self.marks.min


def zone_row(machine: Asked, zone: CountedZone) -> ZoneRow:
    """What counting is like in a zone of the machine."""
    cpus, marks = machine.cpus, marks_in(machine, zone)
    normal = normal_threshold(cpus, zone.pages)
    mark = drift_mark(cpus, normal, marks)
    lowered = mark and machine.era.lowers_thresholds
    return ZoneRow(
        zone,
        marks,
        normal,
        pressure_threshold(cpus, marks) if lowered else None,
        mark,
        kept_by_cpus([normal] * cpus).most,
        cpus * kept_with_updates(normal, [1]),
    )


class Folds(NamedTuple):
    """How often a CPU tells the zone, in 1,000 updates: each by one page, or by a batch.

    up: all go the same way. both: each goes up or down by the toss of a coin; None if the cell has
    no sign.
    """

    up: float
    both: float | None


def rate(threshold: int, step: int, *, overstep: bool, both_ways: bool) -> float:
    """How often a CPU tells in 1,000 updates of one kind."""
    return UPDATES / updates_a_fold(threshold, step, overstep=overstep, both_ways=both_ways)


def folds(threshold: int, step: int = 1, *, overstep: bool = True, sign: bool = True) -> Folds:
    """How often a CPU tells with that threshold; without a sign a cell counts upwards only."""
    both = rate(threshold, step, overstep=overstep, both_ways=True) if sign else None
    return Folds(rate(threshold, step, overstep=overstep, both_ways=False), both)


def batch_of(machine: Asked, zone: CountedZone) -> int:
    """How many frames move at once between a CPU's list and the zone."""
    return max(1, raw_batch(zone.pages, *BATCH_RULES[machine.era.batch]))


class ThresholdRow(NamedTuple):
    """A threshold: whose it is, the most that all CPUs keep back, and how often each tells."""

    threshold: int
    whose: str
    at_rest: int
    ones: Folds
    batches: Folds


def threshold_rows(machine: Asked, designs: tuple[NumaName, ...]) -> list[ThresholdRow]:
    """One row a threshold, smallest first: those of STEPS, those in force, and the designs' own."""
    zone = machine.largest
    row, batch = zone_row(machine, zone), batch_of(machine, zone)
    whose: dict[int, list[str]] = {step: [] for step in STEPS}
    whose.setdefault(row.normal, []).append("normal")
    if row.pressure is not None:
        whose.setdefault(row.pressure, []).append("pressure")
    signless = set[int]()
    for name in designs:
        design = NUMA_DESIGNS[name]
        if design.threshold is not None and design.threshold > 0:
            whose.setdefault(design.threshold, []).append(name)
            if design.width == "u16":
                signless.add(design.threshold)
    return [
        ThresholdRow(
            threshold,
            "; ".join(names),
            kept_by_cpus([threshold] * machine.cpus).most,
            folds(threshold, overstep=threshold not in signless, sign=threshold not in signless),
            folds(threshold, batch, overstep=False, sign=threshold not in signless),
        )
        for threshold, names in sorted(whose.items())
    ]


def cpu_rows(machine: Asked, counts: tuple[int, ...]) -> list[ZoneRow]:
    """The machine's largest zone with other numbers of CPUs."""
    return [zone_row(machine._replace(cpus=cpus), machine.largest) for cpus in counts]


def with_own(machine: Asked) -> tuple[int, ...]:
    """The numbers of CPUs to compare, the machine's own among them."""
    return tuple(sorted({*CPU_COUNTS, machine.cpus}))


def saturated_from(pages: int) -> int | None:
    """From how many CPUs on a zone of that size has the largest threshold; None for never."""
    counts = range(1, MAX_CPUS + 1)
    return next((cpus for cpus in counts if normal_threshold(cpus, pages) == MOST), None)


def marked_from(machine: Asked) -> int | None:
    """From how many CPUs on the machine's largest zone has a drift mark; None for never.

    Once it has one it keeps it: more CPUs keep back more, and the marks stay.
    """

    def has_mark(cpus: int) -> bool:
        [row] = cpu_rows(machine, (cpus,))
        return row.mark > 0

    first = 1 + bisect_left(range(1, MAX_CPUS + 1), True, key=has_mark)
    return first if first <= MAX_CPUS else None
