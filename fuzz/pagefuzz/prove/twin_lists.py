"""What CPUs keep, what the array of bulk requests holds, and the marks: written into a twin."""

from collections.abc import Callable

from pageimpl.memory import (
    Memory,
    lists_first_of,
    set_below_high,
    set_boost,
    set_boosted,
    set_disabled,
    set_frame_in_array,
    set_listed_type,
    set_next,
    set_prev,
    set_reclaiming,
    set_sized_low,
    shift_of,
)
from pageimpl.pcp.state import (
    AREA_SLOTS,
    set_batch,
    set_count,
    set_factor,
    set_freed,
    set_high,
    set_high_max,
    set_high_min,
    set_high_order,
    set_low,
    set_unplugged,
    set_waits,
)
from pagespec.pcp.sizes import Pageset
from pagespec.pcp.state import Load, Pcp
from pagespec.pcp.tuning import Doubling, Tuned
from pagespec.zone import Zone

FIELDS: dict[type[Load], tuple[Callable[[Memory, int, int], None], ...]] = {
    Pageset: (set_low, set_high, set_batch),
    Doubling: (set_high, set_batch, set_factor),
    Tuned: (
        set_high_min,
        set_high_max,
        set_batch,
        set_high,
        set_factor,
        set_freed,
        set_high_order,
        set_waits,
    ),
}
"""Where the twin has each field of the sizes of lists, by their kind."""


def link(memory: Memory, before: int, after: int) -> None:
    """Let one slot follow another on a list."""
    set_next(memory, before, after)
    set_prev(memory, after, before)


def write_cpus(memory: Memory, zone: Zone) -> None:
    """Write what each CPU keeps, and whether it runs."""
    q = lists_first_of(memory)
    for cpu, pcps in enumerate(zone.pcps):
        set_unplugged(memory, q, cpu in zone.unplugged)
        for pcp in pcps:
            _write_area(memory, q, pcp)
            q += AREA_SLOTS
    set_disabled(memory, zone.disabled)
    set_sized_low(memory, zone.sized_low)


def _write_area(memory: Memory, q: int, pcp: Pcp) -> None:
    shift = shift_of(memory)
    for head, blocks in enumerate(pcp.lists, start=q):
        before = head
        for pfn, mt in blocks.items():
            link(memory, before, pfn + shift)
            set_listed_type(memory, pfn + shift, mt)
            before = pfn + shift
        link(memory, before, head)
    set_count(memory, q, pcp.count)
    for store, value in zip(FIELDS[type(pcp.load)], pcp.load, strict=True):
        store(memory, q, value)


def write_slots(memory: Memory, zone: Zone) -> None:
    """Write which frames the array holds, and with each frame its slot."""
    for pfn, slot in zone.slots.items():
        set_frame_in_array(memory, slot, pfn + shift_of(memory))
        set_next(memory, pfn + shift_of(memory), slot)


def write_marks(memory: Memory, zone: Zone) -> None:
    """Write how the zone's watermarks stand, if it has any."""
    if zone.levels is not None:
        set_boost(memory, zone.levels.boost)
        set_boosted(memory, zone.levels.boosted)
        set_below_high(memory, zone.levels.below_high)
        set_reclaiming(memory, zone.levels.reclaiming)
