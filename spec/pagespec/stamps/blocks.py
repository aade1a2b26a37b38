"""The stamped blocks of a zone: how they enter and leave, grow, and are split."""

from dataclasses import dataclass, field
from typing import NamedTuple

from pagespec.frames import SIZES, buddy_of, head_of, parent_of
from pagespec.machine import Machine
from pagespec.migratetype import ISOLATE, REQUESTED, UNMOVABLE, MigrateType
from pagespec.pcp.state import Load
from pagespec.types import Block, Order, Pfn
from pagespec.watermark.marks import Marks


class Kept(NamedTuple):
    """Where a block is that a CPU keeps: in which of its sets, hot or cold, and on which list.

    stamp: as a free block's. mt: the type that its pageblock, or the list that it was taken from,
    had when it came.
    """

    cpu: int
    cold: bool
    number: int
    stamp: int
    mt: MigrateType


@dataclass(slots=True)
class Stamps:
    """The free blocks of a zone by stamp, and what else decides where blocks go.

    Frames are counted from `origin`, the last frame up to the zone's start at which a block of the
    top order may start; so masks are short.

    stamp: the stamp of each free block. listed: the type of its list.
    clock: how many stamps have been given.
    guards: halves that are neither free nor anybody's, yet merge.
    movable: one bit per frame that is held and could be moved elsewhere.
    pageblocks: the type of each pageblock. reserved: frames of the reserve for atomic requests.
    offline: how many frames are offline.

    kept: the blocks that CPUs keep. loads: per CPU and set, the sizes of its lists and what they
        have learnt. sizes: what their sizes were last set to. unplugged: the CPUs that are not
        running. disabled: whether the lists keep nothing for now.
    slots: the slot of each frame that the array of bulk requests holds.
    marks: the zone's marks, if it has any. boost: what is added to each. boosted: whether kswapd
        has yet to hear of it. below_high: whether a request found the zone below its high mark.
        reclaiming: whether kswapd is at work.
    """

    machine: Machine
    origin: Pfn
    pageblocks: list[MigrateType]
    reserved: int
    stamp: dict[Block, int] = field(default_factory=dict)
    listed: dict[Block, MigrateType] = field(default_factory=dict)
    clock: int = 0
    guards: set[Block] = field(default_factory=set)
    movable: int = 0
    offline: int = 0
    kept: dict[Block, Kept] = field(default_factory=dict)
    loads: list[list[Load]] = field(default_factory=list)
    sizes: tuple[Load, ...] = ()
    unplugged: set[int] = field(default_factory=set)
    disabled: bool = False
    slots: dict[Pfn, int] = field(default_factory=dict)
    marks: Marks | None = None
    boost: int = 0
    boosted: bool = False
    below_high: bool = False
    reclaiming: bool = False


def origin_of(machine: Machine) -> Pfn:
    """The frame from which a machine's frames are counted: it keeps every alignment as it is."""
    return machine.base + head_of(machine.start - machine.base, machine.top)


def mask_of(index: int, order: Order) -> int:
    """The frames of a block as bits of an integer."""
    return ((1 << SIZES[order]) - 1) << index


def pageblock_order(stamps: Stamps) -> Order:
    """The order of a pageblock; a machine without any is one that never ends."""
    pageblock = stamps.machine.pageblock
    return stamps.machine.top if pageblock is None else pageblock


def type_at(stamps: Stamps, index: int) -> MigrateType:
    """The type of the frame's pageblock."""
    if stamps.machine.pageblock is None:
        return UNMOVABLE
    return stamps.pageblocks[stamps.machine.pageblock_number(stamps.origin + index)]


def retype(stamps: Stamps, block: Block, mt: MigrateType) -> None:
    """Give a type to the block's pageblock, or to all that it covers."""
    first = stamps.machine.pageblock_number(stamps.origin + block.pfn)
    count = SIZES[max(block.order - pageblock_order(stamps), 0)]
    stamps.pageblocks[first : first + count] = [mt] * count


def running(stamps: Stamps) -> list[int]:
    """The CPUs that run, lowest first; one where CPUs keep nothing."""
    return sorted(set(range(max(1, stamps.machine.cpus))) - stamps.unplugged)


def sharers(stamps: Stamps) -> int:
    """How many CPUs share what may be kept of the zone: those near it, or all if none is."""
    return len(set(running(stamps)) - stamps.machine.far) or len(running(stamps))


def managed(stamps: Stamps) -> int:
    """How many frames the zone's allocator looks after."""
    return stamps.machine.managed_pages - stamps.offline


def pages_of(stamps: Stamps, mt: MigrateType) -> int:
    """The frames on the lists of a type."""
    return sum(SIZES[block.order] for block, listed in stamps.listed.items() if listed is mt)


