"""Shared libraries as allocators under test: `pagefuzz.h` on one side, `Target` on the other.

Each allocator runs in a process of its own (see `serve`), at the price of a round trip between two
processes for every request. A crash or a hang is raised here, and so becomes an outcome like any
other.
"""

import json
import os
import weakref
from array import array
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import NamedTuple, NoReturn

from pagefuzz.errors import UsageError
from pagefuzz.target.keeper import Died, Keeper, Reply
from pagefuzz.target.protocol import TornList
from pagefuzz.target.serve import OPTIONAL, REQUIRED, Ask
from pagespec.laws.outside import Promises
from pagespec.machine import Machine
from pagespec.types import NO_MEMORY, REFUSED, Block, DomainError, Order, Pfn, Refusal

ABI = 1
"""PF_ABI of the header."""

UNSAID_SIZE = -1
"""PF_UNSAID_SIZE of the header."""

HEADER = Path(__file__).with_name("pagefuzz.h")
"""The header that a library is built with."""

_EAGERLY, _REFUSES, _EXACT = 1, 2, 4
_SHOWN = "pf_free_list, pf_nr_free or pf_free_pages"
_REFUSALS = frozenset(int(refusal) for refusal in Refusal if refusal >= Refusal.UNSAID)
"""Why requests about blocks are refused; a library is asked for nothing else."""


class BadAnswer(Exception):
    """A function of the library returned a number that means nothing."""


class Offer(NamedTuple):
    """What a library has to show: its promises, and the optional parts that it defines."""

    promises: Promises
    parts: frozenset[str]


class Library:
    """A shared library as a `Factory`: called with a machine, it makes an allocator.

    name: what the user calls it. Raises UsageError for a file that is no such library.
    """

    def __init__(self, path: Path, name: str) -> None:
        self.path, self.name = path, name
        self._idle: list[Keeper] = []
        self.offer = self._introduction()

    def __call__(self, machine: Machine) -> "Native":
        """A fresh allocator. Raises DomainError for a machine that the library does not serve."""
        return Native(self, machine)

    def take(self) -> Keeper:
        """A keeper that serves no allocator at the moment."""
        while self._idle:
            keeper = self._idle.pop()
            if keeper.owner == os.getpid() and keeper.process.poll() is None:
                return keeper
        return Keeper(self.path)

    def give_back(self, keeper: Keeper) -> None:
        """Keep the process for the next allocator: to start one takes much longer than to fork."""
        self._idle.append(keeper)

    def _introduction(self) -> Offer:
        """What the library says of itself, checked."""
        try:
            keeper = Keeper(self.path)
        except Died as died:
            raise UsageError(
                f"target {self.name}: {died} while it was loaded; expected a library that does "
                "nothing before pf_create is called"
            ) from None
        hello = json.loads(keeper.hello)
        if "error" in hello:
            raise UsageError(
                f"target {self.name}: not loaded: {hello['error']}; expected a shared library "
                f"built with {HEADER}"
            )
        there = set(hello["functions"])
        missing = [name for name in REQUIRED if name not in there]
        for _, names in OPTIONAL:
            if there & set(names):
                missing += [name for name in names if name not in there]
        if missing:
            raise UsageError(
                f"target {self.name}: {missing[0]} is missing; define it as {HEADER} says"
            )
        if hello["abi"] != ABI:
            raise UsageError(
                f"target {self.name}: pf_abi() is {hello['abi']}, expected {ABI}: build it again "
                f"with {HEADER}"
            )
        self.give_back(keeper)
        bits = hello.get("promises", _EAGERLY | _REFUSES)
        return Offer(
            Promises(bool(bits & _EAGERLY), bool(bits & _REFUSES), bool(bits & _EXACT)),
            frozenset(part for part, names in OPTIONAL if there >= set(names)),
        )


class Native:
    """One allocator of a library; it has the methods for which the library has functions."""

    def __init__(self, library: Library, machine: Machine) -> None:
        self.promises, parts = library.offer
        session = Session(library, machine)
        weakref.finalize(self, session.close)
        self.alloc, self.free = session.alloc, session.free
        if "lists" in parts:
            self.free_lists = session.free_lists
        if "counts" in parts:
            self.counts = session.counts
        if "references" in parts:
            self.alloc_compound = session.alloc_compound
            self.get, self.put = session.get, session.put
        if "cpus" in parts:
            self.alloc_on, self.free_on = session.alloc_on, session.free_on
            self.drain = session.drain
        if "bulk" in parts:
            self.alloc_bulk = session.alloc_bulk


