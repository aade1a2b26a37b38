"""The counters of a machine as two values that can be compared and kept."""

from typing import NamedTuple

from pagefuzz.schedule.aspects import Aspect
from pagespec.vmstat.counters import Counters, Update
from pagespec.vmstat.machine import Item
from pagespec.watermark.marks import Marks


class FrozenCells(NamedTuple):
    """What was told, what CPUs keep, and the updates under way."""

    totals: tuple[tuple[Item, int], ...]
    told: tuple[int, ...]
    cells: tuple[tuple[int, ...], ...]
    updates: tuple[Update, ...]
    told_times: int


class Cells(Aspect[Counters, FrozenCells]):
    """What updates change."""

    def look(self) -> FrozenCells:
        """All but the settings."""
        counters = self.of
        return FrozenCells(
            tuple(counters.totals.items()),
            tuple(counters.told),
            tuple([tuple(cells) for cells in counters.cells]),
            tuple(counters.updates),
            counters.told_times,
        )

    def put(self, value: FrozenCells, before: FrozenCells | None) -> None:
        """Count the same again."""
        counters = self.of
        counters.totals.update(value.totals)
        counters.told[:] = value.told
        for cells, frozen in zip(counters.cells, value.cells, strict=True):
            cells[:] = frozen
        counters.updates[:] = value.updates
        counters.told_times = value.told_times


class FrozenSettings(NamedTuple):
    """What updates follow."""

    running: frozenset[int]
    min_free: int
    pages: tuple[int, ...]
    marks: tuple[Marks, ...]
    thresholds: tuple[int, ...]
    node_thresholds: tuple[tuple[int, int], ...]
    drift_marks: tuple[int, ...]
    reclaiming: frozenset[int]
    numa_on: bool


class Settings(Aspect[Counters, FrozenSettings]):
    """What updates follow: the CPUs that run, marks and thresholds."""

    def look(self) -> FrozenSettings:
        """All but the counts."""
        counters = self.of
        return FrozenSettings(
            frozenset(counters.running),
            counters.min_free,
            tuple(counters.pages),
            tuple(counters.marks),
            tuple(counters.thresholds),
            tuple(counters.node_thresholds.items()),
            tuple(counters.drift_marks),
            frozenset(counters.reclaiming),
            counters.numa_on,
        )

    def put(self, value: FrozenSettings, before: FrozenSettings | None) -> None:
        """Set the same again."""
        counters = self.of
        for numbers, frozen in (
            (counters.running, value.running),
            (counters.reclaiming, value.reclaiming),
        ):
            numbers.clear()
            numbers.update(frozen)
        counters.min_free, counters.numa_on = value.min_free, value.numa_on
        counters.pages[:] = value.pages
        counters.marks[:] = value.marks
        counters.thresholds[:] = value.thresholds
        counters.node_thresholds.update(value.node_thresholds)
        counters.drift_marks[:] = value.drift_marks
