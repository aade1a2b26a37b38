"""The laws' own ledger: what callers have been told that they have.

It follows from requests and their answers alone, so that an allocator cannot talk itself out of
what it gave away.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from pagespec.slab.machine import SlabMachine
from pagespec.slab.sizes import PAGE
from pagespec.slab.state import HeldObject
from pagespec.slab.verbs import Address, SlabOp, SlabVerb
from pagespec.types import NO_MEMORY, Order, Pfn
from pagespec.verbs import Outcome


@dataclass(slots=True)
class SlabBook:
    """What requests have made of a machine's objects.

    held: the objects that callers have, and of what kind. large: the order of those that are blocks
    of frames, by the first. withheld: per CPU, those that nobody may use yet, with what they were.
    caches: the numbers of those that are there. groups: whether each can still be charged. twice:
    an object that was given out while somebody had it, if any ever was.
    """

    machine: SlabMachine
    held: dict[Address, HeldObject] = field(default_factory=dict)
    large: dict[Pfn, Order] = field(default_factory=dict)
    withheld: list[list[tuple[Address, HeldObject]]] = field(default_factory=list)
    caches: set[int] = field(default_factory=set)
    groups: dict[int, bool] = field(default_factory=dict)
    twice: Address | None = None


def book_of(machine: SlabMachine) -> SlabBook:
    """The book at boot: nobody has anything."""
    return SlabBook(machine, withheld=[[] for _ in range(machine.cpus)])


def enter(book: SlabBook, op: SlabOp, outcome: Outcome, slots: list[Address]) -> None:
    """Enter a request that was served. slots: the array of a bulk request, as that left it."""
    if op.verb is SlabVerb.ALLOC and outcome != NO_MEMORY:
        _give(book, op, [outcome])
    elif op.verb is SlabVerb.ALLOC_BULK and outcome:
        _give(book, op, slots)
    elif op.verb is SlabVerb.LARGE and outcome != NO_MEMORY:
        book.large[outcome // PAGE] = op.order or 0
        _give(book, op._replace(cache=0, group=0), [outcome])
    elif op.verb in (SlabVerb.FREE, SlabVerb.FREE_BULK):
        _take_back(book, op)
    elif op.verb is SlabVerb.RELEASE:
        book.withheld[op.cpu] = []
    elif op.verb is SlabVerb.CREATE:
        book.caches.add(op.cache)
    elif op.verb in (SlabVerb.SHRINK, SlabVerb.DESTROY):
        _let_go(book, lambda kind: kind.cache == op.cache)
        if op.verb is SlabVerb.DESTROY:
            book.caches.discard(op.cache)
    elif op.verb in (SlabVerb.GROUP, SlabVerb.OFFLINE):
        book.groups[op.group] = op.verb is SlabVerb.GROUP
        _let_go(book, lambda kind: kind.cache_group == op.group)


def _give(book: SlabBook, op: SlabOp, addresses: list[Address]) -> None:
    owner, charged = {"caches": (op.group, 0), "objects": (0, op.group), "none": (0, 0)}[
        book.machine.scheme
    ]
    for address in addresses:
        if address in book.held:
            book.twice = address
        book.held[address] = HeldObject(op.cache, owner, charged)


def _let_go(book: SlabBook, which: Callable[[HeldObject], bool]) -> None:
    """Nobody withholds objects of a cache that is to give up what nobody needs."""
    book.withheld = [[one for one in each if not which(one[1])] for each in book.withheld]


def _take_back(book: SlabBook, op: SlabOp) -> None:
    for address in filter(None, op.addresses):
        kind = book.held.pop(address)
        if not kind.cache:
            del book.large[address // PAGE]
        elif address in op.withheld:
            book.withheld[op.cpu].append((address, kind))
