"""What follows from the blocks that are held: which request is legal, and what it must release.

Declarative: it asks who holds what, never how the allocator would find out. A zone answers these
questions, and so does the book of a caller who sees nothing but requests and outcomes.
"""

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from pagespec.frames import SIZES, head_of, is_aligned
from pagespec.laws.masks import frames_of, frames_that_exist
from pagespec.machine import Machine
from pagespec.types import FAULT, NO_MEMORY, Block, Order, Pfn, Refusal
from pagespec.zone import Held

REFUSALS = frozenset(int(refusal) for refusal in Refusal)
"""The outcomes that say no."""

UNSERVED = REFUSALS | {NO_MEMORY, FAULT}
"""The outcomes after which everything is as before."""


class Holdings(Protocol):
    """Anything that knows which blocks are held and which frames ever headed one."""

    machine: Machine
    held: dict[Pfn, Held]
    given: set[Pfn]


class Release(NamedTuple):
    """What a served free, get or put does: the frames that become free, and what stays held."""

    freed: int
    kept: Held | None


def holder_of(holdings: Holdings, pfn: Pfn) -> Block | None:
    """The held block that covers the frame, if any."""
    base = holdings.machine.base
    for order in range(holdings.machine.top + 1):
        head = base + head_of(pfn - base, order)
        held = holdings.held.get(head)
        if held is not None and held.order >= order:
            return Block(head, held.order)
    return None


def due_refusal(holdings: Holdings, verb: str, order: Order, pfn: Pfn) -> Refusal | None:
    """The refusal that a request deserves, or None if it must be served."""
    machine = holdings.machine
    if verb in ("alloc", "free") and not 0 <= order <= machine.top:
        return Refusal.BAD_ORDER
    if verb == "alloc":
        return None
    block = Block(pfn, order if verb == "free" else 0)
    if pfn < machine.start or pfn + SIZES[block.order] > machine.end:
        return Refusal.OUTSIDE
    if not is_aligned(pfn - machine.base, block.order):
        return Refusal.MISALIGNED
    if not frames_that_exist(machine) & frames_of(machine, Block(pfn, 0)):
        return Refusal.HOLE
    holder = holder_of(holdings, pfn)
    if holder is None:
        return Refusal.DOUBLE if pfn in holdings.given else Refusal.NEVER_GIVEN
    if holder.pfn != pfn:
        return Refusal.INTERIOR
    if verb == "free" and holder.order != order:
        return Refusal.WRONG_ORDER
    held = holdings.held[pfn]
    if verb == "put" and held.refs == 1 and not held.compound and held.order > 0:
        return Refusal.WRONG_ORDER
    return None


def due_release(holdings: Holdings, verb: str, pfn: Pfn) -> Release:
    """What a legal free, get or put of a block must do."""
    machine, held = holdings.machine, holdings.held[pfn]
    whole = frames_of(machine, Block(pfn, held.order))
    if verb == "get":
        return Release(0, held._replace(refs=held.refs + 1))
    if held.refs == 1:
        return Release(whole, None)
    if verb == "put" or held.compound:
        return Release(0, held._replace(refs=held.refs - 1))
    first = frames_of(machine, Block(pfn, 0))
    return Release(whole & ~first, Held(0, held.refs - 1, compound=False))


@dataclass(slots=True)
class Book:
    """What a caller knows of an allocator that shows nothing: the blocks that it holds.

    busy: the frames of all held blocks. failed: the orders of the requests that have failed
    since something was last given back.
    """

    machine: Machine
    held: dict[Pfn, Held] = field(default_factory=dict)
    given: set[Pfn] = field(default_factory=set)
    busy: int = 0
    failed: set[Order] = field(default_factory=set)


def settle(book: Book, verb: str, order: Order, pfn: Pfn, compound: bool, outcome: int) -> None:
    """Enter a request and its outcome.

    An illegal request enters nothing, whatever an allocator that does not refuse made of it.
    """
    if due_refusal(book, verb, order, pfn) is not None:
        return
    if outcome == NO_MEMORY:
        book.failed.add(order)
    if outcome in UNSERVED:
        return
    if verb == "alloc":
        book.held[outcome] = Held(order, 1, compound)
        book.given.add(outcome)
        book.busy |= frames_of(book.machine, Block(outcome, order))
    else:
        release = due_release(book, verb, pfn)
        pieces = book.held.pop(pfn).order
        if release.kept is not None:
            book.held[pfn] = release.kept
            if release.freed:
                book.given.update(pfn + SIZES[piece] for piece in range(pieces))
        if release.freed:
            book.busy &= ~release.freed
            book.failed.clear()
