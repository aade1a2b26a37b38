"""The figures as tables, for the terminal and for the guide page."""

from collections.abc import Sequence
from typing import NamedTuple

from pagefuzz.drift.designs import DesignRow
from pagefuzz.drift.figures import ThresholdRow, ZoneRow, counted_at_once, folds
from pagefuzz.drift.machine import PAGES_A_MIB, Asked
from pagespec.vmstat.numa import NUMA_DESIGNS, RELEASES


class Table(NamedTuple):
    """A title, the heads of the columns, and rows; None is a cell with nothing to say.

    Heads are broken where they may be, so that a terminal of 80 columns cuts no number.
    """

    title: str
    heads: tuple[str, ...]
    rows: list[Sequence[int | float | str | None]]


def zones_table(rows: Sequence[ZoneRow]) -> Table:
    """Marks and thresholds of each zone, in pages."""
    return Table(
        "marks and thresholds, in pages",
        ("zone", "node", "MiB", "min", "low", "high", "normal", "pressure", "drift\nmark"),
        [
            (
                *(number, row.zone.node, _mib(row.zone.pages)),
                *(*row.marks, row.normal, row.pressure, row.mark or None),
            )
            for number, row in enumerate(rows)
        ],
    )


def drift_table(rows: Sequence[ZoneRow]) -> Table:
    """The most that the free pages of each zone may differ from the count, either way."""
    return Table(
        "worst drift of free pages, at rest and with an update under way on each CPU",
        ("zone", "at rest,\npages", "MiB", "of low\n- min", "with updates,\npages", "MiB"),
        [
            (
                *(number, row.at_rest, _mib(row.at_rest), _share(row.at_rest, row.gap)),
                *(row.one_each, _mib(row.one_each)),
            )
            for number, row in enumerate(rows)
        ],
    )


def thresholds_table(machine: Asked, rows: Sequence[ThresholdRow]) -> Table:
    """Threshold against drift and folds."""
    refill = counted_at_once(machine)
    frames = f"{refill} frames at once" if refill > 1 else "frame by frame"
    return Table(
        f"threshold against drift, and folds of a CPU in 1,000 updates; refills count {frames}",
        (
            *("threshold", "whose", "pages", "MiB"),
            *("inc/dec,\none\nway", "inc/dec,\nboth\nways", "refills,\none\nway"),
        ),
        [
            (
                *(row.threshold, row.whose, row.at_rest, _mib(row.at_rest)),
                *(_figures(rate) for rate in (*row.ones, row.refills)),
            )
            for row in rows
        ],
    )


def cpus_table(rows: Sequence[tuple[int, ZoneRow]]) -> Table:
    """The normal threshold by CPUs, what it keeps back, and how often each CPU tells."""
    return Table(
        "the normal threshold by CPUs, and folds of a CPU in 1,000 inc or dec",
        (
            *("CPUs", "normal", "drift,\npages", "MiB", "of low\n- min"),
            *("one\nway", "both\nways", "pressure", "one\nway\nat it"),
        ),
        [
            (
                *(cpus, row.normal, row.at_normal, _mib(row.at_normal)),
                _share(row.at_normal, row.gap),
                *(_figures(rate) for rate in folds(row.normal)),
                *(row.pressure, row.pressure and _figures(folds(row.pressure).up)),
            )
            for cpus, row in rows
        ],
    )


def designs_table(machine: Asked, rows: Sequence[DesignRow]) -> Table:
    """What the NUMA designs cost."""
    era = machine.era
    return Table(
        f"NUMA counters ({era.numa} in era {era.name}): lag of readers, folds in 1,000 allocations",
        ("design", "releases", "cell", "threshold", "lag of\none", "lag in\nall", "folds"),
        [
            (
                *(row.name, RELEASES[row.name], NUMA_DESIGNS[row.name].width, row.threshold),
                *(row.lag, row.lag_in_all, _figures(row.told)),
            )
            for row in rows
        ],
    )


def _mib(pages: int) -> int | float:
    mib = pages / PAGES_A_MIB
    return round(mib) if mib >= 100 else round(mib, 1)


def _share(pages: int, gap: int) -> int | float | None:
    if not gap:
        return None
    return round(pages / gap) if pages >= 100 * gap else round(pages / gap, 2)


def _figures(value: float | None) -> int | float | None:
    """Three figures, as a number; one where so little is left that only its size matters."""
    if value is None:
        return None
    if value >= 100 or value == 0:
        return round(value)
    return float(f"{value:.3g}" if value >= 0.001 else f"{value:.1g}")
