"""Accessors that do more than a load or a store, in one step that nobody can come between.

They are made from the accessors of a field. Plain code runs a load and a store, one after the
other, which is one step as long as nobody else runs between two kernels' lines: under one thread,
or a scheduler that sees each accessor as a whole. Compiled code gets one atomic instruction from
`intrinsics`. An addition or exchange returns what was there before.

What is written so becomes visible after all that its writer has written before, and whoever reads
it so sees that too. So a word that is exchanged and released is a lock.
"""

from collections.abc import Callable
from enum import Enum
from typing import TypeVar

M = TypeVar("M")


class Atomic(Enum):
    """What an accessor does to its field in one step."""

    ADD = "add"
    EXCHANGE = "xchg"
    COMPARE = "compare, and store if equal"
    RELEASE = "store, after all that was stored before"


ATOMICS: list[tuple[Callable[..., int | None], Callable[..., int], Atomic]] = []
"""Every accessor here with the load of its field, and what it does."""


class WaitsForNobody(RuntimeError):
    """Plain code waits for a lock, and there is nobody who could release it."""


def pause() -> None:
    """Wait a moment, in a loop that waits for another thread to change a word.

    Raises WaitsForNobody in plain code, where a scheduler that has other contexts must take its
    place.
    """
    raise WaitsForNobody("plain code waits for a word that nobody is there to change")


def adder(load: Callable[[M], int], store: Callable[[M, int], None]) -> Callable[[M, int], int]:
    """The addition to a value that there is once."""

    def add(mem: M, value: int) -> int:
        before = load(mem)
        store(mem, before + value)
        return before

    ATOMICS.append((add, load, Atomic.ADD))
    return add


def adder_at(
    load: Callable[[M, int], int], store: Callable[[M, int, int], None]
) -> Callable[[M, int, int], int]:
    """The addition to a value that every record, row or area has."""

    def add(mem: M, at: int, value: int) -> int:
        before = load(mem, at)
        store(mem, at, before + value)
        return before

    ATOMICS.append((add, load, Atomic.ADD))
    return add


def exchanger(load: Callable[[M], int], store: Callable[[M, int], None]) -> Callable[[M, int], int]:
    """The exchange of a value that there is once for another."""

    def exchange(mem: M, value: int) -> int:
        before = load(mem)
        store(mem, value)
        return before

    ATOMICS.append((exchange, load, Atomic.EXCHANGE))
    return exchange


def exchanger_at(
    load: Callable[[M, int], int], store: Callable[[M, int, int], None]
) -> Callable[[M, int, int], int]:
    """The exchange of a value that every record, row or area has for another."""

    def exchange(mem: M, at: int, value: int) -> int:
        before = load(mem, at)
        store(mem, at, value)
        return before

    ATOMICS.append((exchange, load, Atomic.EXCHANGE))
    return exchange


def comparer_at(
    load: Callable[[M, int], int], store: Callable[[M, int, int], None]
) -> Callable[[M, int, int, int], bool]:
    """The exchange of a value for another if it is still the expected one; whether it was."""

    def compare_exchange(mem: M, at: int, expected: int, value: int) -> bool:
        if load(mem, at) != expected:
            return False
        store(mem, at, value)
        return True

    ATOMICS.append((compare_exchange, load, Atomic.COMPARE))
    return compare_exchange


def releaser(load: Callable[[M], int], store: Callable[[M, int], None]) -> Callable[[M, int], None]:
    """The store of a value that there is once, after all that was stored before."""

    def release(mem: M, value: int) -> None:
        store(mem, value)

    ATOMICS.append((release, load, Atomic.RELEASE))
    return release


def releaser_at(
    load: Callable[[M, int], int], store: Callable[[M, int, int], None]
) -> Callable[[M, int, int], None]:
    """The same for a value that every record, row or area has."""

    def release(mem: M, at: int, value: int) -> None:
        store(mem, at, value)

    ATOMICS.append((release, load, Atomic.RELEASE))
    return release
