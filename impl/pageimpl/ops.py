"""Serving one request, of whatever verb: the twin of the spec's `ops`."""

from pageimpl.alloc import alloc_pages, free_pages, get_page, put_page, split_page
from pageimpl.contig import alloc_contig, isolate_range, restore_range
from pageimpl.highatomic import unreserve
from pageimpl.jitcache import kernel
from pageimpl.memory import Memory
from pageimpl.places import heal, offline, online, poison
from pageimpl.verbs import (
    ALLOC,
    CONTIG,
    FORCE,
    FREE,
    GET,
    HEAL,
    ISOLATE_RANGE,
    OFFLINE_RANGE,
    POISON,
    PUT,
    RESTORE_RANGE,
    SPLIT,
    UNRESERVE,
    WANTED_SHIFT,
)


@kernel
def perform(mem: Memory, verb: int, order: int, pfn: int, want: int, pages: int) -> int:
    """Serve one request: a first frame, 0, NO_MEMORY, or a refusal's code."""
    if verb == ALLOC:
        return alloc_pages(mem, order, want)
    if verb == FREE:
        return free_pages(mem, pfn, order)
    if verb == GET:
        return get_page(mem, pfn)
    if verb == PUT:
        return put_page(mem, pfn)
    return perform_rare(mem, verb, order, pfn, want, pages)


@kernel
def perform_rare(mem: Memory, verb: int, order: int, pfn: int, want: int, pages: int) -> int:
    """Serve a request that is not about one block's references."""
    mt = want >> WANTED_SHIFT
    if verb == SPLIT:
        return split_page(mem, pfn, order)
    if verb == UNRESERVE:
        return unreserve(mem, mt, want & FORCE != 0)
    if verb == ISOLATE_RANGE:
        return isolate_range(mem, pfn, pages)
    if verb == RESTORE_RANGE:
        return restore_range(mem, pfn, pages, mt)
    if verb == CONTIG:
        return alloc_contig(mem, pfn, pages, mt)
    if verb == POISON:
        return poison(mem, pfn)
    if verb == HEAL:
        return heal(mem, pfn)
    if verb == OFFLINE_RANGE:
        return offline(mem, pfn, pages)
    return online(mem, pfn, pages)
