"""Laws that need nothing but requests and outcomes, and what the allocator promises of itself.

They judge any allocator, also one that shows no lists, merges late, or caches blocks.
"""

from typing import NamedTuple

from pagespec.frames import SIZES, head_of, is_aligned
from pagespec.laws.holdings import REFUSALS, UNSERVED, Book, due_refusal
from pagespec.laws.law import Complaint, LawBook
from pagespec.laws.masks import frames_of
from pagespec.types import FAULT, NO_MEMORY, Block, Order, Pfn, Refusal


class Promises(NamedTuple):
    """What an allocator declares of itself.

    merges_eagerly: a request fails only if no aligned run of free frames could serve it; otherwise
        this is due only when everything has been given back.
    refuses: an illegal free is refused, and changes nothing.
    exact: it picks the very frames, and keeps the very list order, of Linux in the machine's era.
    """

    merges_eagerly: bool = True
    refuses: bool = True
    exact: bool = False


class Sight(NamedTuple):
    """One request and its outcome as a caller sees them, before the caller enters them."""

    book: Book
    promises: Promises
    verb: str
    order: Order
    pfn: Pfn
    outcome: int


OUTSIDE_LAWS: LawBook[Sight] = LawBook()


def _illegal(sight: Sight) -> bool:
    """Whether the request should be refused. What else comes of it, no other law says."""
    return due_refusal(sight.book, sight.verb, sight.order, sight.pfn) is not None


def _given(sight: Sight) -> Block | None:
    if sight.verb != "alloc" or sight.outcome in UNSERVED or _illegal(sight):
        return None
    return Block(sight.outcome, sight.order)


@OUTSIDE_LAWS.law("OUT-fault", level="outside", source="derived")
def answered(sight: Sight) -> Complaint:
    """Every request is answered: it is served, it fails, or it is refused.

    A crash or a hang is the caller's crash or hang.
    """
    if sight.outcome != FAULT:
        return None
    return f"{sight.verb} of pfn {sight.pfn} order {sight.order} was not answered"


@OUTSIDE_LAWS.law("OUT-inside", level="outside", source="derived")
def inside(sight: Sight) -> Complaint:
    """A block that is given out lies in the zone's managed memory and avoids its holes.

    Whoever writes to it would write to memory that is not there.
    """
    block = _given(sight)
    if block is None:
        return None
    managed = sight.book.machine.managed
    end = block.pfn + SIZES[block.order]
    if any(first <= block.pfn and end <= last for first, last in managed):
        return None
    return f"alloc gave {block}, which leaves the managed frames: {managed}"


@OUTSIDE_LAWS.law("OUT-align", level="outside", source="derived")
def aligned(sight: Sight) -> Complaint:
    """A block that is given out starts at a multiple of its size.

    Hardware that takes large pages, and every caller that masks an address, relies on it.
    """
    block = _given(sight)
    base = sight.book.machine.base
    if block is None or is_aligned(block.pfn - base, block.order):
        return None
    return f"alloc gave {block}, off its alignment from frame {base}"


@OUTSIDE_LAWS.law("OUT-disjoint", level="outside", source="derived")
def disjoint(sight: Sight) -> Complaint:
    """No block that is given out overlaps one that is held.

    Two owners of one frame overwrite each other.
    """
    block = _given(sight)
    if block is None or not sight.book.busy & frames_of(sight.book.machine, block):
        return None
    return f"alloc gave {block}, part of which is held already"


@OUTSIDE_LAWS.law("OUT-refuse", level="outside", source="derived")
def refused(sight: Sight) -> Complaint:
    """A legal request is not refused, and an illegal one is if the allocator promises so.

    The reason may differ from the spec's: only BUD-refuse asks for it.
    """
    due = due_refusal(sight.book, sight.verb, sight.order, sight.pfn)
    request = f"{sight.verb} of pfn {sight.pfn} order {sight.order}"
    was_refused = sight.outcome in REFUSALS
    if due is None and was_refused:
        return f"{request} is legal and was refused as {Refusal(sight.outcome).name}"
    if due is not None and not was_refused and sight.promises.refuses:
        return f"{request} was served; expected a refusal: {due.name}"
    return None


@OUTSIDE_LAWS.law("OUT-return", level="outside", source="derived")
def returned(sight: Sight) -> Complaint:
    """What has been given back can be had again.

    An allocator that merges eagerly serves every request for which an aligned run of frames is
    free; any other at least once everything is back.
    """
    if sight.verb != "alloc" or sight.outcome != NO_MEMORY or _illegal(sight):
        return None
    if sight.book.held and not sight.promises.merges_eagerly:
        return None
    run = free_run(sight.book, sight.order)
    if run is None:
        return None
    return f"alloc order {sight.order} failed although all of {run} is free"


@OUTSIDE_LAWS.law("OUT-retry", level="outside", source="derived")
def retried(sight: Sight) -> Complaint:
    """A request that failed fails again as long as nothing is given back.

    A failure changes nothing: what the allocator could do for the request it has done by then.
    Requests of other orders may be served all the same, from blocks that wait to be merged.
    """
    if _given(sight) is None or sight.order not in sight.book.failed:
        return None
    return f"alloc order {sight.order} was served; it had failed before, with no free between"


def free_run(book: Book, order: Order) -> Block | None:
    """An aligned run of 2**order managed frames that are not held, if there is one."""
    machine = book.machine
    size = SIZES[order]
    for first, end in machine.managed:
        index = head_of(first - machine.base + size - 1, order)
        while index + size <= end - machine.base:
            block = Block(machine.base + index, order)
            if not book.busy & frames_of(machine, block):
                return block
            index += size
    return None
