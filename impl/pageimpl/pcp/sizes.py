"""How many frames a list asks for at once, and how many it may keep, written into memory.

The twin of the spec's `pcp.sizes`. Plain Python: it runs once for each zone, before boot; what
changes with the CPUs that run is in `pcp.cpus`.
"""

from pageimpl.era import (
    BARRING,
    BULK_RULES,
    LIST_RULES,
    TUNINGS,
)
from pageimpl.memory import (
    COUNTS_IN_CELLS,
    Memory,
    lists_first_of,
    set_barring,
    set_buddy_after_lists,
    set_bulk_rule,
    set_can_disable,
    set_counting,
    set_counts_drain_once,
    set_counts_operations,
    set_cpus,
    set_default_low_mark,
    set_drains_each_pageblock,
    set_drains_from_preferred,
    set_drains_remotely,
    set_early_drift_marks,
    set_eighth,
    set_huge_rule,
    set_kept_orders,
    set_list_batch,
    set_list_high,
    set_listed_order,
    set_looks_closely,
    set_lowers_thresholds,
    set_next,
    set_nr_lists,
    set_prev,
    set_refreshes_unplugged,
    set_sets_shift,
    set_tail_flags,
    set_tuning,
)
from pageimpl.pcp.state import AREA_SLOTS, set_batch, set_far, set_high, set_low
from pageimpl.verbs import COLD
from pageimpl.watermark.marks import marks_of, min_free_kbytes
from pagespec.machine import Machine

CAPS = {"256k": (6, False), "512k-rounded": (7, True), "1m-rounded": (8, True)}
"""Per rule: the limit of a batch before it is quartered, as a power of two, and whether the result
is one less than a power of two."""

ORDERS_KEPT = {"one": 1, "types": 1}
"""The orders that are kept where those up to 3 and that of huge pages are not, as bits."""


def raw_batch(pages: int, rule: str) -> int:
    """A thousandth of the zone, capped and quartered; a small zone may have 0."""
    cap, rounded = CAPS[rule]
    batch = max(1, min(pages >> 10, 1 << cap) >> 2)
    return (1 << (batch + (batch >> 1)).bit_length() - 1) - 1 if rounded else batch


def kept_orders(machine: Machine) -> int:
    """A bit for each order whose blocks go through the CPUs' lists."""
    if machine.era.lists in ORDERS_KEPT:
        return ORDERS_KEPT[machine.era.lists]
    if machine.pageblock is None:
        return 0b1111
    return (0b1111 | 1 << machine.pageblock) & (2 << machine.pageblock) - 1


def areas_of(machine: Machine) -> int:
    """How many areas the CPUs have in all: two each where hot and cold blocks are kept apart."""
    return machine.cpus << (machine.era.tuning == "pair")


def write_lists(memory: Memory, machine: Machine) -> None:
    """Give the CPUs empty lists, which lie where the memory says."""
    era = machine.era
    pages = machine.managed_pages
    raw = raw_batch(pages, era.batch) if machine.batch is None else machine.batch
    nr_lists, huge_rule = LIST_RULES[era.lists]
    set_cpus(memory, machine.cpus)
    set_kept_orders(memory, kept_orders(machine))
    set_barring(memory, BARRING[era.guard])
    set_sets_shift(memory, era.tuning == "pair")
    set_tail_flags(memory, COLD if era.cold_at_tail else 0)
    set_nr_lists(memory, nr_lists)
    set_huge_rule(memory, huge_rule)
    set_tuning(memory, TUNINGS[era.tuning])
    set_buddy_after_lists(memory, era.buddy_after_lists)
    set_drains_from_preferred(memory, era.drains_from_preferred)
    set_drains_each_pageblock(memory, era.drains_each_pageblock)
    set_can_disable(memory, era.can_disable)
    set_counts_operations(memory, era.counts_operations)
    set_bulk_rule(memory, BULK_RULES[era.bulk])
    set_counting(memory, COUNTS_IN_CELLS if machine.cells else 0)
    set_counts_drain_once(memory, era.counts_drain_once)
    set_drains_remotely(memory, era.drains_remotely)
    set_refreshes_unplugged(memory, era.refreshes_unplugged)
    set_looks_closely(memory, machine.cells and era.close_reads == "while-reclaiming")
    set_early_drift_marks(memory, machine.cells and era.early_drift_marks)
    set_lowers_thresholds(memory, era.lowers_thresholds)
    set_list_batch(memory, max(1, raw))
    set_list_high(memory, -1 if machine.high is None else machine.high)
    kbytes = min_free_kbytes(pages << 2, era.min_free)
    set_default_low_mark(memory, marks_of(era, kbytes, pages, pages).low)
    set_eighth(memory, pages >> 3)
    for number in range(areas_of(machine)):
        q = lists_first_of(memory) + number * AREA_SLOTS
        _write_area(memory, q, nr_lists, -1 if machine.pageblock is None else machine.pageblock)
        cold = number & 1
        if era.tuning == "pair":
            set_high(memory, q, 2 * max(1, raw) if cold else 6 * max(1, raw))
            set_low(memory, q, 0 if cold else 2 * max(1, raw))
        elif era.tuning == "batches":
            set_high(memory, q, 6 * raw if machine.high is None else machine.high)
        set_batch(memory, q, max(1, raw))
    for cpu in machine.far:
        set_far(memory, lists_first_of(memory) + (cpu << (era.tuning == "pair")) * AREA_SLOTS, 1)


def _write_area(memory: Memory, q: int, nr_lists: int, huge: int) -> None:
    for index in range(nr_lists):
        set_next(memory, q + index, q + index)
        set_prev(memory, q + index, q + index)
        set_listed_order(memory, q + index, huge if index >= 12 else index // 3)
