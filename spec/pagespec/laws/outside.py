"""Laws that need nothing but requests and outcomes, and what the allocator promises of itself.

They judge any allocator, also one that shows no lists, merges late, or caches blocks.
"""

from collections.abc import Mapping
from typing import NamedTuple

from pagespec.frames import SIZES, head_of, is_aligned
from pagespec.laws.holdings import (
    BOOKED_VERBS,
    NO_SLOTS,
    REFUSALS,
    UNSERVED,
    Book,
    due_refusal,
)
from pagespec.laws.law import Complaint, LawBook
from pagespec.laws.masks import frames_of, frames_of_run
from pagespec.laws.ways import leaks_isolated
from pagespec.laws.wording import wording
from pagespec.types import FAULT, NO_MEMORY, Block, Order, Pfn, Refusal
from pagespec.verbs import Op, Outcome, Verb


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
    """One request and its outcome as a caller sees them, before the caller enters them.

    slots: the array of bulk requests after the request.
    """

    book: Book
    promises: Promises
    op: Op
    outcome: Outcome
    slots: Mapping[Pfn, int] = NO_SLOTS


OUTSIDE_LAWS: LawBook[Sight] = LawBook()


def _illegal(sight: Sight) -> bool:
    """Whether the request should be refused. What else comes of it, no other law says."""
    return due_refusal(sight.book, sight.op) is not None


def _given(sight: Sight) -> Block | None:
    if sight.op.verb is not Verb.ALLOC or sight.outcome in UNSERVED or _illegal(sight):
        return None
    return Block(sight.outcome, sight.op.order)


def _runs_given(sight: Sight) -> list[tuple[Pfn, Pfn]]:
    """The runs [first, end) of frames that the request was given."""
    block = _given(sight)
    if block is not None:
        return [(block.pfn, block.pfn + SIZES[block.order])]
    if sight.outcome in UNSERVED:
        return []
    if sight.op.verb is Verb.BULK:
        return [(pfn, pfn + 1) for pfn in sight.slots if pfn not in sight.book.slots]
    if sight.op.verb is Verb.CONTIG:
        return [(sight.outcome, sight.outcome + sight.op.pages)]
    return []


def _named(sight: Sight, run: tuple[Pfn, Pfn]) -> object:
    return _given(sight) or f"frames {run[0]}..{run[1]}"


@OUTSIDE_LAWS.law("OUT-fault", level="outside", source="derived")
def answered(sight: Sight) -> Complaint:
    """Every request is answered: it is served, it fails, or it is refused.

    A crash or a hang is the caller's crash or hang.
    """
    return f"{wording(sight.op)} was not answered" if sight.outcome == FAULT else None


@OUTSIDE_LAWS.law("OUT-inside", level="outside", source="derived")
def inside(sight: Sight) -> Complaint:
    """What is given out lies in the zone's managed memory and avoids its holes.

    Whoever writes to it would write to memory that is not there.
    """
    managed = sight.book.machine.managed
    for run in _runs_given(sight):
        if not any(first <= run[0] and run[1] <= last for first, last in managed):
            given = _named(sight, run)
            return f"{sight.op.verb.value} gave {given}, which leaves the managed frames: {managed}"
    return None


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
    """Nothing that is given out overlaps what is held, or a frame that was reported as failed.

    Two owners of one frame overwrite each other.
    """
    for run in _runs_given(sight):
        if sight.book.busy & frames_of_run(sight.book.machine, *run):
            given = _named(sight, run)
            return f"{sight.op.verb.value} gave {given}, part of which is held already"
    return None


@OUTSIDE_LAWS.law("OUT-isolated", level="outside", source="derived")
def isolated(sight: Sight) -> Complaint:
    """No allocation returns a frame of a range that the caller has isolated or taken offline.

    What is handed out there makes the emptying of the range endless. Nothing is said of a largest
    block that any later request about ranges has met, since what fails may give a range up. Until
    2.6.39 a block could leave a range by way of a CPU's list.
    """
    machine = sight.book.machine
    if sight.op.verb is Verb.CONTIG or leaks_isolated(machine):
        return None
    for run in _runs_given(sight):
        if sight.book.isolated & frames_of_run(machine, *run):
            given = _named(sight, run)
            return (
                f"{sight.op.verb.value} gave {given}, part of which the caller has isolated or "
                "taken offline"
            )
    return None


@OUTSIDE_LAWS.law("OUT-refuse", level="outside", source="derived")
def refused(sight: Sight) -> Complaint:
    """A legal request is not refused, and an illegal one is if the allocator promises so.

    The reason may differ from the spec's: only BUD-refuse asks for it. Of requests about ranges a
    caller's book cannot tell.
    """
    if sight.op.verb not in BOOKED_VERBS:
        return None
    due = due_refusal(sight.book, sight.op)
    request = wording(sight.op)
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
    free; any other at least once everything is back. Where pageblocks have types, guards take
    frames, CPUs may keep some, or marks forbid it to all but an emergency, a caller cannot tell
    which of them may serve it.
    """
    op, book = sight.op, sight.book
    if op.verb is not Verb.ALLOC or sight.outcome != NO_MEMORY or _illegal(sight):
        return None
    if book.machine.pageblock is not None or book.machine.guard:
        return None
    if book.caching or (book.machine.min_free is not None and not op.emergency):
        return None
    if book.held and not sight.promises.merges_eagerly:
        return None
    run = free_run(book, op.order)
    return None if run is None else f"alloc order {op.order} failed although all of {run} is free"


@OUTSIDE_LAWS.law("OUT-retry", level="outside", source="derived")
def retried(sight: Sight) -> Complaint:
    """A request that failed fails again as long as nothing is given back.

    A failure changes nothing: what the allocator could do for the request it has done by then.
    Requests of other orders may be served all the same, from blocks that wait to be merged, and
    where pageblocks have types, those of other types and in other modes; with CPUs' lists or
    watermarks, those of other CPUs and with other rights.
    """
    machine = sight.book.machine
    if machine.pageblock is not None or machine.cpus or machine.min_free is not None:
        return None
    if _given(sight) is None or sight.op.order not in sight.book.failed:
        return None
    return f"alloc order {sight.op.order} was served; it had failed before, with no free between"


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
