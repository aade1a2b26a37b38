"""How each release compacts: one record of words, which an era names.

Source: mm/compaction.c, 2.6.37 to 6.12, and the February 2011 thread, "Minimise the time IRQs are
disabled while isolating free pages" (linux-mm).
"""

from typing import Literal, NamedTuple, TypeAlias, get_args

Scan: TypeAlias = Literal["locked", "rechecks", "lazy"]
"""How the free scanner holds the zone's lock, with interrupts off: from its first pageblock to its
last; for one pageblock, which it looks at before and again then; or from the first free block that
it sees up to the next frame whose number is a multiple of 32."""

SCANS: tuple[Scan, ...] = get_args(Scan)

TargetRule: TypeAlias = Literal["large-or-movable", "any-if-told", "not-large", "below-request"]
"""Which pageblocks frames are taken from: those that are free as a whole, and movable ones; movable
ones and CMA's that are not free as a whole, or any at all where it is told to; the same, but never
those free as a whole; or never those that begin with as much as is wanted."""

SourceRule: TypeAlias = Literal["any", "movable", "movable-or-cma", "as-wanted"]
"""Which pageblocks blocks are moved out of when nobody may wait: any; movable ones; CMA's as well;
or those of the type that is wanted. Whoever may wait moves blocks out of any."""

RefusedBy: TypeAlias = Literal["low", "min"]
Bound: TypeAlias = Literal["low", "low-or-start", "block"]
Meeting: TypeAlias = Literal["frames", "pageblocks"]
Released: TypeAlias = Literal["pageblock", "last-of-32", "first-of-32"]

CLUSTER = 32
"""How many frames are moved at a time, and walked before interrupts may come."""


class CompactionDesign(NamedTuple):
    """The choices of one release.

    scan: how the free scanner holds the zone's lock. targets, sources: which pageblocks frames are
    taken from, and blocks moved out of. target_mark: the mark above which a zone must stay for a
    free block to be taken, with the block's own frames on top. refused: whether the scanner stops
    if it may not take a block; if not, it goes on with the next frame. stops_within: whether it
    stops within a pageblock as soon as there is enough.
    keeps_orders: whether what it took stays in blocks, on a list for each order, until it is used.
    free_bound: where the scanner stands when it has found nothing, though there was somewhere to
    look: one pageblock above the other scanner; there or where it began, if that is lower; or in
    the pageblock that it looked at last. meeting: whether the scanners have met when frames say so,
    or already when pageblocks do.
    remembers: whether later runs begin where the last one was, and pass over pageblocks in which
    nothing was found. seeks: whether free blocks are sought on their lists before pageblocks are
    walked, and pageblocks are left out in walking where nobody may wait. captures: whether a block
    of the wanted order that is freed meanwhile is the compactor's at once.
    captures_movable: whether also a smaller one of a movable pageblock, for movable requests.
    skips_pinned: whether blocks that somebody else has a reference to are left alone at once; if
    not, they are taken off the LRU and put back. moves_others: whether blocks are moved that are
    not on the LRU. moves_large: whether blocks of several frames are. released: how often the
    migrate scanner lets interrupts come: after a pageblock; at the last frame of each 32; or at the
    first, and not before the first block that it takes keeps them off.
    waits_apart: whether a caller can say that it will not wait. background: whether there is a
    worker for it; heeds_skips: whether that passes over pageblocks, too; drains_after_failure:
    whether it has the CPUs' lists drained when it failed. drains_as_it_goes: whether a run drains
    its CPU's lists whenever it has left a block of the wanted order; if not, whoever waits for it
    does in the end. skips_used: whether pageblocks are passed over later although something was
    found there, once all of it has been walked. caches_next: whether the next run begins one
    pageblock below that.
    """

    scan: Scan
    targets: TargetRule
    sources: SourceRule
    target_mark: RefusedBy
    refused: bool
    stops_within: bool
    free_bound: Bound
    meeting: Meeting
    keeps_orders: bool = False
    remembers: bool = False
    seeks: bool = False
    captures: bool = False
    captures_movable: bool = False
    skips_pinned: bool = False
    moves_others: bool = False
    moves_large: bool = False
    released: Released = "pageblock"
    waits_apart: bool = True
    background: bool = False
    heeds_skips: bool = False
    drains_after_failure: bool = False
    drains_as_it_goes: bool = False
    skips_used: bool = False
    caches_next: bool = False


_2_6_37 = CompactionDesign(
    scan="locked",
    targets="large-or-movable",
    sources="any",
    target_mark="low",
    refused=False,
    stops_within=False,
    free_bound="low",
    meeting="frames",
    waits_apart=False,
)
_4_10 = CompactionDesign(
    scan="lazy",
    targets="any-if-told",
    sources="movable-or-cma",
    target_mark="min",
    refused=True,
    stops_within=True,
    free_bound="block",
    meeting="pageblocks",
    remembers=True,
    skips_pinned=True,
    moves_others=True,
    released="first-of-32",
    background=True,
    drains_as_it_goes=True,
)
_5_8 = _4_10._replace(
    targets="not-large",
    sources="as-wanted",
    seeks=True,
    captures=True,
    heeds_skips=True,
    drains_after_failure=True,
    skips_used=True,
)

DESIGNS: dict[str, CompactionDesign] = {
    "2.6.37": _2_6_37,
    "2.6.39": _2_6_37._replace(
        scan="rechecks",
        sources="movable",
        free_bound="low-or-start",
        released="last-of-32",
        waits_apart=True,
    ),
    "4.10": _4_10,
    "5.8": _5_8,
    "6.12": _5_8._replace(
        targets="below-request",
        keeps_orders=True,
        moves_large=True,
        captures_movable=True,
        caches_next=True,
    ),
}
"""Per release that changed anything, the design."""
