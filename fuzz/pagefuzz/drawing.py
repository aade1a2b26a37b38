"""A zone drawn as the 2004 thread drew its example: per order, the free blocks in list order."""

from pagespec.trace import answer_text
from pagespec.types import Order, Pfn
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import Zone

SHOWN_BLOCKS = 12
"""Free blocks of one order that are drawn before the rest is counted."""


def pages(pfn: Pfn, order: Order) -> str:
    """A block as its frames.

    >>> pages(4, 2), pages(1, 0)
    ('page[4-7]', 'page[1]')
    """
    return f"page[{pfn}]" if order == 0 else f"page[{pfn}-{pfn + (1 << order) - 1}]"


def drawn(zone: Zone) -> list[str]:
    """The zone's lists from the top order down, what is held, and the counters, a line each.

    >>> from pagespec.boot import boot
    >>> from pagespec.era import ERAS
    >>> from pagespec.machine import Machine
    >>> from pagespec.ops import perform
    >>> zone = boot(Machine(pages=8, top=3, era=ERAS["2.6.11"]))
    >>> outcome = perform(zone, Op(Verb.ALLOC, 0))
    >>> print("\\n".join(drawn(zone)))
    free_area[3]
    free_area[2] -> page[4-7]
    free_area[1] -> page[2-3]
    free_area[0] -> page[1]
    held            page[0]
    free_pages 7    nr_free 1 1 1 0
    """
    lines = []
    for order in reversed(range(len(zone.free_area))):
        blocks = [f" -> {pages(pfn, order)}" for pfn in list(zone.free_area[order])[:SHOWN_BLOCKS]]
        rest = len(zone.free_area[order]) - len(blocks)
        lines.append(f"free_area[{order}]{''.join(blocks)}" + (f" and {rest} more" if rest else ""))
    held = [
        pages(pfn, block.order)
        + (f" refs {block.refs}" if block.refs > 1 else "")
        + (" compound" if block.compound else "")
        for pfn, block in sorted(zone.held.items())
    ]
    more = f" and {len(held) - SHOWN_BLOCKS} more" if len(held) > SHOWN_BLOCKS else ""
    lines.append(f"held            {', '.join(held[:SHOWN_BLOCKS]) or 'nothing'}{more}")
    lines.append(f"free_pages {zone.free_pages:<4} nr_free {' '.join(map(str, zone.nr_free))}")
    for order, pairs in enumerate(zone.pair_bits):
        if pairs:
            lines.append(f"pairs[{order}] set    {' '.join(map(str, sorted(pairs)))}")
    return lines


def answered(op: Op, outcome: Outcome) -> str:
    """What came of a request, in the words of a trace."""
    if op.verb is Verb.ALLOC and outcome >= 0:
        return f"return page -> {pages(outcome, op.order)}"
    return answer_text(op.verb, outcome)
