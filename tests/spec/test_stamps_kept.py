"""The stamps' model of a CPU's lists against sequences that were simulated apart from it."""

from collections.abc import Mapping

import pytest

from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.migratetype import MOVABLE
from pagespec.pcp.index import order_of_list
from pagespec.stamps import Stamps, boot_stamps, expected_pcps, foretell
from pagespec.stamps.blocks import tick
from pagespec.stamps.kept import drain
from pagespec.stamps.state import Kept
from pagespec.types import Block
from pagespec.verbs import Op, Verb

APART = 16
"""So far apart, blocks of up to 8 frames have no buddies to merge with."""


def machine(era: str, batch: int, cpus: int = 1) -> Machine:
    """A zone of two largest blocks, with huge pages of order 9 where the era groups."""
    grouped = ERAS[era].numbering is not None
    return Machine(
        2048, 10, ERAS[era], pageblock=9 if grouped else None, cpus=cpus, batch=batch, high=None
    )


def drained_from(era: str, lengths: Mapping[int, int], pages: int, first: int = 0) -> list[int]:
    """The numbers of the lists that a drain takes from, in order."""
    stamps = boot_stamps(machine(era, batch=1))
    stamps.stamp.clear()
    stamps.listed.clear()
    number_of: dict[Block, int] = {}
    for number, length in lengths.items():
        for _ in range(length):
            block = Block(APART * len(number_of), order_of_list(number, huge=9))
            number_of[block] = number
            stamps.kept[block] = Kept(0, False, number, tick(stamps, to_tail=True), MOVABLE)
    drain(stamps, 0, False, pages, first)
    # The clock never stops, so what was freed first has the least stamp but for its sign.
    return [number_of[block] for block in sorted(stamps.stamp, key=lambda b: abs(stamps.stamp[b]))]


@pytest.mark.parametrize(
    ("lengths", "pages", "taken_from"),
    [
        ([3, 3, 3], 5, [1, 2, 0, 1, 2]),
        ([0, 6, 0], 4, [1, 1, 1, 1]),
        ([2, 5, 0], 6, [1, 0, 0, 1, 1, 1]),
        ([0, 1, 6], 5, [1, 2, 2, 2, 2]),
    ],
)
@pytest.mark.parametrize("era", ["2.6.37", "4.10"])
def test_until_5_15_a_drain_goes_round(
    era: str, lengths: list[int], pages: int, taken_from: list[int]
) -> None:
    """Simulated from free_pcppages_bulk of 2.6.34 to 5.15."""
    assert drained_from(era, dict(enumerate(lengths)), pages) == taken_from


MIXED = {0: 8, 1: 2, 4: 3, 9: 1}
"""Single frames of two types, three pairs, a block of eight."""


@pytest.mark.parametrize(
    ("era", "first", "taken_from"),
    [
        ("5.15", 4, [1, 4, 4, 4, 9]),
        ("6.1", 4, [4, 4, 4, 9]),
        ("6.12", 0, [0] * 8 + [1, 1]),
    ],
)
def test_a_drain_of_mixed_orders_counts_frames(era: str, first: int, taken_from: list[int]) -> None:
    """Simulated from free_pcppages_bulk of 5.15 and 6.0, a drain of ten frames."""
    assert drained_from(era, MIXED, 10, first) == taken_from


def served(stamps: Stamps, count: int, *, cold: bool = False) -> list[int]:
    """What so many requests for a frame get."""
    return [foretell(stamps, Op(Verb.ALLOC, mt=MOVABLE, cold=cold), ()) for _ in range(count)]


@pytest.mark.parametrize("era", ["2.6.37", "4.10", "5.15", "6.12"])
def test_a_refill_is_served_in_the_order_of_the_buddy(era: str) -> None:
    """A split leaves ascending addresses, and so a batch is ascending too."""
    stamps = boot_stamps(machine(era, batch=4))
    first = served(stamps, 1)[0]
    assert served(stamps, 3) == [first + 1, first + 2, first + 3]


def test_a_cold_refill_is_served_in_the_same_order_from_the_other_end() -> None:
    """Each frame of it goes before the one before it, at the tail."""
    stamps = boot_stamps(machine("4.10", batch=4))
    first = served(stamps, 1, cold=True)[0]
    assert expected_pcps(stamps)[0][0][MOVABLE] == [first + 3, first + 2, first + 1]
    assert served(stamps, 3, cold=True) == [first + 1, first + 2, first + 3]


def test_hot_lists_of_2_6_11_refill_before_they_are_empty() -> None:
    """Two batches always stay: a request that finds no more asks for a third, behind them."""
    stamps = boot_stamps(machine("2.6.11", batch=2))
    first = served(stamps, 1)[0]
    assert expected_pcps(stamps)[0][0][0] == [first + 1]
    assert served(stamps, 3) == [first + 1, first + 2, first + 3]
    assert expected_pcps(stamps)[0][0][0] == [first + 4, first + 5, first + 6, first + 7]


def test_cold_lists_of_2_6_11_are_apart() -> None:
    """They refill when they are empty."""
    stamps = boot_stamps(machine("2.6.11", batch=2))
    first = served(stamps, 1, cold=True)[0]
    assert expected_pcps(stamps)[0] == [[[]], [[first + 1]]]
