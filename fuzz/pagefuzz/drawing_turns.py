"""What a request did, in words: the events that explain a picture."""

from collections.abc import Iterable, Iterator

from pagefuzz.report.words import counted
from pagespec.events import Event, Kind
from pagespec.migratetype import LETTER_OF

TURNS = {
    Kind.SPLIT: "expand: split page[{pfn}] order {order}",
    Kind.MERGE: "merge: two of order {order} become page[{pfn}]",
    Kind.TAIL: "page[{pfn}] order {order} goes to the tail of its list",
    Kind.BARRIER: "no merge of page[{pfn}] order {order}: {mt} and {from_mt} are kept apart",
    Kind.RETYPE: "page[{pfn}] order {order} was {from_mt} and becomes {mt} by the merge",
    Kind.EXTFRAG: "fallback: {mt} is served page[{pfn}] order {order} of {from_mt}'s order "
    "{from_order}",
    Kind.MOVED: "page[{pfn}] order {order} moves to the list of {mt}",
    Kind.TAKEN: "all pageblocks of page[{pfn}] order {order} become {mt}",
    Kind.CLAIMED: "the pageblock of page[{pfn}] becomes {mt}: enough of it is free or alike",
    Kind.MIXED: "the pageblock of page[{pfn}] is used for {mt} and keeps its type",
    Kind.SINGLE: "page[{pfn}] order {order} is used alone",
    Kind.CMA_FIRST: "CMA memory first: it is most of what is free",
    Kind.CMA_LAST: "CMA memory: nothing else of {mt} is left",
    Kind.RESERVE_USED: "from the reserve",
    Kind.RESERVE_LAST: "from the reserve: nothing else is left",
    Kind.RESERVED: "the pageblock of page[{pfn}] joins the reserve",
    Kind.UNRESERVED: "the pageblock of page[{pfn}] leaves the reserve and becomes {mt}",
    Kind.ISOLATED: "pageblock page[{pfn}] is isolated",
    Kind.RESTORED: "pageblock page[{pfn}] becomes {mt}",
    Kind.CUT: "page[{pfn}] order {order} is cut at the edge of a pageblock",
    Kind.GUARDED: "page[{pfn}] order {order} becomes a guard",
    Kind.UNGUARDED: "the guard page[{pfn}] order {order} merges",
    Kind.REFILL: "the list of {mt} order {order} is refilled with {blocks}",
    Kind.FROM_LIST: "page[{pfn}] order {order} comes from the CPU's list",
    Kind.TO_LIST: "page[{pfn}] order {order} goes to the CPU's list of {mt}",
    Kind.PCPU_DRAIN: "drain: page[{pfn}] order {order} goes back to the free lists of {mt}",
    Kind.BARRED: "the CPU's lists are out of reach: the request goes to the free lists",
    Kind.BULK: "page[{pfn}] fills a slot",
    Kind.BELOW_MARK: "the zone would fall below its mark",
    Kind.KSWAPD: "kswapd is woken",
    Kind.BOOSTED: "a pageblock of another type is broken up: the marks are boosted",
    Kind.LOWER: "the zones above it on the list could not serve",
    Kind.FAR: "no zone of the near node could serve",
    Kind.UNDONE: "a frame of the range is busy: all is undone",
}
"""The events that explain a picture, in words."""


def turns(log: Iterable[Event]) -> Iterator[str]:
    """Each event that there are words for, in its order.

    >>> list(turns([Event(Kind.SPLIT, 4, 2), Event(Kind.HEAD, 6, 1), Event(Kind.REFILL, 3, 0)]))
    ['expand: split page[4] order 2', 'the list of U order 0 is refilled with 3 blocks']
    """
    for event in log:
        if event.kind in TURNS:
            yield TURNS[event.kind].format(
                pfn=event.pfn,
                order=event.order,
                mt=LETTER_OF[event.mt],
                from_mt=LETTER_OF[event.from_mt],
                from_order=event.from_order,
                blocks=counted(event.pfn, "block"),
            )
