"""The two forms of the kernels are one allocator: the same answers and the same bytes."""

import numpy as np
import pytest
from tests.impl.machines import LISTED_MACHINES, MACHINES, TYPED_MACHINES, name_of

from pageimpl.allocator import Allocator, Stream
from pageimpl.refine import zone_of
from pageimpl.stream import COLUMN_ORDER, COLUMN_RESULT, COLUMN_VERB, COLUMN_WANT
from pageimpl.verbs import ALLOC, FREE
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.migratetype import UNMOVABLE


@pytest.mark.parametrize("machine", MACHINES + TYPED_MACHINES + LISTED_MACHINES, ids=name_of)
def test_plain_and_compiled_agree_byte_for_byte(machine: Machine) -> None:
    """After each request of a random stream both memories hold the same bytes."""
    plain, compiled = Allocator(machine, jit=False), Allocator(machine)
    streams = Stream(plain, 11), Stream(compiled, 11)

    for _ in range(400):
        expected, actual = (stream.run(1).tolist() for stream in streams)
        assert expected == actual
        assert np.array_equal(plain.memory.array, compiled.memory.array)


@pytest.mark.parametrize("jit", [False, True])
def test_a_stream_is_its_seed(jit: bool) -> None:
    """The same seed gives the same rows, in one batch or in many; another seed others."""
    whole = Stream(Allocator(MACHINES[0], jit=jit), 5).run(600)
    batches = Stream(Allocator(MACHINES[0], jit=jit), 5)

    assert np.array_equal(whole, np.concatenate([batches.run(n) for n in (1, 0, 99, 500)]))
    assert not np.array_equal(whole, Stream(Allocator(MACHINES[0], jit=jit), 6).run(600))


@pytest.mark.parametrize("weights", [(), (0, 0), (1, 2, 3, 4, 5, 6), (-1, 2)])
def test_a_stream_needs_orders_to_draw(weights: tuple[int, ...]) -> None:
    """Weights of no order, of orders that the zone lacks, or below zero are refused."""
    allocator = Allocator(MACHINES[0], jit=False)
    if not weights:
        Stream(allocator, 1, weights=weights)
        return
    with pytest.raises(ValueError, match="weights="):
        Stream(allocator, 1, weights=weights)


def test_a_stream_draws_by_weight() -> None:
    """Orders without weight are never drawn, and odds of 0 mean never."""
    allocator = Allocator(MACHINES[0])
    odds = dict.fromkeys(("illegal", "references", "splits", "compound"), 0)
    rows = Stream(allocator, 1, weights=(0, 3, 1), **odds).run(5000)

    verbs = rows[:, COLUMN_VERB]
    allocations = rows[verbs == ALLOC]
    assert set(allocations[:, COLUMN_ORDER].tolist()) == {1, 2}
    assert set(allocations[:, COLUMN_WANT].tolist()) == {0}
    assert set(verbs.tolist()) == {ALLOC, FREE}
    assert set(rows[verbs == FREE, COLUMN_RESULT].tolist()) == {0}
    orders = allocations[:, COLUMN_ORDER]
    assert 2 < np.sum(orders == 1) / np.sum(orders == 2) < 4


def test_the_two_designs_are_one_allocator() -> None:
    """Pair bitmap and order tag give the same answers and lists, and bits are tags xor-ed."""
    tagged, mapped = (Allocator(Machine(61, 4, ERAS[era])) for era in ("2.6.11", "2.6.8"))
    streams = Stream(tagged, 9), Stream(mapped, 9)

    for _ in range(500):
        expected, actual = (stream.run(1).tolist() for stream in streams)
        assert expected == actual
        by_tag, by_bit = zone_of(tagged), zone_of(mapped)
        assert by_tag.free_area == by_bit.free_area
        ones = [
            {pfn >> (1 + order) for pfn in by_tag.free_area[order][UNMOVABLE]} for order in range(4)
        ]
        assert [*ones, set()] == by_bit.pair_bits
