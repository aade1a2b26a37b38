"""Which requests to the counters are refused: the codes of Refusal, found before anything changes.

0 means that there is no reason.
"""

from pageimpl.jitcache import kernel
from pageimpl.vmstat.counters import area_of
from pageimpl.vmstat.state import (
    CounterMemory,
    by_node_of,
    cpus_of,
    first_place_of,
    held_up_of,
    nr_places_of,
    ordinal_of,
    running_of,
    zones_of,
)
from pagespec.host import MAX_NODES
from pagespec.types import MAX_TOP, Refusal

BAD_ORDER = Refusal.BAD_ORDER.value
UNSUPPORTED = Refusal.UNSUPPORTED.value
BAD_RANGE = Refusal.BAD_RANGE.value
BAD_CPU = Refusal.BAD_CPU.value
BAD_NODE = Refusal.BAD_NODE.value
NO_COUNTER = Refusal.NO_COUNTER.value
BUSY = Refusal.BUSY.value
NO_UPDATE = Refusal.NO_UPDATE.value


@kernel
def check_cpu(mem: CounterMemory, cpu: int) -> int:
    """Refuse a CPU that does not run, and one in the middle of an update with interrupts off."""
    if cpu < 0 or cpu >= cpus_of(mem):
        return BAD_CPU
    q = area_of(mem, cpu)
    if not running_of(mem, q):
        return BAD_CPU
    return BUSY if held_up_of(mem, q) else 0


@kernel
def check_zone(mem: CounterMemory, zone: int) -> int:
    """Refuse a zone that is not there."""
    return 0 if 0 <= zone < zones_of(mem) else NO_COUNTER


@kernel
def check_order(order: int) -> int:
    """Refuse an order that no zone has."""
    return 0 if 0 <= order <= MAX_TOP else BAD_ORDER


@kernel
def check_node(mem: CounterMemory, node: int) -> int:
    """Refuse a node without memory."""
    return 0 if 0 <= node < MAX_NODES and ordinal_of(mem, node) >= 0 else BAD_NODE


@kernel
def place_of(mem: CounterMemory, item: int, where: int) -> int:
    """The number of an item's counter of a zone or node, or a refusal."""
    if by_node_of(mem, item):
        where = ordinal_of(mem, where) if 0 <= where < MAX_NODES else -1
    if where < 0 or where >= nr_places_of(mem, item):
        return NO_COUNTER
    return first_place_of(mem, item) + where
