"""Illegal requests are refused for the most outward reason, and nothing changes."""

import numpy as np
import pytest

from pageimpl.allocator import Allocator
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.types import (
    BadOrder,
    DomainError,
    DoubleFree,
    FrameInHole,
    InteriorFrame,
    MisalignedBlock,
    NeverGiven,
    OutsideZone,
    Refused,
    WrongOrder,
)

MACHINE = Machine(32, 4, ERAS["6.1"], start=8, holes=((20, 24),))


@pytest.fixture(params=[False, True], ids=["plain", "compiled"])
def allocator(request: pytest.FixtureRequest) -> Allocator:
    """Frames 16 to 19 are held as one block, and frame 32; frame 33 has been given back."""
    allocator = Allocator(MACHINE, jit=request.param)
    assert [allocator.alloc(order) for order in (2, 3, 3)] == [16, 8, 24]
    assert [allocator.alloc(0) for _ in range(2)] == [32, 33]
    for block in ((8, 3), (24, 3), (33, 0)):
        allocator.free(*block)
    return allocator


FREES = [
    (16, -1, BadOrder),
    (16, 5, BadOrder),
    (16, 2**70, BadOrder),
    (-(2**70), -1, BadOrder),
    (7, 0, OutsideZone),
    (40, 0, OutsideZone),
    (4, 3, OutsideZone),
    (36, 3, OutsideZone),
    (-1, 0, OutsideZone),
    (2**70, 0, OutsideZone),
    (17, 1, MisalignedBlock),
    (20, 3, MisalignedBlock),
    (20, 2, FrameInHole),
    (23, 0, FrameInHole),
    (16, 1, WrongOrder),
    (16, 4, WrongOrder),
    (32, 3, WrongOrder),
    (18, 1, InteriorFrame),
    (19, 0, InteriorFrame),
    (33, 0, DoubleFree),
    (8, 3, DoubleFree),
    (9, 0, NeverGiven),
    (34, 1, NeverGiven),
]


@pytest.mark.parametrize(("pfn", "order", "error"), FREES)
def test_frees(allocator: Allocator, pfn: int, order: int, error: type[Refused]) -> None:
    """Every illegal free has its own reason."""
    before = allocator.memory.array.copy()

    with pytest.raises(error, match=str(pfn)):
        allocator.free(pfn, order)
    assert np.array_equal(before, allocator.memory.array)


REFERENCES = [
    (7, OutsideZone),
    (2**64, OutsideZone),
    (21, FrameInHole),
    (17, InteriorFrame),
    (33, DoubleFree),
    (34, NeverGiven),
]


@pytest.mark.parametrize("verb", ["get", "put"])
@pytest.mark.parametrize(("pfn", "error"), REFERENCES)
def test_references(allocator: Allocator, verb: str, pfn: int, error: type[Refused]) -> None:
    """References are taken and dropped at heads of held blocks only."""
    before = allocator.memory.array.copy()

    with pytest.raises(error):
        (allocator.get if verb == "get" else allocator.put)(pfn)
    assert np.array_equal(before, allocator.memory.array)


@pytest.mark.parametrize("order", [-1, 5, 16, 2**64])
def test_allocations(allocator: Allocator, order: int) -> None:
    """An order that the zone does not have is refused, which is not the same as no memory."""
    with pytest.raises(BadOrder):
        allocator.alloc(order)


def test_last_put_of_a_plain_block(allocator: Allocator) -> None:
    """A block that is not compound does not know its order, so its last put is refused."""
    with pytest.raises(WrongOrder):
        allocator.put(16)
    allocator.get(16)
    allocator.put(16)
    allocator.free(16, 2)
    with pytest.raises(DoubleFree):
        allocator.put(16)


def test_free_under_a_reference(allocator: Allocator) -> None:
    """The tails of a plain block go back at once; the first frame stays until its last put."""
    allocator.get(16)
    before = allocator.free_frames()
    allocator.free(16, 2)

    assert allocator.free_frames() == before + 3
    with pytest.raises(DoubleFree):
        allocator.free(18, 1)
    allocator.put(16)
    assert allocator.free_frames() == before + 4


def test_compound_blocks_go_back_whole() -> None:
    """A compound block waits for its last reference, whoever drops it."""
    allocator = Allocator(MACHINE, jit=False)
    pfn = allocator.alloc(2, compound=True)
    assert pfn is not None
    allocator.get(pfn)
    before = allocator.free_frames()
    allocator.free(pfn, 2)

    assert allocator.free_frames() == before
    allocator.put(pfn)
    assert allocator.free_frames() == before + 4


@pytest.mark.parametrize("era", ["2004-v1", "2004-v2"])
def test_unmerged_ways_are_the_spec_s_alone(era: str) -> None:
    """The twin refuses an era whose merges are bounded otherwise."""
    with pytest.raises(DomainError, match=f"era {era} bounds merges by"):
        Allocator(Machine(8, 3, ERAS[era]))
