"""One request as a value, and what came of it: the vocabulary of traces, streams and engines."""

from enum import Enum
from typing import NamedTuple, TypeAlias

from pagespec.alloc import alloc_pages, free_pages, get_page, put_page
from pagespec.steps import run
from pagespec.types import NO_MEMORY, Order, Pfn, Refused
from pagespec.zone import Zone

Outcome: TypeAlias = int
"""A first frame from an allocation, 0 from any other request that was served, NO_MEMORY, or the
code of a Refusal. The same numbers as the twin's, so that equal means equal."""


class Verb(Enum):
    """What a caller may ask for. The value is its word in traces."""

    ALLOC = "alloc"
    FREE = "free"
    GET = "get"
    PUT = "put"


class Op(NamedTuple):
    """One request. ALLOC takes no frame, GET and PUT no order; `compound` is for ALLOC alone."""

    verb: Verb
    order: Order = 0
    pfn: Pfn = 0
    compound: bool = False


def perform(zone: Zone, op: Op) -> Outcome:
    """Serve the request with nothing in between; a refusal becomes its code."""
    verb, order, pfn, compound = op
    try:
        if verb is Verb.ALLOC:
            got = run(alloc_pages(zone, order, compound=compound))
            return NO_MEMORY if got is None else got
        if verb is Verb.FREE:
            run(free_pages(zone, pfn, order))
        elif verb is Verb.GET:
            run(get_page(zone, pfn))
        else:
            run(put_page(zone, pfn))
    except Refused as refused:
        return refused.refusal
    return 0
