"""What an allocator must offer to be tested: two functions, or one. Everything else is optional.

    class Mine:
        def __init__(self, machine: Machine) -> None: ...
        def alloc(self, order: int) -> int | None: ...
        def free(self, pfn: int, order: int) -> None: ...

`pagefuzz run --target mymodule:Mine` then judges it by the OUT laws. Each optional part that is
there lets more laws judge:

    promises = Promises(...)                 what it holds itself to (the default: eager, refusing)
    alloc_compound(order), get(pfn), put(pfn)  references
    alloc_on(order, cpu), free_on(pfn, order, cpu), drain(cpu)
                                             frames that CPUs keep: machines with CPUs
    alloc_bulk(array, cpu)                   the empty slots of an array, filled at once
    free_lists() -> per order, the free blocks' first frames: the BUD laws, and with
                                             `Promises(exact=True)` equality with Linux of the era
    counts() -> nr_free per order, free_pages  what it counts beside the lists: BUD-count
    state() -> Zone                          the whole state: all laws
    serve(op) -> outcome                     every request there is, in place of all the calls:
                                             machines with pageblocks are for such allocators alone
    serves = Serves(...)                     with serve, whether machines with CPUs, zones with
                                             watermarks, and counts that CPUs keep parts of are
                                             taken too (the default: none of them)
    slots() -> slot by frame                 with serve, the array that bulk requests fill

An illegal free is refused by raising ValueError, or one of `pagespec.types.Refused` to give the
reason. A machine that the allocator does not serve is turned down by raising
`pagespec.types.DomainError` from the constructor. Any other exception is a finding.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

from pagespec.machine import Machine
from pagespec.types import Order, Pfn
from pagespec.verbs import Op, Outcome, Verb
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
class KeepsLists(Protocol):
    """An allocator whose CPUs may keep free frames of their own, in front of what all share.

    Whoever has these three takes machines with CPUs. It is then asked by them, and `alloc` and
    `free` only on machines without. How many frames a CPU keeps is its own business: `batch` and
    `high` of the machine say what Linux would do.
    """

    def alloc_on(self, order: Order, cpu: int) -> Pfn | None:
        """As alloc, for a request of that CPU."""

    def free_on(self, pfn: Pfn, order: Order, cpu: int) -> None:
        """As free, of a block that any CPU was given."""

    def drain(self, cpu: int) -> None:
        """Give back to all whatever the CPU keeps."""


@runtime_checkable
class FillsArrays(Protocol):
    """An allocator of `KeepsLists` that fills the empty slots of an array in one call."""

    def alloc_bulk(self, array: list[Pfn | None], cpu: int) -> int:
        """Put single frames where the array has None, as far as there are any.

        Returns how many slots from the first on are filled.
        """


class Serves(NamedTuple):
    """What an allocator with `serve` takes, beyond blocks, pageblocks and places of frames.

    lists: machines whose CPUs keep page lists. marks: zones with watermarks. cells: machines with
    `cells`, whose CPUs keep parts of the counts of free frames, so that marks see them late; an
    allocator that counts exactly is right to decline them. without: requests that it does not serve
    all the same; it is never asked for them.
    """

    lists: bool = False
    marks: bool = False
    cells: bool = False
    without: frozenset[Verb] = frozenset()


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
class ShowsSlots(Protocol):
    """An allocator with `serve` that serves bulk requests and shows no state."""

    def slots(self) -> Mapping[Pfn, int]:
        """The frames that the array of bulk requests holds now, each with its slot."""


@runtime_checkable
class ShowsState(Protocol):
    """An allocator whose whole state can be read as a zone of the spec."""

    def state(self) -> Zone:
        """The state; raise `TornList` if its memory does not read as lists."""


class TornList(Exception):
    """An allocator's memory does not read as free lists; the message says where."""


Factory: TypeAlias = Callable[[Machine], Target | ServesAll]
"""Makes a fresh allocator with all of `machine.managed` free, or raises DomainError."""
