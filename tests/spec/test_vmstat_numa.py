"""NUMA statistics by hand, in each of the designs: when they are told, and what readers see."""

import pytest
from tests.spec.counters import (
    HIT,
    ask,
    cell,
    counters_of,
    number_of,
    show,
    show_all,
    told,
)

from pagespec.types import Refusal
from pagespec.vmstat.machine import NUMA_ITEMS, Item
from pagespec.vmstat.ops import perform
from pagespec.vmstat.verbs import CounterOp, CounterVerb

COUNT, REFRESH = CounterVerb.COUNT, CounterVerb.REFRESH


def test_sixteen_bits_without_a_sign() -> None:
    """4.14: 65,533 stay with the CPU, where a reader of the zone sees them, not one of all."""
    counters = counters_of(numa="u16")
    ask(counters, COUNT, times=65533)
    assert (told(counters, HIT), cell(counters, HIT)) == (0, 65533)
    assert (show(counters, HIT), show_all(counters, HIT)) == (65533, 0)

    ask(counters, COUNT)
    assert (told(counters, HIT), cell(counters, HIT)) == (65534, 0)
    assert (show(counters, HIT), show_all(counters, HIT)) == (65534, 65534)


def test_sixteen_bits_with_a_sign() -> None:
    """The draft: half a threshold is left behind, so that any later telling takes 49,148."""
    counters = counters_of((0, 64), (0, 64), numa="s16-draft")
    ask(counters, COUNT, times=32765)
    assert (told(counters, HIT), cell(counters, HIT)) == (0, 32765)

    ask(counters, COUNT, preferred=1, where=1)
    assert (told(counters, HIT), cell(counters, HIT)) == (49148, -16382)
    # The node's reader adds up what CPUs keep; the machine's does not, and is that much too high.
    assert (show(counters, HIT), show_all(counters, HIT)) == (32766, 49148)

    ask(counters, COUNT, times=49147)
    assert told(counters, HIT) == 49148
    ask(counters, COUNT)
    assert (told(counters, HIT), cell(counters, HIT)) == (2 * 49148, -16382)


def test_items_are_seen_late() -> None:
    """Until 4.13 they are zone counters as any other; no reader adds up what CPUs keep."""
    counters = counters_of(numa="items", normal=20)
    ask(counters, COUNT, times=20)
    assert (show(counters, HIT), show_all(counters, HIT), cell(counters, HIT)) == (0, 0, 20)

    ask(counters, COUNT)
    assert (show(counters, HIT), cell(counters, HIT)) == (31, -10)


def test_events_are_told_by_their_reader() -> None:
    """Since 5.14, and by nothing else: neither a threshold nor a refresh."""
    counters = counters_of(cpus=(0, 0), numa="events")
    for cpu in (0, 1):
        ask(counters, COUNT, cpu=cpu, times=70_000)
    assert (ask(counters, REFRESH), told(counters, HIT)) == (0, 0)

    assert show(counters, HIT) == 140_000
    assert [cells[number_of(counters, HIT)] for cells in counters.cells] == [0, 0]
    assert counters.totals[HIT] == counters.totals[Item.LOCAL] == 140_000


@pytest.mark.parametrize("numa", ["u16", "s16-draft", "events"])
def test_statistics_that_are_off_are_zero(numa: str) -> None:
    """Turned on again they count from there."""
    counters = counters_of((0, 64), (1, 64), cpus=(0, 1), numa=numa, era="5.15")
    for cpu in (0, 1):
        ask(counters, COUNT, cpu=cpu, preferred=1, times=9, interleave=True)
    ask(counters, CounterVerb.NUMA_OFF)
    ask(counters, COUNT)

    assert [show_all(counters, item) for item in NUMA_ITEMS] == [0] * 6
    assert perform(counters, CounterOp(CounterVerb.NUMA_OFF)) == Refusal.UNSUPPORTED
    ask(counters, CounterVerb.NUMA_ON)
    ask(counters, COUNT, times=2)
    assert show(counters, HIT) == 2


@pytest.mark.parametrize("numa", ["longs", "items"])
def test_older_statistics_have_no_switch(numa: str) -> None:
    counters = counters_of(numa=numa)

    assert perform(counters, CounterOp(CounterVerb.NUMA_OFF)) == Refusal.UNSUPPORTED


@pytest.mark.parametrize("numa", ["longs", "items", "u16", "s16-draft", "events"])
def test_whose_memory_was_given(numa: str) -> None:
    """A hit or a miss, local or other; the zone that was wanted has a foreign one for each miss."""
    counters = counters_of((0, 64), (1, 64), cpus=(0, 1), numa=numa, normal=0, era="5.15")
    ask(counters, COUNT, times=4)
    ask(counters, COUNT, preferred=0, where=1, times=3)
    ask(counters, COUNT, cpu=1, preferred=1, where=0, times=2, interleave=True)
    ask(counters, COUNT, cpu=1, preferred=1, where=1)
    for cpu in (0, 1):
        ask(counters, REFRESH, cpu=cpu)

    # In the order of the items: hit, miss, foreign, interleave, local, other.
    assert [show(counters, item, 0) for item in NUMA_ITEMS] == [4, 2, 3, 2, 4, 2]
    assert [show(counters, item, 1) for item in NUMA_ITEMS] == [1, 3, 2, 0, 1, 3]
    assert [show_all(counters, item) for item in NUMA_ITEMS] == [5, 5, 5, 2, 5, 5]


def test_another_zone_of_the_wanted_node_is_a_hit() -> None:
    """By node, not by zone: and it is the zone that served which counts it."""
    counters = counters_of((0, 64), (0, 64), (1, 64), numa="longs")
    ask(counters, COUNT, preferred=1, where=0)

    assert [show(counters, HIT, zone) for zone in (0, 1, 2)] == [1, 0, 0]
    assert [show_all(counters, item) for item in (Item.MISS, Item.FOREIGN)] == [0, 0]
