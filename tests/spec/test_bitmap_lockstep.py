"""Law BUD-bitmap: the pair bitmap of 2.6.8 and the order tag of 2.6.11 are one allocator.

Beside each other on the same requests they give the same frames and keep the same lists, and the
bit of a pair is the tag of its left block xor that of its right.
Source: derived from the two designs, mm/page_alloc.c of 2.6.8 and 2.6.11.
"""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from tests.strategies import holes, ops

from pagespec.alloc import FREE_ONE_BLOCK
from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import Zone, empty_zone, lists_of

SIZES = [(8, 3), (17, 3), (61, 4), (64, 4), (1000, 6), (1024, 10)]
OLD, NEW = ERAS["2.6.8"], ERAS["2.6.11"]


class Pair:
    """A zone of each design."""

    def __init__(self, pages: int, top: int, holes: tuple[tuple[int, int], ...] = ()) -> None:
        machine = Machine(pages, top, OLD, start=5, holes=holes)
        self.old = boot(machine)
        self.new = boot(Machine(pages, top, NEW, start=5, holes=holes))
        self.agree()

    def step(self, op: Op) -> Outcome:
        outcome = perform(self.old, op)

        assert perform(self.new, op) == outcome
        self.agree()
        return outcome

    def agree(self) -> None:
        old, new = self.old, self.new
        assert lists_of(old) == lists_of(new)
        assert (old.nr_free, old.free_pages, old.held) == (new.nr_free, new.free_pages, new.held)
        assert old.pair_bits == bits_of_tags(new)


def bits_of_tags(zone: Zone) -> list[set[int]]:
    """Per order below the top, the pairs of which exactly one block carries this order as tag."""
    bits: list[set[int]] = [set() for _ in zone.free_area]
    for pfn, order in zone.tag.items():
        if order < zone.machine.top:
            sibling = ((pfn - zone.machine.base) ^ (1 << order)) + zone.machine.base
            if zone.tag.get(sibling) != order:
                bits[order].add((pfn - zone.machine.base) >> (order + 1))
    return bits


@pytest.mark.parametrize(("pages", "top"), SIZES)
@given(data=st.data())
@settings(max_examples=15)
def test_both_designs_are_one_allocator(pages: int, top: int, data: DataObject) -> None:
    """On every step of any run of requests, legal or not, also with holes."""
    pair = Pair(pages, top, data.draw(holes(5, pages)))
    for _ in range(data.draw(st.integers(1, 25))):
        pair.step(data.draw(ops(pair.old)))


@pytest.mark.parametrize(("pages", "top"), SIZES)
def test_both_designs_are_one_allocator_in_the_long_run(pages: int, top: int) -> None:
    """The same on a long stream that fills the zone and empties it again and again."""
    rng, pair, held = Random(pages), Pair(pages, top), list[int]()
    for turn in range(800):
        if held and rng.random() < (0.3 if turn // 100 % 2 else 0.7):
            pfn = held.pop(rng.randrange(len(held)))
            pair.step(Op(Verb.FREE, pair.old.held[pfn].order, pfn))
        else:
            got = pair.step(Op(Verb.ALLOC, min(int(rng.expovariate(0.7)), top)))
            held += [got] if got >= 0 else []

    assert pair.old.given


@pytest.mark.parametrize(("pages", "top"), SIZES)
def test_both_designs_take_over_single_frames_alike(pages: int, top: int) -> None:
    """Memory handed over frame by frame ends in the same lists, order by order."""
    zones = [empty_zone(Machine(pages, top, era)) for era in (OLD, NEW)]
    for pfn in range(pages):
        for zone in zones:
            FREE_ONE_BLOCK[zone.machine.era.design](zone, pfn, 0)

        assert zones[0].free_area == zones[1].free_area
        assert zones[0].pair_bits == bits_of_tags(zones[1])
