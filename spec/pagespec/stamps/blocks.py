"""The stamped blocks of a zone: how they enter and leave, grow, and are split."""

from pagespec.frames import SIZES, buddy_of, parent_of
from pagespec.migratetype import ISOLATE, REQUESTED, MigrateType
from pagespec.stamps.cells import count
from pagespec.stamps.state import Stamps, pageblock_order, retype, type_at
from pagespec.types import Block, Order


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
            count(stamps, -SIZES[smaller], mt)
        else:
            put(stamps, half, mt, to_tail=False)
        first = kept.pfn
    return first


def give(stamps: Stamps, block: Block, *, to_tail: bool = False) -> None:
    """Free a block to its own type; where lists and types agree, pageblock by pageblock."""
    for piece in pieces_of(stamps, block) if stamps.machine.era.retypes_on_merge else (block,):
        mt = type_at(stamps, piece.pfn)
        count(stamps, SIZES[piece.order], mt)
        grow(stamps, piece, mt, to_tail=to_tail)


def pieces_of(stamps: Stamps, block: Block) -> tuple[Block, ...]:
    """The block's pageblocks, lowest first; the block alone if it is no larger than one."""
    order = min(block.order, pageblock_order(stamps))
    end = block.pfn + SIZES[block.order]
    return tuple(Block(first, order) for first in range(block.pfn, end, SIZES[order]))


def grow(stamps: Stamps, block: Block, mt: MigrateType, *, to_tail: bool = False) -> None:
    """Free a block to a type: it takes in its buddy as long as the two may be one.

    What is freed has been counted; a guard that is taken in is counted again.
    """
    while _may_merge(stamps, block, mt):
        index, order = block
        buddy = Block(buddy_of(index, order), order)
        if buddy in stamps.guards:
            stamps.guards.remove(buddy)
            count(stamps, SIZES[order], mt)
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
