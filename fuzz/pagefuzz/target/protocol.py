"""What an allocator must offer to be tested: two functions, or one. Everything else is optional.

    class Mine:
        def __init__(self, machine: Machine) -> None: ...
        def alloc(self, order: int) -> int | None: ...
        def free(self, pfn: int, order: int) -> None: ...

`pagefuzz run --target mymodule:Mine` then judges it by the OUT laws. Each optional part that is
there lets more laws judge:

    promises = Promises(...)                 what it holds itself to (the default: eager, refusing)
    alloc_compound(order), get(pfn), put(pfn)  references
    free_lists() -> per order, the free blocks' first frames: the BUD laws, and with
                                             `Promises(exact=True)` equality with Linux of the era
    counts() -> nr_free per order, free_pages  what it counts beside the lists: BUD-count
    state() -> Zone                          the whole state: all laws
    serve(op) -> outcome                     every request there is, in place of all the calls:
                                             machines with pageblocks are for such allocators alone

An illegal free is refused by raising ValueError, or one of `pagespec.types.Refused` to give the
reason. A machine that the allocator does not serve is turned down by raising
`pagespec.types.DomainError` from the constructor. Any other exception is a finding.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

from pagespec.machine import Machine
from pagespec.types import Order, Pfn
from pagespec.verbs import Op, Outcome
from pagespec.zone import Zone


@runtime_checkable
class Target(Protocol):
    """An allocator of page frames."""

    def alloc(self, order: Order) -> Pfn | None:
        """The first frame of a block of 2**order frames, or None if there is no such block."""

    def free(self, pfn: Pfn, order: Order) -> None:
        """Take back a block that alloc gave; raise ValueError for any other."""


@runtime_checkable
class CountsReferences(Protocol):
    """An allocator whose blocks carry references, as `pagespec.alloc` describes."""

    def alloc_compound(self, order: Order) -> Pfn | None:
        """As alloc, for a block that stays one until its last reference is dropped."""

    def get(self, pfn: Pfn) -> None:
        """Take a reference to the block that the frame heads."""

    def put(self, pfn: Pfn) -> None:
        """Drop a reference; the last one frees the block."""


@runtime_checkable
class ServesAll(Protocol):
    """An allocator that serves the whole vocabulary: types, ranges and places of frames too.

    It needs no other call. It refuses illegal requests itself, since from outside nobody can tell
    which requests about pageblocks are legal.
    """

    def serve(self, op: Op) -> Outcome:
        """What comes of the request, by the numbers of `pagespec.verbs.Outcome`."""


@runtime_checkable
class ListsFreeBlocks(Protocol):
    """An allocator that shows its free blocks."""

    def free_lists(self) -> Sequence[Sequence[Pfn]]:
        """Per order from 0 up, the first frames of the free blocks, the one served next first."""


@runtime_checkable
class CountsFreeBlocks(Protocol):
    """An allocator that shows its free blocks, and keeps counts of them besides."""

    def counts(self) -> tuple[Sequence[int], int]:
        """Per order from 0 up how many blocks it counts as free, and how many frames in all.

        Asked after each `free_lists`, with no request between.
        """


@runtime_checkable
class ShowsState(Protocol):
    """An allocator whose whole state can be read as a zone of the spec."""

    def state(self) -> Zone:
        """The state; raise `TornList` if its memory does not read as lists."""


class TornList(Exception):
    """An allocator's memory does not read as free lists; the message says where."""


Factory: TypeAlias = Callable[[Machine], Target | ServesAll]
"""Makes a fresh allocator with all of `machine.managed` free, or raises DomainError."""
