"""What CPUs keep back and how often they tell, per zone, per threshold and per number of CPUs.

Every number is one of the spec's stated functions, in rows; here they are only put side by side.
"""

from bisect import bisect_left
from typing import NamedTuple

from pagefuzz.drift.machine import Asked, marks_in
from pagespec.era import Era
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
    is never applied; where a mark is only left from boot it can be the larger one. mark: the drift
    mark, 0 for none. is_due: whether the zone needs it, since its CPUs keep more than the gap; else
    it is left from boot, when there were no marks yet. at_normal: in pages, with the normal
    threshold and no update under way. at_rest: with whichever threshold is larger; one_each: with
    an update by one page under way on each CPU as well.
    """

    zone: CountedZone
    marks: Marks
    normal: int
    pressure: int | None
    mark: int
    is_due: bool
    at_normal: int
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
    due = drift_mark(cpus, normal, marks)
    mark = due or mark_from_boot(machine.era, cpus, normal)
    lowered = mark and machine.era.lowers_thresholds
    pressure = pressure_threshold(cpus, marks) if lowered else None
    largest = max(normal, pressure or 0)
    return ZoneRow(
        zone,
        marks,
        normal,
        pressure,
        mark,
        due > 0,
        kept_by_cpus([normal] * cpus).most,
        kept_by_cpus([largest] * cpus).most,
        cpus * kept_with_updates(largest, [1]),
    )


def mark_from_boot(era: Era, cpus: int, normal: int) -> int:
    """The drift mark of a zone where none is due: from CPUs that came up before there were marks.

    The first CPU alone sets no thresholds by coming up.
    """
    return cpus * normal if era.early_drift_marks and cpus > 1 else 0


class Folds(NamedTuple):
    """How often a CPU tells the zone, in 1,000 updates of one kind.

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


def batch_of(era: Era, pages: int) -> int:
    """How many frames move at once from a zone of so many to a CPU's list."""
    return max(1, raw_batch(pages, *BATCH_RULES[era.batch]))


def counted_at_once(machine: Asked) -> int:
    """How many frames a refill from the largest zone counts in one update, which leaves nothing.

    All of them, or, where lists and types agree (6.12), each frame by itself.
    """
    era = machine.era
    return 1 if era.retypes_on_merge else batch_of(era, machine.largest.pages)


class ThresholdRow(NamedTuple):
    """A threshold: whose it is, the most that all CPUs keep back, and how often each tells.

    ones: by increments or decrements. refills: by refills, one way, as `counted_at_once` says; None
    for a cell of NUMA statistics without a sign.
    """

    threshold: int
    whose: str
    at_rest: int
    ones: Folds
    refills: float | None


def threshold_rows(machine: Asked, designs: tuple[NumaName, ...]) -> list[ThresholdRow]:
    """One row a threshold, smallest first: those of STEPS, those in force, and the designs' own."""
    zone = machine.largest
    row, refill = zone_row(machine, zone), counted_at_once(machine)
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
            None
            if threshold in signless
            else rate(threshold, refill, overstep=False, both_ways=False),
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


def passed_from(machine: Asked) -> int | None:
    """From how many CPUs on can they keep back more of the machine's largest zone than the gap?

    None for never. From there on a drift mark is due: more CPUs keep back more, and the marks stay.
    """

    def is_due(cpus: int) -> bool:
        [row] = cpu_rows(machine, (cpus,))
        return row.is_due

    first = 1 + bisect_left(range(1, MAX_CPUS + 1), True, key=is_due)
    return first if first <= MAX_CPUS else None
