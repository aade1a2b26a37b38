"""The figures as tables, for the terminal and for the guide page."""

from collections.abc import Sequence
from typing import NamedTuple

from pagefuzz.drift.designs import RELEASES, DesignRow
from pagefuzz.drift.figures import ThresholdRow, ZoneRow, batch_of, folds
from pagefuzz.drift.machine import PAGES_A_MIB, Asked
from pagespec.vmstat.numa import NUMA_DESIGNS


class Table(NamedTuple):
    """A title, the heads of the columns, and rows; None is a cell with nothing to say."""

    title: str
    heads: tuple[str, ...]
    rows: list[Sequence[int | float | str | None]]


def zones_table(rows: Sequence[ZoneRow]) -> Table:
    """Marks and thresholds of each zone, in pages."""
    return Table(
        "marks and thresholds, in pages",
        ("zone", "node", "MiB", "min", "low", "high", "normal", "pressure", "drift mark"),
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
        ("zone", "at rest, pages", "MiB", "of low - min", "with updates, pages", "MiB"),
        [
            (
                *(number, row.at_rest, _mib(row.at_rest), _share(row.at_rest, row.gap)),
                *(row.one_each, _mib(row.one_each)),
            )
            for number, row in enumerate(rows)
        ],
    )


def thresholds_table(machine: Asked, gap: int, rows: Sequence[ThresholdRow]) -> Table:
    """Threshold against drift and folds."""
    batch = batch_of(machine, machine.largest)
    return Table(
        f"threshold against worst drift, and folds of a CPU in 1,000 updates by 1 or by {batch}",
        (
            *("threshold", "whose", "pages", "MiB", "of low - min"),
            *("1, one way", "1, both ways", f"{batch}, one way", f"{batch}, both ways"),
        ),
        [
            (
                *(row.threshold, row.whose, row.at_rest, _mib(row.at_rest)),
                _share(row.at_rest, gap),
                *(_figures(rate) for rate in (*row.ones, *row.batches)),
            )
            for row in rows
        ],
    )


def cpus_table(rows: Sequence[tuple[int, ZoneRow]]) -> Table:
    """The normal threshold by CPUs, what it keeps back, and how often each CPU tells."""
    return Table(
        "the normal threshold by CPUs, and folds of a CPU in 1,000 updates by 1",
        (
            *("CPUs", "normal", "drift, pages", "MiB", "of low - min"),
            *("one way", "both ways", "pressure", "one way at it"),
        ),
        [
            (
                *(cpus, row.normal, row.at_rest, _mib(row.at_rest), _share(row.at_rest, row.gap)),
                *(_figures(rate) for rate in folds(row.normal)),
                *(row.pressure, row.pressure and _figures(folds(row.pressure).up)),
            )
            for cpus, row in rows
        ],
    )


def designs_table(machine: Asked, rows: Sequence[DesignRow]) -> Table:
    """What the NUMA designs cost."""
    return Table(
        "NUMA counters: allocations that readers may miss, and folds of a CPU in 1,000",
        (
            "design",
            "releases",
            "counts by",
            "cell",
            "threshold",
            "lag of one",
            "lag in all",
            "folds",
        ),
        [
            (
                row.name + (" (the era's)" if machine.era.numa == row.name else ""),
                RELEASES[row.name],
                "node" if NUMA_DESIGNS[row.name].of_node else "zone",
                NUMA_DESIGNS[row.name].width,
                *(row.threshold, row.lag, row.lag_in_all, _figures(row.told)),
            )
            for row in rows
        ],
    )


def _mib(pages: int) -> float:
    return round(pages / PAGES_A_MIB, 1)


def _share(pages: int, gap: int) -> int | float | None:
    return _figures(pages / gap) if gap else None


def _figures(value: float | None) -> int | float | None:
    """Three figures, as a number."""
    if value is None:
        return None
    return round(value) if value >= 100 or value == 0 else float(f"{value:.3g}")
