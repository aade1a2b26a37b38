"""The stamps of a whole zone: as boot leaves them, as its lists stand, and as lists again."""

from collections.abc import Iterator

from pagespec.frames import SIZES, blocks_of_run
from pagespec.machine import Machine
from pagespec.migratetype import HIGHATOMIC, MOVABLE
from pagespec.pcp.index import LISTS, order_of_list
from pagespec.stamps.blocks import give, put, tick
from pagespec.stamps.cells import start
from pagespec.stamps.sizes import marks_for, sizes_for
from pagespec.stamps.state import (
    Kept,
    Stamps,
    mask_of,
    origin_of,
    pageblock_order,
    sharers,
    type_at,
)
from pagespec.types import Block, Pfn
from pagespec.vmstat.kept import copy_of_cells, empty_cells
from pagespec.zone import KeptLists, Lists, Zone


def _no_stamps(machine: Machine) -> Stamps:
    types = list(machine.first_types)
    reserved = types.count(HIGHATOMIC) * SIZES[machine.pageblock or 0]
    stamps = Stamps(machine, origin_of(machine), types, reserved)
    if machine.cpus:
        stamps.sizes = sizes_for(machine, sharers(stamps), 0)
        stamps.loads = [list(stamps.sizes) for _ in range(machine.cpus)]
    if machine.min_free is not None:
        stamps.marks = marks_for(machine, machine.min_free)
    if machine.cells:
        stamps.cells = empty_cells(machine.cpus)
    return stamps


def boot_stamps(machine: Machine) -> Stamps:
    """The stamps of a zone whose memory has just been handed over, all of it told."""
    stamps = _no_stamps(machine)
    for run in machine.managed:
        for first, end in _runs_of_one_type(stamps, *run):
            for block in blocks_of_run(first, end, machine.top):
                give(stamps, block, to_tail=machine.era.boot_to_tail)
    start(stamps)
    return stamps


def _runs_of_one_type(stamps: Stamps, first: Pfn, end: Pfn) -> Iterator[tuple[int, int]]:
    """Cut a run of frames where the pageblocks' type changes, and count from the origin."""
    first, end = first - stamps.origin, end - stamps.origin
    size = SIZES[pageblock_order(stamps)]
    for edge in range(first - first % size + size, end, size):
        if type_at(stamps, edge) is not type_at(stamps, edge - 1):
            yield first, edge
            first = edge
    yield first, end


def stamps_of(zone: Zone) -> Stamps:
    """Stamps that put all blocks in the order in which the zone's lists hold them.

    What the zone does not say is taken as if its CPUs had been counted, and kswapd told, just now.
    """
    stamps = _no_stamps(zone.machine)
    for order, lists in enumerate(zone.free_area):
        for mt, pfns in lists.items():
            for pfn in pfns:
                put(stamps, Block(pfn - stamps.origin, order), mt, to_tail=True)
    stamps.guards = {Block(pfn - stamps.origin, order) for pfn, order in zone.guards.items()}
    stamps.pageblocks = list(zone.pageblocks)
    stamps.reserved = zone.nr_reserved
    stamps.offline = len(zone.offline) * SIZES[pageblock_order(stamps)]
    for pfn, held in zone.held.items():
        if held.mt is MOVABLE:
            stamps.movable |= mask_of(pfn - stamps.origin, held.order)
    _keep_as(stamps, zone)
    return stamps


def _keep_as(stamps: Stamps, zone: Zone) -> None:
    """Let the CPUs keep what the zone's CPUs do, and the marks stand as its do."""
    for cpu, pcps in enumerate(zone.pcps):
        stamps.loads[cpu] = [pcp.load for pcp in pcps]
        for cold, pcp in enumerate(pcps):
            for number, blocks in enumerate(pcp.lists):
                order = order_of_list(number, zone.machine.huge)
                for pfn, mt in blocks.items():
                    stamps.kept[Block(pfn - stamps.origin, order)] = Kept(
                        cpu, bool(cold), number, tick(stamps, to_tail=True), mt
                    )
    stamps.cells = copy_of_cells(zone.cells)
    stamps.unplugged = set(zone.unplugged)
    stamps.disabled = zone.disabled
    stamps.slots = dict(zone.slots)
    if zone.levels is not None:
        stamps.boost = zone.levels.boost
        stamps.boosted = zone.levels.boosted
        stamps.below_high = zone.levels.below_high
        stamps.reclaiming = zone.levels.reclaiming
    if stamps.loads:
        stamps.sizes = sizes_for(zone.machine, sharers(stamps), stamps.boost)


def expected_lists(stamps: Stamps) -> Lists:
    """Per order and type, the free blocks in the order in which the lists must hold them."""
    machine = stamps.machine
    lists: Lists = [{mt: [] for mt in machine.types_listed} for _ in range(machine.top + 1)]
    for block in sorted(stamps.stamp, key=stamps.stamp.__getitem__):
        lists[block.order][stamps.listed[block]].append(stamps.origin + block.pfn)
    return lists


def expected_pcps(stamps: Stamps) -> KeptLists:
    """Per CPU, set and list, the blocks in the order in which its lists must hold them."""
    lists: KeptLists = [
        [[[] for _ in range(LISTS[stamps.machine.era.lists])] for _ in loads]
        for loads in stamps.loads
    ]
    for block in sorted(stamps.kept, key=lambda block: stamps.kept[block].stamp):
        cpu, cold, number, _, _ = stamps.kept[block]
        lists[cpu][cold][number].append(stamps.origin + block.pfn)
    return lists
