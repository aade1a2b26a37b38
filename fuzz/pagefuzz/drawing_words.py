"""What pictures of zones are made of: blocks as frames, labels, and lists that end in a count."""

from collections.abc import Iterable
from textwrap import wrap

from pagespec.types import Order, Pfn

SHOWN_BLOCKS = 12
"""Blocks of one list that are drawn before the rest is counted."""

WIDTH, LABEL = 92, 16
"""Columns of a line, so that it fits in 100 when it is set in; and those of what it begins with."""


def pages(pfn: Pfn, order: Order) -> str:
    """A block as its frames.

    >>> pages(4, 2), pages(1, 0)
    ('page[4-7]', 'page[1]')
    """
    return f"page[{pfn}]" if order == 0 else f"page[{pfn}-{pfn + (1 << order) - 1}]"


def labelled(label: str, items: Iterable[str]) -> str:
    """Items beside a label.

    >>> labelled("held", ["page[1]", "page[4-7]"])
    'held            page[1], page[4-7]'
    """
    texts = list(items)
    rest = len(texts) - SHOWN_BLOCKS
    more = f" and {rest} more" if rest > 0 else ""
    return f"{label:<{LABEL}}{', '.join(texts[:SHOWN_BLOCKS]) or 'nothing'}{more}"


def chained(label: str, items: Iterable[str]) -> str:
    """A list, the block that is served next first.

    >>> chained("free_area[0]", ["page[3]", "page[5]"])
    'free_area[0] -> page[3] -> page[5]'
    """
    texts = list(items)
    rest = len(texts) - SHOWN_BLOCKS
    more = f" and {rest} more" if rest > 0 else ""
    return label + "".join(f" -> {text}" for text in texts[:SHOWN_BLOCKS]) + more


def fitted(line: str) -> list[str]:
    """The line, gone on with further in on the next if it is too long."""
    if len(line) <= WIDTH:
        return [line.rstrip()]
    return wrap(line, WIDTH, subsequent_indent=" " * LABEL, break_on_hyphens=False)
