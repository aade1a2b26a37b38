"""Allocators whose CPUs keep frames of their own, asked by calls: in Python and in C."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.target.allocators import Called, Lazy
from tests.target.material import SMALL, listed_machines, machines, needs_cc, walked

from pagefuzz.lockstep import Lockstep
from pagefuzz.record import trace_of
from pagefuzz.replay import replay
from pagefuzz.target.adapter import Adapter
from pagefuzz.target.build import built
from pagefuzz.target.native import Library
from pagefuzz.target.protocol import Factory
from pagespec.era import ERAS
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.migratetype import CMA
from pagespec.trace import text_of
from pagespec.types import FAULT, DomainError, Order, Pfn, Refusal
from pagespec.verbs import Op, Verb

LISTED = Machine(pages=32, top=3, era=ERAS["6.12"], cpus=2, batch=2)
PERCPU = Path(__file__).with_name("percpu.c")


class Keeps(Lazy):
    """Each CPU keeps the single frames that are freed on it, six at most."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self.kept: list[list[Pfn]] = [[] for _ in range(machine.cpus)]

    def alloc_on(self, order: Order, cpu: int) -> Pfn | None:
        if order or not self.kept[cpu]:
            return self.alloc(order)
        pfn = self.kept[cpu].pop()
        self.held[pfn] = 0
        return pfn

    def free_on(self, pfn: Pfn, order: Order, cpu: int) -> None:
        if order:
            return self.free(pfn, order)
        if self.held.get(pfn) != 0:
            raise ValueError("not given out with this order")
        del self.held[pfn]
        if len(self.kept[cpu]) == 6:
            self.drain(cpu)
        self.kept[cpu].append(pfn)
        return None

    def drain(self, cpu: int) -> None:
        for pfn in self.kept[cpu]:
            self.held[pfn] = 0
            self.free(pfn, 0)
        self.kept[cpu].clear()

    def alloc_bulk(self, array: list[Pfn | None], cpu: int) -> int:
        for slot, pfn in enumerate(array):
            if pfn is None:
                array[slot] = self.alloc_on(0, cpu)
            if array[slot] is None:
                return slot
        return len(array)


class KeepsForGood(Keeps):
    """Does not drain."""

    def drain(self, cpu: int) -> None:
        pass


class KeepsTwice(Keeps):
    """Takes what it keeps from the other CPU's end without removing it there."""

    def alloc_on(self, order: Order, cpu: int) -> Pfn | None:
        if order == 0 and self.kept[-1] and cpu == 0:
            return self.kept[-1][0]
        return super().alloc_on(order, cpu)


def library() -> Factory:
    return Library(built(PERCPU), "percpu.c")


@pytest.fixture(params=["python", pytest.param("c", marks=needs_cc)])
def right(request: pytest.FixtureRequest) -> Factory:
    return Keeps if request.param == "python" else library()


def test_a_right_allocator_keeps_the_laws(right: Factory) -> None:
    """On machines with CPUs and without, judged from outside."""
    for seed, machine in enumerate([*listed_machines(40), *machines(20)]):
        assert walked(right, machine, seed).level == "outside"


def test_what_it_offers_follows_from_the_machine(right: Factory) -> None:
    """Without CPUs there is nothing to drain, and an era without bulk requests has no arrays."""
    least = {Verb.ALLOC, Verb.FREE}
    drains = least | {Verb.DRAIN, Verb.DRAIN_ALL}

    assert Adapter(right, SMALL).verbs == least
    assert Adapter(right, LISTED).verbs == drains | {Verb.BULK}
    assert Adapter(right, Machine(16, 3, ERAS["2.6.37"], cpus=1)).verbs == drains


@pytest.mark.parametrize("factory", [Called, Lazy])
def test_who_has_no_word_for_cpus_declines_them(factory: Factory) -> None:
    """And zones with watermarks, which nobody takes by calls."""
    with pytest.raises(DomainError, match=r"declined: the machine has CPUs with page lists"):
        Lockstep(LISTED, factory)
    with pytest.raises(DomainError, match=r"declined: the machine has watermarks \(min_free=9\)"):
        Lockstep(Machine(16, 3, ERAS["6.1"], min_free=9), factory)


def test_who_keeps_lists_declines_watermarks(right: Factory) -> None:
    """No call has a word for an emergency."""
    with pytest.raises(DomainError, match="declined: the machine has watermarks"):
        Lockstep(Machine(16, 3, ERAS["6.1"], cpus=2, min_free=9), right)


