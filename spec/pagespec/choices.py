"""What a release chose about free blocks and pageblocks: the first part of an era.

A choice is a word, so that a report can print it.
Source: mm/page_alloc.c and mm/page_isolation.c of the releases that `era` names, and the four
postings of the 2004 series (26 August to 8 September, linux-mm).
"""

from dataclasses import dataclass
from typing import Literal

from pagespec.migratetype import Numbering

Design = Literal["bitmap", "tag"]
IndexBase = Literal["zone", "pfn"]
Placement = Literal["head", "likely", "likely-2.6.39"]
Bounds = Literal["zone", "aligned-order", "buddyend"]
Barrier = Literal["none", "isolate", "unmergeable"]
Fallback = Literal["take-largest", "steal-largest", "move-then-retry", "claim-or-single"]
CmaRule = Literal["none", "last", "balanced"]
Isolation = Literal["move", "account", "split-ends", "split-large"]
Reserve = Literal["none", "at-least-one", "one-percent"]
ZoneLocked = Literal["attempt", "attempt-but-cma-first", "request", "list"]

ATTEMPTS: tuple[ZoneLocked, ...] = ("attempt", "attempt-but-cma-first")
"""Where an attempt that failed is logged, too."""


@dataclass(frozen=True, slots=True)
class BlockChoices:
    """The choices of one release that matter to the buddy, with pageblocks or without.

    design: pair bitmaps, or the order in the page of each free block's head.
    index_base: whether alignment counts frames from the zone's start or from frame zero.
    placement: where a freed block enters its list: always at the head; at the tail when a merge
        is likely; or the same with 2.6.39's slip, which never finds it likely for upper halves.
    bounds: how the merge loop knows that a buddy exists: by the zone's bounds and holes, or by
        one of the two ways of 2004 that were not merged.
    boot_to_tail: whether memory that boot hands over enters at the tail.

    What follows matters to machines with pageblocks.
    numbering: how tracepoints number the migratetypes; None if the era has no pageblocks.
    barrier: which pageblocks' types keep two free buddies apart.
    fallback: what happens to a pageblock of another type that must serve a request.
    cma: when movable requests may use CMA memory: never, when their own is used up, or also first
        as long as most of what is free is CMA's.
    isolation: how a range is isolated: whole largest blocks, whose lists are all that changes, or
        whose frames also leave the count of free ones; or single pageblocks, by cutting the free
        blocks that reach over the range's ends, or every free block that is larger.
    reserve: the limit of the reserve for atomic requests.
    moved_to_tail: whether blocks that change their list enter at the tail, and so do those that are
        freed anew when a range is restored.
    nofragment: whether a request can ask not to break up another type's pageblock.
    retypes_on_merge: whether a merge gives the buddy's pageblock the freed block's type, and a
        block larger than a pageblock is freed pageblock by pageblock. So lists and types agree.
    takes_poisoned: whether a free frame that has failed is taken off the buddy; returns_poisoned:
        whether it can come back.
    guards: whether guard pages are counted out and in again. 6.12 loses them from its count, so
        no machine of that era has any.
    zone_locked: which type the tracepoint of that name prints: the requested one, also for an
        attempt that failed; the same, but nothing where CMA memory was tried first and served; the
        requested one; or that of the list that served.
    """

    name: str
    design: Design = "tag"
    index_base: IndexBase = "pfn"
    placement: Placement = "likely"
    bounds: Bounds = "zone"
    boot_to_tail: bool = False
    numbering: Numbering | None = None
    barrier: Barrier = "none"
    fallback: Fallback = "take-largest"
    cma: CmaRule = "none"
    isolation: Isolation = "move"
    reserve: Reserve = "none"
    moved_to_tail: bool = False
    nofragment: bool = False
    retypes_on_merge: bool = False
    takes_poisoned: bool = False
    returns_poisoned: bool = False
    guards: bool = False
    zone_locked: ZoneLocked = "attempt"
