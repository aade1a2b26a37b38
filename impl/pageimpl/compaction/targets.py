"""Frames to move blocks to, from the free lists: the first half of the spec's twin `targets`."""

from pageimpl.buddy import del_from_free_list
from pageimpl.compaction.choices import ANY_IF_TOLD, BELOW_REQUEST, LARGE_OR_MOVABLE
from pageimpl.compaction.lists import add_fresh
from pageimpl.compaction.recorder import visit
from pageimpl.compaction.state import (
    CompactionMemory,
    order_of,
    target_mark_of,
    targets_of,
    told_of,
    zone_of,
)
from pageimpl.frames import head_of
from pageimpl.jitcache import kernel
from pageimpl.memory import (
    Memory,
    mark_of,
    marked_of,
    pageblock_order_of,
    retypes_on_merge_of,
    shift_of,
)
from pageimpl.migratetype import CMA, HIGHATOMIC, ISOLATE, MOVABLE, RESERVE
from pageimpl.pageblock import (
    free_order_at,
    move_free_blocks,
    pageblock_to_move,
    pageblock_type,
    set_pageblock_type,
)
from pageimpl.verbs import WANTED_SHIFT
from pageimpl.watermark.check import NO_RIGHTS
from pageimpl.watermark.levels import MARK_MIN
from pageimpl.watermark.ok import watermark_ok
from pageimpl.zone import account_at_once

WANTS_MOVABLE = MOVABLE << WANTED_SHIFT


@kernel
def is_suitable_target(mem: CompactionMemory, pfn: int) -> bool:
    """Whether frames may be taken from the pageblock whose first frame this is."""
    visit(mem, 1)
    zone, rule = zone_of(mem), targets_of(mem)
    p = pfn + shift_of(zone)
    mt, order, largest = pageblock_type(zone, p), free_order_at(zone, p), pageblock_order_of(zone)
    if rule == LARGE_OR_MOVABLE:
        return mt != ISOLATE and mt != RESERVE and (order >= largest or mt == MOVABLE)
    if rule == ANY_IF_TOLD and told_of(mem):
        return True
    if rule == BELOW_REQUEST and order_of(mem) > 0:
        largest = order_of(mem)
    return order < largest and (told_of(mem) != 0 or mt in (MOVABLE, CMA))


@kernel
def may_isolate(mem: CompactionMemory, order: int, mt: int) -> bool:
    """Whether the zone keeps above the mark, without its boost, also without such a free block."""
    zone, level = zone_of(mem), target_mark_of(mem)
    if not marked_of(zone) or (mt == ISOLATE and level == MARK_MIN):
        return True
    mark = mark_of(zone, level) + (1 << order)
    return watermark_ok(zone, 0, WANTS_MOVABLE, mark, 0, NO_RIGHTS)


@kernel
def isolate_free_block(mem: CompactionMemory, pfn: int) -> int:
    """Give the run the free block that the frame heads: how many frames, 0 if it may not be."""
    zone = zone_of(mem)
    p = pfn + shift_of(zone)
    order, mt = free_order_at(zone, p), pageblock_type(zone, p)
    if not may_isolate(mem, order, mt):
        return 0
    del_from_free_list(zone, p, order)
    visit(mem, 1)
    account_at_once(zone, -(1 << order), mt)
    if order >= pageblock_order_of(zone) - 1:
        make_movable(mem, p, order)
    add_fresh(mem, p, order)
    return 1 << order


@kernel
def make_movable(mem: CompactionMemory, p: int, order: int) -> None:
    """Make the pageblocks of an isolated block movable, but for those that keep their type.

    Where lists and types agree, what else is free there goes along, or nothing changes.
    """
    zone = zone_of(mem)
    for head in range(p, p + (1 << order), 1 << pageblock_order_of(zone)):
        mt = pageblock_type(zone, head)
        if mt in (ISOLATE, CMA, HIGHATOMIC):
            continue
        if retypes_on_merge_of(zone):
            first, end = pageblock_to_move(zone, head)
            if first == end:
                continue
            visit(mem, looked_at(zone, first, end))
            move_free_blocks(zone, first, end, MOVABLE)
        visit(mem, 1)
        set_pageblock_type(zone, head, MOVABLE)


@kernel
def looked_at(zone: Memory, first: int, end: int) -> int:
    """The frames and list nodes at which a move of a run's free blocks looks."""
    nodes = 0
    p = first
    while p < end:
        nodes += 1
        order = free_order_at(zone, p)
        nodes += 2 if order >= 0 else 0
        p += 1 << order if order >= 0 else 1
    return nodes


@kernel
def head_of_pageblock(mem: CompactionMemory, pfn: int) -> int:
    """The first frame of the frame's pageblock."""
    return head_of(pfn, pageblock_order_of(zone_of(mem)))


@kernel
def pageblock_size(mem: CompactionMemory) -> int:
    """The frames of a pageblock."""
    return 1 << pageblock_order_of(zone_of(mem))
