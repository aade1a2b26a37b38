"""Whatever an allocator answers, raises or shows ends in a law's name, never in a traceback."""

from collections.abc import Callable, Sequence

import pytest
from tests.target.allocators import Lists
from tests.target.material import SMALL

from pagefuzz.errors import UsageError
from pagefuzz.lockstep import Lockstep
from pagefuzz.target.protocol import Factory
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.types import DomainError, Order, Pfn
from pagespec.verbs import Op, Verb

Seen = Sequence[Sequence[object]]


def answering(answer: object) -> Factory:
    """An allocator that gives this for every block."""

    class Answering(Lists):
        free_lists = None  # type: ignore[assignment]

        def alloc(self, order: Order) -> Pfn | None:
            return answer  # type: ignore[return-value]

    return Answering


def showing(distort: Callable[[list[list[Pfn]]], Seen]) -> Factory:
    """An allocator that is right, and shows its lists so."""

    class Showing(Lists):
        def free_lists(self) -> Sequence[Sequence[Pfn]]:
            return distort([list(blocks) for blocks in super().free_lists()])  # type: ignore[return-value]

    return Showing


@pytest.mark.parametrize(
    ("answer", "law"),
    [
        ("8", "OUT-fault"),
        (8.0, "OUT-fault"),
        (-1, "OUT-fault"),
        (-5, "OUT-fault"),
        (2**80, "OUT-inside"),
        (16, "OUT-inside"),
        (1, "OUT-align"),
    ],
)
def test_answers_that_are_no_block(answer: object, law: str) -> None:
    """A number below zero is no way to say no: it would be taken for a code of ours."""
    lockstep = Lockstep(SMALL, answering(answer))

    with pytest.raises(LawBroken, match=f"^{law}: "):
        lockstep.step(Op(Verb.ALLOC, 1))

    assert len(lockstep.done) == 1


@pytest.mark.parametrize(
    ("distort", "law"),
    [
        (lambda lists: lists[:-1], "BUD-links"),
        (lambda lists: [*lists, []], "BUD-links"),
        (lambda lists: [[], [], [], [0, 8, 8]], "BUD-links"),
        (lambda lists: [[], [], [], [0, 2**50]], "BUD-links"),
        (lambda lists: [[], [], [], [0, "8"]], "BUD-links"),
        (lambda lists: [[], [], [], [0, [8]]], "BUD-links"),
        (lambda lists: 1 // 0, "BUD-links"),
        (lambda lists: [[], [], [], [0, 16]], "BUD-inside"),
        (lambda lists: [[], [], [], [0, 4]], "BUD-align"),
        (lambda lists: [[], [], [8], [0, 8]], "BUD-disjoint"),
        (lambda lists: [[], [], [], [0]], "BUD-partition"),
        (lambda lists: [[], [], [8, 12], [0]], "BUD-maximal"),
    ],
)
def test_lists_that_are_wrong(distort: Callable[[list[list[Pfn]]], Seen], law: str) -> None:
    """What cannot be read is BUD-links, and never lost by making it a set; the rest has its law."""
    with pytest.raises(LawBroken, match=f"^{law}: "):
        Lockstep(SMALL, showing(distort))


@pytest.mark.parametrize(
    ("nr_free", "free_pages"), [([0, 0, 0, 1], 16), ([0, 0, 0, 2], 15), ([2], 16)]
)
def test_counts_are_judged_where_they_are_shown(nr_free: list[int], free_pages: int) -> None:
    """BUD-count compares what the allocator counts with what its lists hold."""

    class Counting(Lists):
        def counts(self) -> tuple[list[int], int]:
            return nr_free, free_pages

    with pytest.raises(LawBroken, match=r"^BUD-count: "):
        Lockstep(SMALL, Counting)


def _divides(machine: Machine) -> Lists:
    raise ZeroDivisionError(f"{machine.pages} by zero")


def _declines(machine: Machine) -> Lists:
    raise DomainError("no holes here")


def _is_none(machine: Machine) -> Lists:
    return object()  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("factory", "error", "told"),
    [
        (_divides, LawBroken, "OUT-fault: no allocator was made: .*16 by zero"),
        (_declines, DomainError, "no holes here"),
        (_is_none, UsageError, "object has no method alloc; expected alloc"),
    ],
)
def test_an_allocator_that_is_not_made(factory: Factory, error: type[Exception], told: str) -> None:
    """It may decline a machine; anything else that it raises is a finding."""
    with pytest.raises(error, match=told):
        Lockstep(SMALL, factory)