def free_pages(stamps: Stamps) -> int:
    """How many frames count as free: since 4.10 those do not that are being isolated."""
    pages = sum(SIZES[block.order] for block in stamps.stamp)
    return pages if stamps.machine.era.isolation == "move" else pages - pages_of(stamps, ISOLATE)


def put(stamps: Stamps, block: Block, mt: MigrateType, *, to_tail: bool) -> None:
    """Stamp a block that enters a list."""
    stamps.stamp[block] = tick(stamps, to_tail=to_tail)
    stamps.listed[block] = mt


def tick(stamps: Stamps, *, to_tail: bool) -> int:
    """A new stamp: beyond all others at the tail, or at the head."""
    stamps.clock += 1
    return stamps.clock if to_tail else -stamps.clock


def remove(stamps: Stamps, block: Block) -> None:
    """Forget a block that leaves its list."""
    del stamps.stamp[block], stamps.listed[block]


def head(stamps: Stamps, order: Order, mt: MigrateType) -> Block | None:
    """The block at the head of the first list of the type, upward from an order, that has any."""
    sufficient = [
        block for block in stamps.stamp if block.order >= order and stamps.listed[block] is mt
    ]
    return min(sufficient, key=lambda block: (block.order, stamps.stamp[block]), default=None)


def split(stamps: Stamps, block: Block, order: Order, mt: MigrateType, wanted: int = 0) -> int:
    """Cut a block that is on no list down to the part of that order that holds a frame.

    Of every cut the other half goes to the head of its list, or becomes a guard. wanted: how far
    into the block the frame lies. The part's first frame is returned.
    """
    first = block.pfn
    for smaller in range(block.order - 1, order - 1, -1):
        low, high = Block(first, smaller), Block(first + SIZES[smaller], smaller)
        kept, half = (high, low) if block.pfn + wanted >= high.pfn else (low, high)
        if smaller < stamps.machine.guard:
            stamps.guards.add(half)
        else:
            put(stamps, half, mt, to_tail=False)
        first = kept.pfn
    return first


def give(stamps: Stamps, block: Block, *, to_tail: bool = False) -> None:
    """Free a block to its own type; where lists and types agree, pageblock by pageblock."""
    for piece in pieces_of(stamps, block) if stamps.machine.era.retypes_on_merge else (block,):
        grow(stamps, piece, type_at(stamps, piece.pfn), to_tail=to_tail)


def pieces_of(stamps: Stamps, block: Block) -> tuple[Block, ...]:
    """The block's pageblocks, lowest first; the block alone if it is no larger than one."""
    order = min(block.order, pageblock_order(stamps))
    end = block.pfn + SIZES[block.order]
    return tuple(Block(first, order) for first in range(block.pfn, end, SIZES[order]))


def grow(stamps: Stamps, block: Block, mt: MigrateType, *, to_tail: bool = False) -> None:
    """Free a block to a type: it takes in its buddy as long as the two may be one."""
    while _may_merge(stamps, block, mt):
        index, order = block
        buddy = Block(buddy_of(index, order), order)
        if buddy in stamps.guards:
            stamps.guards.remove(buddy)
        else:
            remove(stamps, buddy)
        if stamps.machine.era.retypes_on_merge and order >= pageblock_order(stamps):
            retype(stamps, Block(buddy.pfn, 0), mt)
        block = Block(parent_of(index, order), order + 1)
    put(stamps, block, mt, to_tail=to_tail or _merge_likely(stamps, block))


def is_free(stamps: Stamps, block: Block) -> bool:
    """Whether the block is free and not part of a larger one, or a guard, which counts as free."""
    return block in stamps.stamp or block in stamps.guards


def _may_merge(stamps: Stamps, block: Block, mt: MigrateType) -> bool:
    index, order = block
    if order >= stamps.machine.top or not is_free(stamps, Block(buddy_of(index, order), order)):
        return False
    barrier = stamps.machine.era.barrier
    theirs = type_at(stamps, buddy_of(index, order))
    if order < pageblock_order(stamps) or barrier == "none" or theirs is mt:
        return True
    if barrier == "isolate":
        return ISOLATE not in (mt, theirs)
    return mt in REQUESTED and theirs in REQUESTED


def _merge_likely(stamps: Stamps, block: Block) -> bool:
    """Whether the buddy of the block that would form next is free already."""
    index, order = block
    placement = stamps.machine.era.placement
    if placement == "head" or order >= stamps.machine.top - 1:
        return False
    parent = parent_of(index, order)
    if placement == "likely-2.6.39" and parent != index:
        return False
    return is_free(stamps, Block(buddy_of(parent, order + 1), order + 1))
