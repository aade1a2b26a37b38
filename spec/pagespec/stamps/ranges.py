"""Ranges of pageblocks that are isolated, restored, allocated whole, or leave and come back."""

from collections.abc import Iterator

from pagespec.frames import SIZES, blocks_of_run, buddy_of, head_of
from pagespec.migratetype import ISOLATE, MOVABLE, MigrateType
from pagespec.stamps.blocks import give, grow, is_free, pieces_of, remove
from pagespec.stamps.cells import count
from pagespec.stamps.cpus import drain_all
from pagespec.stamps.kept import free
from pagespec.stamps.moves import blocks_from, move
from pagespec.stamps.state import Stamps, pageblock_order, retype, type_at
from pagespec.types import NO_MEMORY, Block
from pagespec.verbs import Op, Outcome


def run_of(stamps: Stamps, op: Op) -> range:
    """The frames that the request is about, counted from the origin."""
    return range(op.pfn - stamps.origin, op.pfn - stamps.origin + op.pages)


def _pageblocks_of(stamps: Stamps, run: range) -> list[Block]:
    order = pageblock_order(stamps)
    return [Block(first, order) for first in run[:: SIZES[order]]]


def isolate(stamps: Stamps, run: range) -> None:
    """Set the pageblocks of a range apart, so that nothing in them is given out.

    What the CPUs keep goes back, lest it be given out: until 5.10 after each pageblock.
    """
    era = stamps.machine.era
    first, *others = _pageblocks_of(stamps, run)
    if era.isolates_pageblocks:
        others = others[-1:] + others[:-1]
    for pageblock in (first, *others):
        _change(stamps, pageblock, ISOLATE)
        if era.isolation == "split-ends":
            for edge in (pageblock.pfn, pageblock.pfn + SIZES[pageblock.order]):
                if edge in (run.start, run.stop):
                    _cut(stamps, edge)
        if era.lists == "types":
            drain_all(stamps)
    drain_all(stamps)


def _cut(stamps: Stamps, edge: int) -> None:
    """Cut the free block that reaches over the edge, and free its parts."""
    for block in blocks_over(stamps, range(edge - 1, edge)):
        end = block.pfn + SIZES[block.order]
        if end > edge:
            remove(stamps, block)
            count(stamps, -SIZES[block.order], type_at(stamps, block.pfn))
            for first, stop in ((block.pfn, edge), (edge, end)):
                for piece in blocks_of_run(first, stop, block.order):
                    give(stamps, piece)


def blocks_over(stamps: Stamps, run: range) -> list[Block]:
    """The free blocks that have frames in the run, lowest first."""
    return sorted(
        block
        for block in stamps.stamp
        if block.pfn < run.stop and run.start < block.pfn + SIZES[block.order]
    )


def _change(stamps: Stamps, pageblock: Block, mt: MigrateType) -> None:
    """Give a pageblock and its free blocks another type.

    From 4.10 what is being isolated leaves the counts, a pageblock at once, and comes back so.
    """
    run = range(pageblock.pfn, pageblock.pfn + SIZES[pageblock.order])
    if stamps.machine.era.isolation == "split-large":
        for block in blocks_over(stamps, run):
            if block.order > pageblock.order:
                count(stamps, -SIZES[block.order], stamps.listed[block])
                remove(stamps, block)
                retype(stamps, pageblock, mt)
                for piece in pieces_of(stamps, block):
                    give(stamps, piece)
                return
    was, moved = type_at(stamps, pageblock.pfn), move(stamps, run, mt)
    retype(stamps, pageblock, mt)
    if stamps.machine.era.isolation in ("account", "split-ends"):
        count(stamps, -moved, was)
        count(stamps, moved, mt)


def restore(stamps: Stamps, run: range, mt: MigrateType) -> None:
    """Give the isolated pageblocks of a range a type, and let their blocks merge again."""
    era = stamps.machine.era
    for pageblock in _pageblocks_of(stamps, run):
        if type_at(stamps, pageblock.pfn) is not ISOLATE:
            continue
        block = _reunites(stamps, pageblock)
        if block is None:
            _change(stamps, pageblock, mt)
        else:
            remove(stamps, block)
            retype(stamps, pageblock, mt)
            count(stamps, SIZES[block.order], mt)
            grow(stamps, block, mt, to_tail=era.moved_to_tail)


def _reunites(stamps: Stamps, pageblock: Block) -> Block | None:
    """The free block at the pageblock's head that only the isolation may keep from merging."""
    machine = stamps.machine
    if machine.era.isolation == "move":
        return None
    for order in range(pageblock.order, machine.top):
        block = Block(pageblock.pfn, order)
        if block in stamps.stamp:
            break
    else:
        return None
    buddy = Block(buddy_of(block.pfn, order), order)
    if not _exists(stamps, buddy.pfn) or type_at(stamps, buddy.pfn) is ISOLATE:
        return None
    if machine.era.isolates_pageblocks and not is_free(stamps, buddy):
        return None
    return block


def _exists(stamps: Stamps, index: int) -> bool:
    pfn = stamps.origin + index
    return any(first <= pfn < end for first, end in stamps.machine.chunks)


def contig(stamps: Stamps, op: Op) -> Outcome:
    """Allocate exactly the frames of a range, if they are free.

    What their blocks have beyond it is freed frame by frame, and that beyond the isolated
    pageblocks comes to the CPU's lists.
    """
    wanted = run_of(stamps, op)
    order = stamps.machine.isolation_order
    wide = range(head_of(wanted.start, order), head_of(wanted.stop - 1, order) + SIZES[order])
    isolate(stamps, wide)
    blocks = blocks_over(stamps, wanted)
    frames = {index for block in blocks for index in _frames_of(block)}
    served = frames.issuperset(wanted)
    if served:
        for block in blocks:
            count(stamps, -SIZES[block.order], type_at(stamps, block.pfn))
            remove(stamps, block)
        for index in sorted(frames.difference(wanted)):
            free(stamps, Block(index, 0), op)
    restore(stamps, wide, op.mt)
    return op.pfn if served else NO_MEMORY


def _frames_of(block: Block) -> Iterator[int]:
    return iter(range(block.pfn, block.pfn + SIZES[block.order]))


def take_offline(stamps: Stamps, run: range) -> None:
    """Let the free blocks of an isolated range vanish."""
    for block in blocks_from(stamps, run):
        remove(stamps, block)
        count(stamps, -SIZES[block.order], ISOLATE)
    stamps.offline += len(run)


def bring_online(stamps: Stamps, run: range) -> None:
    """Hand the frames of a range over again, as boot did."""
    machine = stamps.machine
    for pageblock in _pageblocks_of(stamps, run):
        retype(stamps, pageblock, MOVABLE)
    for block in blocks_of_run(run.start, run.stop, machine.top):
        give(stamps, block, to_tail=machine.era.boot_to_tail)
    stamps.offline -= len(run)
