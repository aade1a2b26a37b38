"""Which of a CPU's lists a block belongs to, and where it lies in memory.

The twin of the spec's `pcp.index`: a list is the slot of its head.
"""

from pageimpl.era import HUGE_ALONE, HUGE_BY_TYPE
from pageimpl.jitcache import inlined, kernel
from pageimpl.memory import (
    Memory,
    barring_of,
    huge_rule_of,
    kept_orders_of,
    lists_first_of,
    sets_shift_of,
)
from pageimpl.migratetype import MOST_REQUESTED, MOVABLE
from pageimpl.pcp.state import AREA_SLOTS
from pageimpl.verbs import COLD, CPU_BITS, CPU_SHIFT

COSTLY = 3
"""The largest order that is kept in lists, but for the order of huge pages."""

HUGE_LISTS = 3 * (COSTLY + 1)
"""The first list of huge blocks."""


@inlined
def may_use_lists(mem: Memory, order: int, want: int) -> bool:
    """Whether a block of that order goes through the CPU's lists, and the guard lets it.

    Without lists no order is kept, so this one word is all that such a zone is asked.
    """
    return kept_orders_of(mem) >> order & 1 != 0 and want & barring_of(mem) == 0


@kernel
def area_of(mem: Memory, cpu: int, cold: int) -> int:
    """The first slot of a CPU's area; of its second one for cold blocks, if it has one."""
    shift = sets_shift_of(mem)
    return lists_first_of(mem) + ((cpu << shift) + (cold & shift)) * AREA_SLOTS


@inlined
def cpu_of(want: int) -> int:
    """The CPU that asks."""
    return want >> CPU_SHIFT & CPU_BITS


@inlined
def area_for(mem: Memory, want: int) -> int:
    """The first slot of the area of the CPU that asks."""
    cold = 1 if want & COLD else 0
    return area_of(mem, cpu_of(want), cold)


@kernel
def list_type(mt: int) -> int:
    """The type under which a freed block is listed that is not isolated."""
    return mt if mt <= MOST_REQUESTED else MOVABLE


@kernel
def list_index(mem: Memory, order: int, mt: int) -> int:
    """The number of the list of a block that is kept."""
    if order <= COSTLY:
        return 3 * order + mt
    rule = huge_rule_of(mem)
    if rule == HUGE_BY_TYPE:
        return HUGE_LISTS + mt
    return HUGE_LISTS if rule == HUGE_ALONE or mt != MOVABLE else HUGE_LISTS + 1
