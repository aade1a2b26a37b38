"""Free blocks that change their list, pageblock by pageblock."""

from pagespec.frames import SIZES, head_of
from pagespec.migratetype import MigrateType
from pagespec.stamps.blocks import put
from pagespec.stamps.cells import count
from pagespec.stamps.state import Stamps, pageblock_order
from pagespec.types import Block


def movable_run(stamps: Stamps, index: int) -> range:
    """The frames of the pageblock at the index whose free blocks move, none if it may not.

    None move of a pageblock that reaches over the zone's end. Of one that starts below the zone
    only those from the index on do; none where lists and types agree, as the rest would stay.
    """
    machine = stamps.machine
    first = head_of(index, pageblock_order(stamps))
    end = first + SIZES[pageblock_order(stamps)]
    if stamps.origin + end > machine.end:
        return range(0)
    if stamps.origin + first >= machine.start:
        return range(first, end)
    return range(0) if machine.era.retypes_on_merge else range(index, end)


def blocks_from(stamps: Stamps, run: range) -> list[Block]:
    """The free blocks that start in the run, lowest first."""
    return sorted(block for block in stamps.stamp if block.pfn in run)


def free_from(stamps: Stamps, run: range) -> int:
    """The frames of the free blocks that start in the run."""
    return sum(SIZES[block.order] for block in blocks_from(stamps, run))


def move(stamps: Stamps, run: range, mt: MigrateType) -> int:
    """Move the free blocks of a run to the lists of a type; the frames moved are returned."""
    for block in blocks_from(stamps, run):
        move_block(stamps, block, mt)
    return free_from(stamps, run)


def move_block(stamps: Stamps, block: Block, mt: MigrateType) -> None:
    """Move one block to the list of a type.

    Since 6.10 it is counted out of the one and into the other, also where the sum stays.
    """
    if stamps.machine.era.retypes_on_merge:
        count(stamps, -SIZES[block.order], stamps.listed[block])
        count(stamps, SIZES[block.order], mt)
    put(stamps, block, mt, to_tail=stamps.machine.era.moved_to_tail)
