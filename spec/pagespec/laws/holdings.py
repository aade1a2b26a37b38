"""What follows from the blocks that are held: which request is legal, and what it must release.

Declarative: it asks who holds what, never how the allocator would find out. A zone answers these
questions, and so does the book of a caller who sees nothing but requests and outcomes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from pagespec.frames import SIZES, head_of, is_aligned
from pagespec.laws.masks import frames_of, frames_of_run, frames_that_exist
from pagespec.laws.ranges import place_refusal, runs
from pagespec.machine import Machine
from pagespec.migratetype import REQUESTED, UNMOVABLE
from pagespec.types import FAULT, NO_MEMORY, Block, Order, Pfn, Refusal
from pagespec.verbs import BLOCK_VERBS, Op, Outcome, Verb
from pagespec.zone import Held, Zone

REFUSALS = frozenset(int(refusal) for refusal in Refusal)
"""The outcomes that say no."""

UNSERVED = REFUSALS | {NO_MEMORY, FAULT}
"""The outcomes after which everything is as before, but for a range that was given up."""

SIZED_VERBS = frozenset({Verb.ALLOC, Verb.FREE, Verb.SPLIT})
"""The verbs that name an order."""

BOOKED_VERBS = BLOCK_VERBS | {Verb.SPLIT}
"""The verbs of which holdings alone say whether a request is legal."""

CPU_VERBS = frozenset({Verb.ALLOC, Verb.FREE, Verb.PUT})
"""Those of them that a CPU must be running for."""

NO_SLOTS: Mapping[Pfn, int] = {}
"""The array of bulk requests before any was filled."""

RANGED_VERBS = frozenset({Verb.ISOLATE, Verb.RESTORE, Verb.CONTIG, Verb.OFFLINE, Verb.ONLINE})
"""The verbs that isolate a range, or undo it."""


class Holdings(Protocol):
    """Anything that knows the held blocks, the frames that ever headed one, and absent CPUs."""

    machine: Machine
    held: dict[Pfn, Held]
    given: set[Pfn]
    unplugged: set[int]


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


def due_refusal(holdings: Holdings, op: Op) -> Refusal | None:
    """The refusal that a request deserves, or None if it must be served.

    About requests that speak of more than one block only a zone can tell; a book lets them pass.
    """
    if op.verb in BOOKED_VERBS:
        due = _booked_refusal(holdings, op)
        return _cpu_refusal(holdings, op) if due is None and op.verb in CPU_VERBS else due
    return place_refusal(holdings, op) if isinstance(holdings, Zone) else None


def _booked_refusal(holdings: Holdings, op: Op) -> Refusal | None:
    if op.verb in SIZED_VERBS and not 0 <= op.order <= holdings.machine.top:
        return Refusal.BAD_ORDER
    if op.verb is Verb.ALLOC:
        return None if op.mt in REQUESTED else Refusal.BAD_TYPE
    return _block_refusal(holdings, op)


def _cpu_refusal(holdings: Holdings, op: Op) -> Refusal | None:
    running = runs(holdings.machine, holdings.unplugged, op.cpu)
    return None if running else Refusal.BAD_CPU


def _block_refusal(holdings: Holdings, op: Op) -> Refusal | None:
    machine, pfn = holdings.machine, op.pfn
    block = Block(pfn, op.order if op.verb in SIZED_VERBS else 0)
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
    if op.verb in SIZED_VERBS and holder.order != op.order:
        return Refusal.WRONG_ORDER
    held = holdings.held[pfn]
    if op.verb is Verb.PUT and held.refs == 1 and not held.compound and held.order > 0:
        return Refusal.WRONG_ORDER
    return Refusal.COMPOUND if op.verb is Verb.SPLIT and held.compound else None


def due_release(holdings: Holdings, verb: Verb, pfn: Pfn) -> Release:
    """What a legal free, get or put of a block must do."""
    machine, held = holdings.machine, holdings.held[pfn]
    whole = frames_of(machine, Block(pfn, held.order))
    if verb is Verb.GET:
        return Release(0, held._replace(refs=held.refs + 1))
    if held.refs == 1:
        return Release(whole, None)
    if verb is Verb.PUT or held.compound:
        return Release(0, held._replace(refs=held.refs - 1))
    first = frames_of(machine, Block(pfn, 0))
    return Release(whole & ~first, held._replace(order=0, refs=held.refs - 1))


def blocks_freed(holdings: Holdings, op: Op) -> list[Block]:
    """The blocks that a legal free or put gives back, in order: whole, or from the upper half down.

    Under a reference that is left, a block that is not compound keeps its first frame alone.
    """
    held, pfn = holdings.held[op.pfn], op.pfn
    if held.refs == 1:
        return [Block(pfn, held.order)]
    if held.compound or op.verb is Verb.PUT:
        return []
    return [Block(pfn + SIZES[piece], piece) for piece in range(held.order - 1, -1, -1)]


def due_pieces(holdings: Holdings, pfn: Pfn) -> dict[Pfn, Held]:
    """What a legal split of a block must leave: each frame on its own, the first as referenced."""
    held = holdings.held[pfn]
    pieces = {pfn + offset: held._replace(order=0, refs=1) for offset in range(SIZES[held.order])}
    pieces[pfn] = held._replace(order=0)
    return pieces


def allocated(machine: Machine, op: Op) -> Held:
    """The holding that a served allocation makes; without pageblocks all of them are UNMOVABLE."""
    mt = UNMOVABLE if machine.pageblock is None else op.mt
    return Held(op.order, 1, op.compound, mt)


@dataclass(slots=True)
class Book:
    """What a caller knows of an allocator that shows nothing: the blocks that it holds.

    busy: the frames of all held blocks, and those that it reported as failed. failed: the orders
    of the requests that have failed since something was last given back. isolated: the frames of
    the ranges that it isolated or took offline, and that no request about ranges has met since.
    unplugged: the CPUs that it took away. slots: the frames of its array, as it last saw them.
    caching: whether CPUs may keep lists by now, from which only they are served.
    """

    machine: Machine
    held: dict[Pfn, Held] = field(default_factory=dict)
    given: set[Pfn] = field(default_factory=set)
    busy: int = 0
    failed: set[Order] = field(default_factory=set)
    isolated: int = 0
    unplugged: set[int] = field(default_factory=set)
    slots: dict[Pfn, int] = field(default_factory=dict)
    caching: bool = False


def settle(book: Book, op: Op, outcome: Outcome, slots: Mapping[Pfn, int] = NO_SLOTS) -> None:
    """Enter a request and its outcome.

    An illegal request enters nothing, whatever an allocator that does not refuse made of it. slots:
    the array of bulk requests after the request.
    """
    if due_refusal(book, op) is not None:
        return
    book.caching = book.machine.cpus > 0 and not (op.verb is Verb.DRAIN_ALL and outcome == 0)
    if op.verb is Verb.ALLOC and outcome == NO_MEMORY:
        book.failed.add(op.order)
    if op.verb in RANGED_VERBS:
        _isolate(book, op, outcome)
    if outcome in UNSERVED:
        return
    if op.verb is Verb.BULK:
        _enter_bulk(book, op, slots)
    elif op.verb in (Verb.UNPLUG, Verb.PLUG):
        book.unplugged ^= {op.cpu}
    elif op.verb is Verb.ALLOC:
        _enter(book, {outcome: allocated(book.machine, op)})
    elif op.verb is Verb.CONTIG and _in_zone(book.machine, outcome, op.pages):
        pages = range(outcome, outcome + op.pages)
        _enter(book, dict.fromkeys(pages, Held(0, 1, compound=False)))
    elif op.verb is Verb.SPLIT:
        pieces = due_pieces(book, op.pfn)
        book.held.update(pieces)
        book.given.update(pieces)
    elif op.verb in (Verb.POISON, Verb.HEAL) and _in_zone(book.machine, op.pfn, 1):
        frame = frames_of(book.machine, Block(op.pfn, 0))
        book.busy = book.busy | frame if op.verb is Verb.POISON else book.busy & ~frame
        book.failed.clear()
    elif op.verb in BLOCK_VERBS:
        _drop(book, op)


def _in_zone(machine: Machine, pfn: Pfn, pages: int) -> bool:
    """Whether a range that only a zone can judge is one that a book can enter."""
    return machine.start <= pfn < pfn + pages <= machine.end


def _isolate(book: Book, op: Op, outcome: Outcome) -> None:
    """Enter what a caller may rely on after a request about a range.

    A range that fails may be given up, and a range is widened to whole blocks, so that nothing is
    known any more of any largest block that it meets, but for a range that is isolated by now.
    """
    machine, size = book.machine, SIZES[book.machine.top]
    if not _in_zone(machine, op.pfn, op.pages):
        return
    last = op.pfn + op.pages - 1
    first = max(machine.start, machine.base + head_of(op.pfn - machine.base, machine.top))
    end = min(machine.end, machine.base + head_of(last - machine.base, machine.top) + size)
    if op.verb in (Verb.ISOLATE, Verb.OFFLINE) and outcome == 0:
        book.isolated |= frames_of_run(machine, op.pfn, op.pfn + op.pages)
    else:
        book.isolated &= ~frames_of_run(machine, first, end)


def _enter(book: Book, held: dict[Pfn, Held]) -> None:
    book.held.update(held)
    book.given.update(held)
    for pfn, holding in held.items():
        book.busy |= frames_of(book.machine, Block(pfn, holding.order))


def _enter_bulk(book: Book, op: Op, slots: Mapping[Pfn, int]) -> None:
    """Enter the frames that the array holds now and did not hold before."""
    new = [pfn for pfn in slots if pfn not in book.slots and _in_zone(book.machine, pfn, 1)]
    _enter(book, dict.fromkeys(new, allocated(book.machine, op)))
    book.slots = dict(slots)


def _drop(book: Book, op: Op) -> None:
    release = due_release(book, op.verb, op.pfn)
    pieces = book.held.pop(op.pfn).order
    if release.kept is None:
        book.slots.pop(op.pfn, None)
    if release.kept is not None:
        book.held[op.pfn] = release.kept
        if release.freed:
            book.given.update(op.pfn + SIZES[piece] for piece in range(pieces))
    if release.freed:
        book.busy &= ~release.freed
        book.failed.clear()