class Session:
    """The conversation with one allocator, which ends when the library dies or by `close`."""

    def __init__(self, library: Library, machine: Machine) -> None:
        self._library, self._machine = library, machine
        self._keeper: Keeper | None = library.take()
        self._end = "the session is closed"
        self._counts = array("q")
        if not self._ask(Ask.CREATE, payload=_described(machine)).value:
            self.close()
            raise DomainError(
                f"target {library.name} does not serve {machine}: pf_create returned NULL"
            )

    def alloc(self, order: Order) -> Pfn | None:
        """See `Target`."""
        return self._given(Ask.ALLOC, order)

    def free(self, pfn: Pfn, order: Order) -> None:
        """See `Target`."""
        self._done(Ask.FREE, order, pfn)

    def alloc_compound(self, order: Order) -> Pfn | None:
        """See `CountsReferences`."""
        return self._given(Ask.ALLOC_COMPOUND, order)

    def get(self, pfn: Pfn) -> None:
        """See `CountsReferences`."""
        self._done(Ask.GET, 0, pfn)

    def put(self, pfn: Pfn) -> None:
        """See `CountsReferences`."""
        self._done(Ask.PUT, 0, pfn)

    def alloc_on(self, order: Order, cpu: int) -> Pfn | None:
        """See `KeepsLists`."""
        return self._given(Ask.ALLOC_ON, order, cpu)

    def free_on(self, pfn: Pfn, order: Order, cpu: int) -> None:
        """See `KeepsLists`."""
        self._done(Ask.FREE_ON, order, pfn, cpu)

    def drain(self, cpu: int) -> None:
        """See `KeepsLists`."""
        self._done(Ask.DRAIN, 0, 0, cpu)

    def alloc_bulk(self, slots: list[Pfn | None], cpu: int) -> int:
        """See `FillsArrays`."""
        payload = array("q", [NO_MEMORY if pfn is None else pfn for pfn in slots]).tobytes()
        value, filled = self._ask(Ask.ALLOC_BULK, cpu=cpu, payload=payload)
        if value < 0:
            self._refuse(Ask.ALLOC_BULK, value, 0, 0)
        slots[:] = [None if pfn == NO_MEMORY else pfn for pfn in array("q", filled)]
        return value

    def free_lists(self) -> Sequence[Sequence[Pfn]]:
        """See `ListsFreeBlocks`."""
        numbers = array("q", self._ask(Ask.FREE_LIST).payload)
        lists: list[Sequence[Pfn]] = []
        at = 0
        for order in range(self._machine.top + 1):
            count, at = numbers[at], at + 1
            if not 0 <= count <= self._machine.pages:
                raise TornList(f"pf_free_list counts {count} free blocks of order {order}")
            lists.append(numbers[at : at + count])
            at += count
        self._counts = numbers[at:]
        return lists

    def counts(self) -> tuple[Sequence[int], int]:
        """See `CountsFreeBlocks`; they are read together with the lists."""
        return self._counts[:-1], self._counts[-1]

    def close(self) -> None:
        """End the allocator, if it still lives."""
        if self._keeper is not None and self._keeper.owner == os.getpid():
            with suppress(Died):
                self._ask(Ask.DESTROY)
                self._library.give_back(self._keeper)
                self._keeper = None

    def _given(self, what: Ask, order: Order, cpu: int = 0) -> Pfn | None:
        value = self._ask(what, order, cpu=cpu).value
        if value >= 0:
            return value
        return None if value == NO_MEMORY else self._refuse(what, value, order, 0)

    def _done(self, what: Ask, order: Order, pfn: Pfn, cpu: int = 0) -> None:
        value = self._ask(what, order, pfn, cpu).value
        if value != 0:
            self._refuse(what, value, order, pfn)

    def _refuse(self, what: Ask, value: int, order: Order, pfn: Pfn) -> NoReturn:
        if value == Refusal.UNSAID:
            raise ValueError("PF_REFUSED")
        if value in _REFUSALS:
            raise REFUSED[Refusal(value)](Block(pfn, order))
        raise BadAnswer(f"pf_{what.name.lower()} returned {value}, which no request may return")

    def _ask(
        self, what: Ask, order: int = 0, pfn: int = 0, cpu: int = 0, payload: bytes = b""
    ) -> Reply:
        """Put the request. While it is under way the keeper is nobody's: whoever interrupts it
        leaves a reply behind that would answer the next request.
        """
        keeper, self._keeper = self._keeper, None
        if keeper is None:
            raise Died(self._end)
        try:
            reply = keeper.ask(what, _within(order, 31), _within(pfn, 63), cpu, payload)
        except (Died, EOFError, OSError) as fault:
            called = _SHOWN if what is Ask.FREE_LIST else f"pf_{what.name.lower()}"
            self._end = f"{called}: {str(fault) or 'its process is gone'}"
            if isinstance(fault, Died):
                self._library.give_back(keeper)
            raise Died(self._end) from None
        self._keeper = keeper
        return reply


def _within(number: int, bits: int) -> int:
    """The number, or -1 for one that the C type does not hold: no zone has either."""
    return number if abs(number) < 1 << bits else -1


def _described(machine: Machine) -> bytes:
    """The machine as `serve` reads it."""
    runs, holes = machine.managed, machine.holes
    numbers = [machine.start, machine.pages, machine.top, machine.base, len(runs), len(holes)]
    sizes = (machine.batch, machine.high)
    numbers += [machine.cpus, *(UNSAID_SIZE if size is None else size for size in sizes)]
    numbers += chain.from_iterable(runs + holes)
    return array("q", [len(numbers), *numbers]).tobytes() + machine.era.name.encode()
