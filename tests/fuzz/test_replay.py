"""Putting a trace to an allocator: the law, the place, and what had to be left out."""

import pytest
from tests.fuzz.material import NO_MERGE, planted
from tests.target.allocators import Called, Lazy

from pagefuzz.replay import replay
from pagefuzz.target.builtin import Spec, TwinFactory
from pagefuzz.target.protocol import Factory
from pagespec.events import Kind
from pagespec.machine import Machine
from pagespec.trace_reader import parse
from pagespec.types import Order, Pfn

HEAD = "pagefuzz-trace 1\nmachine pages=16 top=3 era=6.1\n"


class Full(Called):
    """Never has a block of order 2."""

    def alloc(self, order: Order) -> Pfn | None:
        return None if order == 2 else super().alloc(order)


@pytest.mark.parametrize(
    ("factory", "requests", "law", "step"),
    [
        (planted(NO_MERGE), "a = alloc order=0\nfree a\n", "BUD-maximal", 2),
        (planted(NO_MERGE), "a = alloc order=0\n", "BUD-maximal", 2),
        (Full, "a = alloc order=2\n", "OUT-return", 1),
        (TwinFactory(), "a = alloc order=0\nfree a\n", None, 3),
    ],
    ids=["at a request", "at the end", "at once", "nowhere"],
)
def test_the_place_is_named(factory: Factory, requests: str, law: str | None, step: int) -> None:
    """A verdict names the law and the request; one past the last while all is given back."""
    verdict = replay(parse(HEAD + requests), factory)

    assert (verdict.broken.law_id if verdict.broken else None) == law
    assert verdict.step == step


def test_a_fault_at_boot_is_step_0() -> None:
    """Before the first request there is a place too."""

    def broken(machine: Machine) -> Spec:
        raise OSError

    assert replay(parse(HEAD), broken).step == 0


def test_what_the_target_cannot_be_asked_is_skipped() -> None:
    """References are not asked of an allocator without them, nor blocks that were not had."""
    trace = parse(HEAD + "a = alloc order=3\nb = alloc order=3\nc = alloc order=3\nfree c\nget a\n")
    verdict = replay(trace, Lazy)

    assert verdict.broken is None
    assert verdict.skipped == (3, 4)


def test_slots_follow_the_allocator() -> None:
    """A slot stands for the frame that this allocator put there; one that stayed empty is skipped.

    Of 16 frames the first bulk request gets no more than there are.
    """
    head = HEAD.replace("era=6.1", "era=6.1 cpus=2 batch=2 high=8")
    trace = parse(head + "bulk pages=20 -> count 20\nfree slot=2 cpu=1\nput slot=19\nget slot=3\n")
    verdict = replay(trace, Spec)

    assert verdict.broken is None
    assert verdict.skipped == (2,)
    assert verdict.reached[Kind.BULK, 0] == 16
    assert verdict.reached[Kind.FREE, 0] == 16
    assert verdict.reached[Kind.GET, 0] == verdict.reached[Kind.KEPT, 0] == 1


def test_names_follow_the_allocator() -> None:
    """A name stands for the block that this allocator gave, not for the frame in the file."""
    verdict = replay(parse(HEAD + "a = alloc order=0 -> pfn 11\nfree a\n"), Spec)

    assert verdict.broken is None
    assert verdict.reached[Kind.FREE, 0] == 1
    assert not [event for event in verdict.reached if event[0] is Kind.REFUSE]
