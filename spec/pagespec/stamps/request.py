"""What the buddy gives: whose lists are tried, and what another type's block costs."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from pagespec.choices import Fallback
from pagespec.frames import SIZES
from pagespec.migratetype import (
    CMA,
    FALLBACKS,
    HIGHATOMIC,
    MOVABLE,
    RECLAIMABLE,
    RESERVE,
    UNMOVABLE,
    MigrateType,
)
from pagespec.stamps.blocks import free_pages, head, pages_of, remove, split
from pagespec.stamps.cells import count
from pagespec.stamps.marks import boost, told_cma, told_free
from pagespec.stamps.moves import free_from, movable_run, move, move_block
from pagespec.stamps.state import Stamps, pageblock_order, retype, type_at
from pagespec.types import Block, Order
from pagespec.verbs import Op


class Found(NamedTuple):
    """The first frame of a block that was taken, and the type of the list that gave it.

    Of a block of another type that is the request's own.
    """

    first: int
    mt: MigrateType


def take_from_buddy(stamps: Stamps, op: Op) -> int | None:
    """Take a block straight to whoever asked; until 6.9 it is counted once it is cut out."""
    found = from_buddy(stamps, op)
    if found is None:
        return None
    if not stamps.machine.era.retypes_on_merge:
        count(stamps, -SIZES[op.order], found.mt)
    return found.first


def from_buddy(stamps: Stamps, op: Op, uncounted: int = 0) -> Found | None:
    """Take a block for the request from the first source that has one.

    uncounted: frames that have left the lists, but not yet the count of free ones.
    """
    for source in _sources(stamps, op, uncounted):
        index = _fall_back(stamps, op) if source is None else _serve(stamps, op.order, source)
        if index is not None:
            return Found(index, op.mt if source is None else source)
    return None


def _sources(stamps: Stamps, op: Op, uncounted: int) -> Iterator[MigrateType | None]:
    """The types whose lists are tried, in order; None for the fallback."""
    machine, era = stamps.machine, stamps.machine.era
    if machine.pageblock is None:
        yield UNMOVABLE
        return
    single = era.reserve_for_frames and machine.cpus > 0
    if op.atomic and (op.order > 0 or single) and era.reserve != "none":
        yield HIGHATOMIC
    may_use_cma = op.mt is MOVABLE and era.cma != "none"
    if may_use_cma and era.cma == "balanced" and _mostly_cma(stamps, uncounted):
        yield CMA
    yield op.mt
    if may_use_cma:
        yield CMA
    yield None
    if RESERVE in machine.types_listed:
        yield RESERVE
    if op.atomic and era.reserve == "one-percent":
        yield HIGHATOMIC


def _mostly_cma(stamps: Stamps, uncounted: int) -> bool:
    """Whether most of what counts as free is CMA's, as far as the zone has been told."""
    if stamps.cells is not None:
        return told_cma(stamps) > told_free(stamps) // 2
    return pages_of(stamps, CMA) > (free_pages(stamps) + uncounted) // 2


def _serve(stamps: Stamps, order: Order, mt: MigrateType) -> int | None:
    """The lowest part of the head of the first list of the type that has a block large enough."""
    block = head(stamps, order, mt)
    return None if block is None else _cut_off(stamps, block, order, mt)


def _cut_off(stamps: Stamps, block: Block, order: Order, rest: MigrateType) -> int:
    """Take the lowest part of a block, whose rest stays free; since 6.10 that counts it, too."""
    remove(stamps, block)
    first = split(stamps, block, order, rest)
    if stamps.machine.era.retypes_on_merge:
        count(stamps, -SIZES[order], rest)
    return first


def _fall_back(stamps: Stamps, op: Op) -> int | None:
    block = _victim(stamps, op)
    if block is None:
        return None
    small = block.order < pageblock_order(stamps)
    if small and type_at(stamps, block.pfn) is not HIGHATOMIC:
        boost(stamps)
    return TAKE[stamps.machine.era.fallback](stamps, block, op)


def _victim(stamps: Stamps, op: Op) -> Block | None:
    """The block of another type that must serve.

    The largest there is, so that the next requests find its rest; since 5.15 the smallest, if the
    request would not take the pageblock anyway.
    """
    era, pageblock = stamps.machine.era, pageblock_order(stamps)
    least = max(op.order, pageblock) if op.nofragment and era.nofragment else op.order
    per_order = [
        block
        for order in range(least, stamps.machine.top + 1)
        if (block := _victim_of_order(stamps, order, op.mt)) is not None
    ]
    if not per_order:
        return None
    seeks_smallest = era.fallback in ("move-then-retry", "claim-or-single")
    if seeks_smallest and op.mt is MOVABLE and not _takes_all(stamps, per_order[-1], op.mt):
        return per_order[0]
    return per_order[-1]


