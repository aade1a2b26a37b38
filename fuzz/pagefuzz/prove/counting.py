"""The spec's arithmetic of cells and thresholds and the twin's, side by side, number by number.

The twin counts in the cell's own width: outside it, where the spec's numbers have no bounds, both
forms return None.
"""

from pageimpl import memory as fields
from pageimpl.jitcache import operand
from pageimpl.layout import empty_zone
from pageimpl.pcp import state as area
from pageimpl.vmstat import cell as bits_cell
from pageimpl.vmstat import kept as bits_kept
from pageimpl.vmstat import threshold as bits_threshold
from pageimpl.vmstat.choices import S8, U16
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.vmstat import cell, kept, threshold
from pagespec.vmstat.cell import WIDTHS
from pagespec.vmstat.kept import Count
from pagespec.watermark.marks import Marks

MEMORY = empty_zone(Machine(16, 2, ERAS["6.12"], cpus=1, cells=True))
"""A zone whose CPU keeps what each form is to tell."""


def _fits(total: int) -> bool:
    least, most = WIDTHS["s8"]
    return least <= total <= most


def mod(diff: int, delta: int, threshold: int) -> tuple[int, ...]:
    """The spec's `mod`."""
    return cell.mod(diff, delta, threshold)


def mod_by_bits(diff: int, delta: int, threshold: int) -> tuple[int, ...]:
    """The twin's `mod`."""
    return bits_cell.mod(diff, delta, threshold)


def inc(diff: int, threshold: int) -> tuple[int, ...] | None:
    """The spec's `inc`."""
    return cell.inc(diff, threshold) if _fits(diff + 1) else None


def inc_by_bits(diff: int, threshold: int) -> tuple[int, ...] | None:
    """The twin's `inc`, of a cell of a byte."""
    return bits_cell.inc(diff, threshold, S8) if _fits(diff + 1) else None


def dec(diff: int, threshold: int) -> tuple[int, ...] | None:
    """The spec's `dec`."""
    return cell.dec(diff, threshold) if _fits(diff - 1) else None


def dec_by_bits(diff: int, threshold: int) -> tuple[int, ...] | None:
    """The twin's `dec`, of a cell of a byte."""
    return bits_cell.dec(diff, threshold, S8) if _fits(diff - 1) else None


def exchange(diff: int, delta: int, threshold: int, lean: int) -> tuple[int, ...]:
    """The spec's `exchange`."""
    return cell.exchange(diff, delta, threshold, lean)


def exchange_by_bits(diff: int, delta: int, threshold: int, lean: int) -> tuple[int, ...]:
    """The twin's `exchange`."""
    return bits_cell.exchange(diff, delta, threshold, lean)


def inc_without_overstep(diff: int, threshold: int) -> tuple[int, ...] | None:
    """The spec's `inc_without_overstep`."""
    return cell.inc_without_overstep(diff, threshold) if 0 <= diff <= threshold else None


def inc_without_overstep_by_bits(diff: int, threshold: int) -> tuple[int, ...] | None:
    """The twin's `inc_without_overstep`, of a cell without a sign."""
    return bits_cell.inc_without_overstep(diff, threshold, U16) if 0 <= diff <= threshold else None


def normal_threshold(cpus: int, pages: int) -> int:
    """The spec's `normal_threshold`."""
    return threshold.normal_threshold(cpus, pages)


def normal_threshold_by_bits(cpus: int, pages: int) -> int:
    """The twin's `normal_threshold`."""
    return bits_threshold.normal_threshold(cpus, pages)


def pressure_threshold(cpus: int, gap: int) -> int:
    """The spec's `pressure_threshold`, between marks that far apart."""
    return threshold.pressure_threshold(cpus, Marks(gap, 2 * gap, 3 * gap))


def pressure_threshold_by_bits(cpus: int, gap: int) -> int:
    """The twin's `pressure_threshold`."""
    return bits_threshold.pressure_threshold(cpus, gap)


def drift_mark(cpus: int, kept: int, gap: int, least: int) -> int:
    """The spec's `drift_mark`, for marks that far apart. kept: the threshold."""
    return threshold.drift_mark(cpus, kept, Marks(least, least + gap, least + 2 * gap))


def drift_mark_by_bits(cpus: int, kept: int, gap: int, least: int) -> int:
    """The twin's `drift_mark`."""
    return bits_threshold.drift_mark(cpus, kept, gap, least + 2 * gap)


def tell(free: int, cma: int) -> tuple[int, ...]:
    """What the spec's `tell` of both counts leaves and says, and whether there was anything."""
    counts = Count(0, [free]), Count(0, [cma])
    told = [kept.tell(count, 0) for count in counts]
    left, said = [count.kept[0] for count in counts], [count.told for count in counts]
    return (*left, *said, any(told))


def tell_by_bits(free: int, cma: int) -> tuple[int, ...]:
    """The twin's `tell`, which takes what is said off the sums of what all CPUs keep."""
    q = fields.lists_first_of(MEMORY)
    area.set_free_cell(MEMORY, q, free)
    area.set_cma_cell(MEMORY, q, cma)
    fields.set_kept_free(MEMORY, 0)
    fields.set_kept_cma(MEMORY, 0)
    told = bits_kept.tell(operand(MEMORY), 0)
    left = area.free_cell_of(MEMORY, q), area.cma_cell_of(MEMORY, q)
    return (*left, -fields.kept_free_of(MEMORY), -fields.kept_cma_of(MEMORY), told)
