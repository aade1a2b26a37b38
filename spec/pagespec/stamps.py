"""List order without lists: every free block carries a stamp, and a list is its blocks by stamp.

The clock ticks with each block that becomes free. A block that enters at the head gets minus the
clock, lower than any stamp before; at the tail the clock, higher than any. The set of free frames
is one big integer, and a freed block grows to the largest aligned block that is wholly free.
Nothing here knows of linked lists, tags, or merge loops: it is the second opinion on `exact`, and
shares only the arithmetic with what it judges.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from pagespec.frames import SIZES, blocks_of_run, buddy_of, head_of, parent_of
from pagespec.machine import Machine
from pagespec.migratetype import UNMOVABLE, MigrateType
from pagespec.types import NO_MEMORY, Block, Order, Pfn
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import Lists, Zone, free_blocks


def mask_of(index: int, order: Order) -> int:
    """The frames of a block as bits of an integer."""
    return ((1 << SIZES[order]) - 1) << index


@dataclass(slots=True)
class Stamps:
    """The free frames of a zone and the stamps of its free blocks, by index from an origin.

    origin: the last frame up to the zone's start at which a block of the top order may start.
    free: one bit per free frame.
    stamp: the stamp of each free block.
    clock: how many stamps have been given.
    pageblocks: the type of each pageblock.
    """

    machine: Machine
    origin: Pfn
    free: int = 0
    stamp: dict[Block, int] = field(default_factory=dict)
    clock: int = 0
    pageblocks: list[MigrateType] = field(default_factory=list)


def boot_stamps(machine: Machine) -> Stamps:
    """The stamps of a zone whose memory has just been handed over."""
    stamps = _stamps(machine)
    origin = stamps.origin
    for first, end in machine.managed:
        for index, order in blocks_of_run(first - origin, end - origin, machine.top):
            stamps.free |= mask_of(index, order)
            _stamp(stamps, Block(index, order), to_tail=machine.era.boot_to_tail)
    return stamps


def _stamps(machine: Machine) -> Stamps:
    # Counting from an aligned frame keeps the integer short and every alignment as it is.
    return Stamps(machine, machine.base + head_of(machine.start - machine.base, machine.top))


def _stamp(stamps: Stamps, block: Block, *, to_tail: bool) -> None:
    """Stamp a block that has just become free, at the tail also if a further merge is likely."""
    stamps.clock += 1
    to_tail = to_tail or _merge_likely(stamps, block)
    stamps.stamp[block] = stamps.clock if to_tail else -stamps.clock


def _merge_likely(stamps: Stamps, block: Block) -> bool:
    index, order = block
    placement = stamps.machine.era.placement
    if placement == "head" or order >= stamps.machine.top - 1:
        return False
    parent = parent_of(index, order)
    if placement == "likely-2.6.39" and parent != index:
        return False
    return Block(buddy_of(parent, order + 1), order + 1) in stamps.stamp


def stamps_of(zone: Zone) -> Stamps:
    """Stamps that put the free blocks in the order in which the zone's lists hold them."""
    stamps = _stamps(zone.machine)
    for pfn, order in free_blocks(zone):
        stamps.clock += 1
        stamps.stamp[Block(pfn - stamps.origin, order)] = stamps.clock
        stamps.free |= mask_of(pfn - stamps.origin, order)
    return stamps


def expected_lists(stamps: Stamps) -> Lists:
    """Per order and type, the free blocks in the order in which the lists must hold them."""
    lists: Lists = [{UNMOVABLE: []} for _ in range(stamps.machine.top + 1)]
    for block in sorted(stamps.stamp, key=stamps.stamp.__getitem__):
        lists[block.order][UNMOVABLE].append(stamps.origin + block.pfn)
    return lists


def foretell(stamps: Stamps, op: Op, freed: Iterable[Block]) -> Outcome:
    """Serve a request that is legal.

    freed: the blocks that the request gives back, in order.
    """
    if op.verb is Verb.ALLOC:
        return _alloc(stamps, op.order)
    for block in freed:
        _free(stamps, block.pfn, block.order)
    return 0


def _alloc(stamps: Stamps, order: Order) -> Outcome:
    """Serve a request: the block with the lowest stamp of the smallest sufficient order."""
    sufficient = [block for block in stamps.stamp if block.order >= order]
    if not sufficient:
        return NO_MEMORY
    block = min(sufficient, key=lambda block: (block.order, stamps.stamp[block]))
    index = block.pfn
    del stamps.stamp[block]
    stamps.free &= ~mask_of(index, order)
    for half in range(block.order - 1, order - 1, -1):
        stamps.clock += 1
        stamps.stamp[Block(index + SIZES[half], half)] = -stamps.clock
    return stamps.origin + index


def _free(stamps: Stamps, pfn: Pfn, order: Order) -> None:
    """Free a block: it grows as long as its parent is wholly free, and what it covers is one."""
    index = pfn - stamps.origin
    stamps.free |= mask_of(index, order)
    while order < stamps.machine.top:
        parent = parent_of(index, order)
        mask = mask_of(parent, order + 1)
        if stamps.free & mask != mask:
            break
        stamps.stamp.pop(Block(buddy_of(index, order), order), None)
        index, order = parent, order + 1
    _stamp(stamps, Block(index, order), to_tail=False)