def _victim_of_order(stamps: Stamps, order: Order, mt: MigrateType) -> Block | None:
    for other in FALLBACKS[mt]:
        block = head(stamps, order, other)
        if block is not None and block.order == order:
            return block
    return None


def _takes_all(stamps: Stamps, block: Block, mt: MigrateType) -> bool:
    """Whether the request takes all of the block's pageblock, not the block alone.

    Memory that cannot move had better stay together. Before 4.4 only RECLAIMABLE was so eager.
    """
    eager = {RECLAIMABLE}
    if stamps.machine.era.fallback != "take-largest":
        eager.add(UNMOVABLE)
    return block.order >= pageblock_order(stamps) // 2 or mt in eager


def _moves_and_claims(stamps: Stamps, block: Block, mt: MigrateType) -> None:
    """Move the pageblock to the request's type, and claim it if at least half of it moved."""
    if move(stamps, movable_run(stamps, block.pfn), mt) >= SIZES[pageblock_order(stamps) - 1]:
        retype(stamps, Block(block.pfn, 0), mt)


def _take_largest(stamps: Stamps, block: Block, op: Op) -> int:
    rest = stamps.listed[block]
    if _takes_all(stamps, block, op.mt):
        _moves_and_claims(stamps, block, op.mt)
        rest = op.mt
    if block.order >= pageblock_order(stamps):
        retype(stamps, block, op.mt)
    remove(stamps, block)
    return split(stamps, block, op.order, rest)


def _steal_largest(stamps: Stamps, block: Block, op: Op) -> int:
    if type_at(stamps, block.pfn) is not HIGHATOMIC and _takes_all(stamps, block, op.mt):
        if block.order >= pageblock_order(stamps):
            retype(stamps, block, op.mt)
        else:
            _moves_and_claims(stamps, block, op.mt)
    remove(stamps, block)
    return split(stamps, block, op.order, op.mt)


def _move_then_retry(stamps: Stamps, block: Block, op: Op) -> int | None:
    run = _shared_run(stamps, block, op.mt)
    if block.order >= pageblock_order(stamps) and type_at(stamps, block.pfn) is not HIGHATOMIC:
        retype(stamps, block, op.mt)
    if run:
        claims = _claims(stamps, run, op.mt)
        move(stamps, run, op.mt)
        if claims:
            retype(stamps, Block(block.pfn, 0), op.mt)
    else:
        move_block(stamps, block, op.mt)
    return _serve(stamps, op.order, op.mt)


def _claim_or_single(stamps: Stamps, block: Block, op: Op) -> int | None:
    run = _shared_run(stamps, block, op.mt)
    if run and _claims(stamps, run, op.mt):
        move(stamps, run, op.mt)
        retype(stamps, Block(block.pfn, 0), op.mt)
        return _serve(stamps, op.order, op.mt)
    theirs = stamps.listed[block]
    if block.order < pageblock_order(stamps):
        return _cut_off(stamps, block, op.order, theirs)
    # Whole pageblocks are counted out of the other type, and what is left of them into this one.
    remove(stamps, block)
    count(stamps, -SIZES[block.order], theirs)
    retype(stamps, block, op.mt)
    first = split(stamps, block, op.order, op.mt)
    count(stamps, SIZES[block.order] - SIZES[op.order], op.mt)
    return first


def _shared_run(stamps: Stamps, block: Block, mt: MigrateType) -> range:
    """The frames of the block's pageblock that are at stake with it; none if the block alone is."""
    alone = (
        type_at(stamps, block.pfn) is HIGHATOMIC
        or block.order >= pageblock_order(stamps)
        or not _takes_all(stamps, block, mt)
    )
    return range(0) if alone else movable_run(stamps, block.pfn)


def _claims(stamps: Stamps, run: range, mt: MigrateType) -> bool:
    """Whether at least half of the pageblock is free or of the request's kind.

    What is held and can move suits a MOVABLE request; what cannot, any other that takes from a
    MOVABLE pageblock. Of other pageblocks nothing is known.
    """
    size = SIZES[pageblock_order(stamps)]
    free = free_from(stamps, run)
    movable = (stamps.movable >> run.start & ((1 << len(run)) - 1)).bit_count()
    if mt is MOVABLE:
        alike = movable
    elif type_at(stamps, run.start) is MOVABLE:
        alike = size - free - movable
    else:
        alike = 0
    return free + alike >= size // 2


TAKE: dict[Fallback, Callable[[Stamps, Block, Op], int | None]] = {
    "take-largest": _take_largest,
    "steal-largest": _steal_largest,
    "move-then-retry": _move_then_retry,
    "claim-or-single": _claim_or_single,
}
"""How each era takes a block of another type."""
