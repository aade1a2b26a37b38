"""The spec's arithmetic of lists and marks and the twin's, side by side, number by number.

The twin reads rules and sizes from a zone's memory, where CrossHair cannot follow it. So these are
compared on small domains only, in the twin's compiled form. A rule is given by its number.
"""

from typing import get_args

from pageimpl import memory as fields
from pageimpl.era import RIGHTS_RULES, SHORTCUTS
from pageimpl.jitcache import operand
from pageimpl.layout import empty_zone
from pageimpl.pcp import index as bits_index
from pageimpl.pcp import sizes as bits_sizes
from pageimpl.pcp import state as area
from pageimpl.pcp import tuning as bits_tuning
from pageimpl.watermark import check as bits_check
from pageimpl.watermark import marks as bits_marks
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.migratetype import ISOLATE, MigrateType
from pagespec.pcp import index, sizes, tuning
from pagespec.pcp.sizes import BATCH_RULES, BatchRule
from pagespec.watermark import check, levels, marks
from pagespec.watermark.check import Rights, RightsRule
from pagespec.watermark.marks import MIN_FREE_RULES, MinFreeRule

BATCHES: tuple[BatchRule, ...] = get_args(BatchRule)
LEASTS: tuple[MinFreeRule, ...] = get_args(MinFreeRule)
RIGHTS: tuple[RightsRule, ...] = get_args(RightsRule)
MARKED = tuple(ERAS[name] for name in ("2.6.8", "2.6.11", "2.6.37", "6.1"))
"""An era for each rule of marks."""

MEMORY = empty_zone(Machine(16, 2, ERAS["6.12"], cpus=1))
"""A zone whose memory is written with what each form is to read."""


def raw_batch(pages: int, rule: int) -> int:
    """The spec's `raw_batch`."""
    return sizes.raw_batch(pages, *BATCH_RULES[BATCHES[rule]])


def raw_batch_by_bits(pages: int, rule: int) -> int:
    """The twin's `raw_batch`."""
    return bits_sizes.raw_batch(pages, BATCHES[rule])


def min_free_kbytes(kbytes: int, rule: int) -> int:
    """The spec's `min_free_kbytes`."""
    return marks.min_free_kbytes(kbytes, MIN_FREE_RULES[LEASTS[rule]])


def min_free_kbytes_by_bits(kbytes: int, rule: int) -> int:
    """The twin's `min_free_kbytes`."""
    return bits_marks.min_free_kbytes(kbytes, LEASTS[rule])


def marks_of(kbytes: int, pages: int, era: int) -> tuple[int, ...]:
    """The spec's `marks_of`, for a zone that is alone."""
    return levels.marks_of(MARKED[era], kbytes, pages, pages)


def marks_of_by_bits(kbytes: int, pages: int, era: int) -> tuple[int, ...]:
    """The twin's `marks_of`."""
    return bits_marks.marks_of(MARKED[era], kbytes, pages, pages)


def list_type(mt: int) -> int | None:
    """The spec's `list_type`."""
    return index.list_type(MigrateType(mt))


def list_type_by_bits(mt: int) -> int | None:
    """The twin's `list_type`, which is not asked about isolated blocks."""
    return None if mt == ISOLATE else bits_index.list_type(mt)


def lowered(mark: int, high: int, harder: int, rule: int) -> int:
    """The spec's `lowered`."""
    return check.lowered(mark, Rights(bool(high), bool(harder)), RIGHTS[rule])


def lowered_by_bits(mark: int, high: int, harder: int, rule: int) -> int:
    """The twin's `lowered`."""
    fields.set_rights_rule(MEMORY, RIGHTS_RULES[RIGHTS[rule]])
    flags = bits_check.RIGHT_HIGH * high | bits_check.RIGHT_HARDER * harder
    return bits_check.lowered(operand(MEMORY), mark, flags)


def has_order_by_counts(free: int, mark: int, order: int, one: int, two: int) -> bool:
    """The spec's `has_order_by_counts`."""
    return check.has_order_by_counts(free, mark, order, [one, two])


def has_order_by_counts_by_bits(free: int, mark: int, order: int, one: int, two: int) -> bool:
    """The twin's `has_order_by_counts`."""
    fields.set_nr_free(MEMORY, 0, one)
    fields.set_nr_free(MEMORY, 1, two)
    return bits_check.has_order_by_counts(operand(MEMORY), free, mark, order)


def passes_fast(free: int, unusable: int, mark: int, reserve: int, wraps: int) -> bool:
    """The spec's `passes_fast`."""
    return check.passes_fast(free, unusable, mark, reserve, wraps=bool(wraps))


def passes_fast_by_bits(free: int, unusable: int, mark: int, reserve: int, wraps: int) -> bool:
    """The twin's `passes_fast`."""
    fields.set_shortcut(MEMORY, SHORTCUTS["wraps" if wraps else "stops"])
    return bits_check.passes_fast(operand(MEMORY), free, unusable, mark, reserve)


def decay(high: int, high_min: int, batch: int, count: int) -> tuple[int, ...]:
    """What the spec's `decay` drains, and `high` afterwards."""
    load = tuning.Tuned(high_min, high_min + 9, batch, high)
    fallen, pages = tuning.decay(load, count)
    return pages, fallen.high


def decay_by_bits(high: int, high_min: int, batch: int, count: int) -> tuple[int, ...]:
    """What the twin's `decay` drains, and `high` afterwards."""
    q = fields.lists_first_of(MEMORY)
    area.set_count(MEMORY, q, count)
    area.set_high(MEMORY, q, high)
    area.set_high_min(MEMORY, q, high_min)
    area.set_batch(MEMORY, q, batch)
    pages = bits_tuning.decay(operand(MEMORY), q)
    return pages, area.high_of(MEMORY, q)
