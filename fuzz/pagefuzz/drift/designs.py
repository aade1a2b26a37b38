"""What each design of the NUMA counters costs its readers and its CPUs."""

from typing import NamedTuple

from pagefuzz.drift.figures import folds
from pagefuzz.drift.machine import Asked
from pagespec.vmstat.drift import kept_by_cpus
from pagespec.vmstat.machine import CountedZone
from pagespec.vmstat.numa import NEVER, NUMA_DESIGNS, NumaDesign, NumaName, Reading
from pagespec.vmstat.threshold import normal_threshold

LAGS: dict[Reading, tuple[bool, bool]] = {
    "told": (True, True),
    "close": (False, False),
    "told-in-all": (False, True),
    "folds": (False, False),
}
"""Per way of reading, whether what CPUs keep is missing from a zone's or node's number, and from
the machine's."""


class DesignRow(NamedTuple):
    """A design. threshold: None if a cell is never told for being full.

    lag, lag_in_all: how many allocations may be missing from a reader's number of one zone or node,
    and of the machine. told: how often a CPU tells, in 1,000 allocations.
    """

    name: NumaName
    threshold: int | None
    lag: int
    lag_in_all: int
    told: float


def design_row(machine: Asked, name: NumaName) -> DesignRow:
    """What a design is like on the machine, in its largest zone or that zone's node."""
    design = NUMA_DESIGNS[name]
    if design.threshold == NEVER:
        return DesignRow(name, None, 0, 0, 0.0)
    by_node = {zone.node: zone for zone in machine.zones}.values()
    counted = tuple(by_node) if design.of_node else machine.zones
    lags, lags_in_all = LAGS[design.reading]
    threshold = _threshold(machine, design, machine.largest)
    kept = kept_by_cpus([threshold] * machine.cpus, "inc").most
    cells = [_threshold(machine, design, zone) for zone in counted]
    in_all = kept_by_cpus(cells * machine.cpus, "inc").most
    told = folds(threshold, overstep=design.overstep).up
    return DesignRow(name, threshold, kept if lags else 0, in_all if lags_in_all else 0, told)


def _threshold(machine: Asked, design: NumaDesign, zone: CountedZone) -> int:
    """The design's own threshold, or the zone's normal one."""
    own = design.threshold
    return normal_threshold(machine.cpus, zone.pages) if own is None else own
