"""Which way a request goes, as the state before it says: by a CPU's lists, or by the buddy.

Declarative: it asks what the era keeps in lists and whom its guard bars, never how the allocator
would find out.
"""

from pagespec.machine import Machine
from pagespec.migratetype import MOVABLE, UNMOVABLE, MigrateType
from pagespec.pcp.index import is_kept, list_index, list_type
from pagespec.pcp.state import Pcp
from pagespec.types import Order, Pfn
from pagespec.verbs import Op
from pagespec.zone import Zone


def leaks_isolated(machine: Machine) -> bool:
    """Whether a frame may leave an isolated pageblock by way of a CPU's list, under its old type.

    A real fault of 2.6.37 and 2.6.39, where a drain trusts the type that a block was listed with.
    """
    return machine.cpus > 0 and machine.era.isolation == "move"


def mixes_huge(machine: Machine) -> bool:
    """Whether huge blocks of all types are on one list, so that one type's serve another (6.1)."""
    return machine.cpus > 0 and machine.era.lists == "huge-alone"


def is_barred(zone: Zone, op: Op) -> bool:
    """Whether the era's guard keeps the request off the lists of its CPU."""
    guard = zone.machine.era.guard
    if guard == "no-interrupt":
        return op.irq
    return guard in ("trylock-irqs-off", "trylock") and op.contended


def goes_by_lists(zone: Zone, op: Op, order: Order) -> bool:
    """Whether a block of that order is given or taken back through the lists of the op's CPU.

    What is larger than a pageblock has no one type, so no list of its own.
    """
    machine = zone.machine
    if not machine.cpus or not is_kept(machine.era.lists, order, machine.huge):
        return False
    larger = machine.pageblock is not None and order > machine.pageblock
    return not larger and not is_barred(zone, op)


def frees_by_lists(zone: Zone, op: Op, pfn: Pfn, order: Order) -> bool:
    """The same of a block that is freed: isolated memory passes the lists by."""
    return list_type(type_at(zone, pfn)) is not None and goes_by_lists(zone, op, order)


def type_at(zone: Zone, pfn: Pfn) -> MigrateType:
    """The type of the frame's pageblock; without pageblocks everything is UNMOVABLE."""
    if zone.machine.pageblock is None:
        return UNMOVABLE
    return zone.pageblocks[zone.machine.pageblock_number(pfn)]


def type_of(zone: Zone, op: Op) -> MigrateType:
    """The type that a request is served as."""
    return UNMOVABLE if zone.machine.pageblock is None else op.mt


def number_of(machine: Machine, order: Order, mt: MigrateType) -> int:
    """The number of the list of blocks of that order, freed from a pageblock of that type."""
    listed = list_type(mt)
    return list_index(machine.era.lists, order, MOVABLE if listed is None else listed)


def kind_of(zone: Zone, op: Op) -> int:
    """Which set of the CPU's lists the request uses: the second is the cold one, if there is."""
    return int(op.cold and zone.machine.era.tuning == "pair")


def set_of(zone: Zone, op: Op) -> Pcp:
    """The set of lists that the request uses. Only for a CPU that the machine has."""
    return zone.pcps[op.cpu][kind_of(zone, op)]


def at_tail(zone: Zone, op: Op) -> bool:
    """Whether the request uses the cold end of its list, where one list is for both."""
    return op.cold and zone.machine.era.cold_at_tail
