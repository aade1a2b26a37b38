"""The reserve for atomic requests: pageblocks that join it, and leave it again."""

from pagespec.frames import SIZES
from pagespec.migratetype import HIGHATOMIC, REQUESTED
from pagespec.stamps.blocks import head
from pagespec.stamps.moves import movable_run, move, move_block
from pagespec.stamps.state import Stamps, managed, pageblock_order, retype, type_at
from pagespec.types import NO_MEMORY, Block
from pagespec.verbs import Op, Outcome


def reserve(stamps: Stamps, block: Block) -> None:
    """Reserve the pageblock of a block that an atomic request has just got, up to the limit."""
    size = SIZES[pageblock_order(stamps)]
    if stamps.reserved >= _limit(stamps) or type_at(stamps, block.pfn) not in REQUESTED:
        return
    agree = stamps.machine.era.retypes_on_merge
    if agree and block.order >= pageblock_order(stamps):
        retype(stamps, block, HIGHATOMIC)
        stamps.reserved += SIZES[block.order]
        return
    run = movable_run(stamps, block.pfn)
    if agree and not run:
        return
    move(stamps, run, HIGHATOMIC)
    retype(stamps, Block(block.pfn, 0), HIGHATOMIC)
    stamps.reserved += size


def _limit(stamps: Stamps) -> int:
    """How many frames reserved are enough, in the era's way of granting a hundredth."""
    size, share = SIZES[pageblock_order(stamps)], managed(stamps) // 100
    match stamps.machine.era.reserve:
        case "none":
            return 0
        case "at-least-one":
            return share + size
        case "one-percent":
            return 0 if share < size else (share + size - 1) // size * size


def unreserve(stamps: Stamps, op: Op) -> Outcome:
    """Give a pageblock of the reserve to a type, the first that shows a free block."""
    pageblock = pageblock_order(stamps)
    agree = stamps.machine.era.retypes_on_merge
    outcome = NO_MEMORY
    if not op.force and stamps.reserved <= SIZES[pageblock]:
        return outcome
    for order in range(stamps.machine.top + 1):
        block = head(stamps, order, HIGHATOMIC)
        if block is None or block.order != order:
            continue
        outcome = 0
        size = SIZES[max(pageblock, order) if agree else pageblock]
        if type_at(stamps, block.pfn) is HIGHATOMIC:
            stamps.reserved = max(stamps.reserved - size, 0)
        if agree and order >= pageblock:
            move_block(stamps, block, op.mt)
            retype(stamps, block, op.mt)
            break
        retype(stamps, Block(block.pfn, 0), op.mt)
        if move(stamps, movable_run(stamps, block.pfn), op.mt):
            break
    return outcome