def test_what_no_call_can_say_is_refused_here(right: Factory) -> None:
    """A CPU that is not there, a type that there is not, an array that is too long."""
    lockstep = Lockstep(LISTED, right)
    pfn = lockstep.step(Op(Verb.ALLOC))

    assert lockstep.step(Op(Verb.ALLOC, cpu=2)) == Refusal.BAD_CPU
    assert lockstep.step(Op(Verb.FREE, 0, pfn, cpu=-1)) == Refusal.BAD_CPU
    assert lockstep.step(Op(Verb.DRAIN, cpu=7)) == Refusal.BAD_CPU
    assert lockstep.step(Op(Verb.BULK, pages=1, cpu=7)) == Refusal.BAD_CPU
    assert lockstep.step(Op(Verb.BULK, pages=1, mt=CMA)) == Refusal.BAD_TYPE
    assert lockstep.step(Op(Verb.BULK, pages=0)) == Refusal.BAD_RANGE
    assert lockstep.step(Op(Verb.BULK, pages=257)) == Refusal.BAD_RANGE
    assert lockstep.step(Op(Verb.FREE, 0, pfn, cpu=1)) == 0


def test_the_array_is_the_callers(right: Factory) -> None:
    """Slots stay filled until their frames are freed, and only empty ones are filled anew."""
    lockstep = Lockstep(LISTED, right)
    assert lockstep.step(Op(Verb.BULK, pages=3, cpu=1)) == 3
    first = {slot: pfn for pfn, slot in lockstep.book.slots.items()}
    lockstep.step(Op(Verb.FREE, 0, first[1]))
    assert first[1] not in lockstep.book.slots
    lockstep.step(Op(Verb.ALLOC, 1))
    assert lockstep.step(Op(Verb.BULK, pages=4)) == 4
    second = {slot: pfn for pfn, slot in lockstep.book.slots.items()}

    assert (second[0], second[2]) == (first[0], first[2])
    assert sorted(second) == [0, 1, 2, 3]
    assert second.keys() == set(range(4))
    assert set(second.values()) <= lockstep.book.held.keys()


@pytest.mark.parametrize(
    ("factory", "laws"),
    [(KeepsForGood, {"OUT-return"}), (KeepsTwice, {"OUT-disjoint", "OUT-refuse", "OUT-fault"})],
)
def test_a_faulty_one_is_found(factory: Factory, laws: set[str]) -> None:
    """What is not drained can't be had again; what is given out twice is owned or freed twice.

    Given out twice in one array, it is no answer at all.
    """
    broken = set()
    for seed, machine in enumerate(listed_machines(60)):
        try:
            walked(factory, machine, seed)
        except LawBroken as found:
            broken.add(found.law_id)

    assert broken
    assert broken <= laws


def leaving(*frames: Pfn) -> Callable[[list[Pfn | None]], int]:
    """Puts these frames into the first slots."""

    def fill(array: list[Pfn | None]) -> int:
        array[: len(frames)] = frames
        return len(frames)

    return fill


def filling(fill: Callable[[list[Pfn | None]], int]) -> Factory:
    """An allocator that fills arrays so."""

    class Filling(Keeps):
        def alloc_bulk(self, array: list[Pfn | None], cpu: int) -> int:
            return fill(array)

    return Filling


@pytest.mark.parametrize(
    ("fill", "told"),
    [
        (lambda array: len(array) + 1, "alloc_bulk returned 4 for an array of 3"),
        (lambda array: array.pop() or 0, "and left 2 in it"),
        (lambda array: "3", "TypeError"),
        (leaving(8, 8, 9), "put 8 into slots 0 and 1"),
        (leaving(-5, 8, 9), "alloc returned -5"),
    ],
)
def test_arrays_that_are_none(fill: Callable[[list[Pfn | None]], int], told: str) -> None:
    """A number or an array that no bulk request can leave is a fault of the allocator."""
    lockstep = Lockstep(LISTED, filling(fill))

    with pytest.raises(LawBroken, match="OUT-fault") as caught:
        lockstep.step(Op(Verb.BULK, pages=3))

    assert lockstep.done[-1][1] == FAULT
    assert told in repr(caught.value.__cause__)


def test_frames_of_an_array_are_judged_like_any_other() -> None:
    """One that lies outside, or is held by somebody."""
    outside = Lockstep(LISTED, filling(leaving(99)))
    with pytest.raises(LawBroken, match="OUT-inside"):
        outside.step(Op(Verb.BULK, pages=1))

    held = Lockstep(LISTED, filling(leaving(0)))
    assert held.step(Op(Verb.ALLOC, 3)) == 0
    with pytest.raises(LawBroken, match="OUT-disjoint"):
        held.step(Op(Verb.BULK, pages=1))


@needs_cc
def test_a_trace_with_slots_replays_on_another_allocator() -> None:
    """Names and slots stand for its own frames."""
    lockstep = Lockstep(LISTED, Keeps)
    lockstep.step(Op(Verb.ALLOC, 2))
    lockstep.step(Op(Verb.BULK, pages=5, cpu=1))
    for pfn in list(lockstep.book.slots)[:3]:
        lockstep.step(Op(Verb.FREE, 0, pfn, cpu=1))
    trace = trace_of(LISTED, lockstep.done, LawBroken("OUT-return", "made up"), lockstep.filled)

    assert "free slot=2 cpu=1 -> done" in text_of(trace)
    assert replay(trace, library()) == (None, 6, (), replay(trace, Keeps).reached)
