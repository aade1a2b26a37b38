"""The worked examples of the threads, and numbers that were known before this code."""

import pytest
from tests.impl.machines import FORMS, TWIN_ERAS, untyped

from pageimpl.allocator import Allocator
from pageimpl.layout import empty_zone
from pageimpl.memory import Memory, shift_of
from pageimpl.source import Kernels
from pageimpl.walk import free_area_of, walk_buffer
from pagespec.era import ERAS, Era
from pagespec.machine import Machine
from pagespec.migratetype import UNMOVABLE


@pytest.fixture(params=FORMS)
def kernels(request: pytest.FixtureRequest) -> Kernels:
    return FORMS[request.param]()


def free_lists(memory: Memory) -> list[list[int]]:
    return untyped(free_area_of(memory, [UNMOVABLE], walk_buffer(memory)))


def give(kernels: Kernels, memory: Memory, pfn: int, order: int) -> None:
    give_back = kernels.modules["alloc"].give_back
    give_back(kernels.operand(memory), pfn + shift_of(memory), order, False)


@pytest.mark.parametrize("era", ["2.6.8", "2.6.11"])
def test_one_page_of_eight(kernels: Kernels, era: str) -> None:
    """2004's example: the upper halves stay, from large to small, and page 0 is returned."""
    allocator = Allocator(Machine(8, 3, ERAS[era]), modules=kernels)

    assert untyped(allocator.free_area()) == [[], [], [], [0]]
    assert allocator.alloc(0) == 0
    assert untyped(allocator.free_area()) == [[1], [2], [4], []]
    allocator.free(0, 0)
    assert untyped(allocator.free_area()) == [[], [], [], [0]]


def test_pages_walk_upward(kernels: Kernels) -> None:
    """What is left of a split block is served in ascending order."""
    allocator = Allocator(Machine(8, 3, ERAS["2.6.11"]), modules=kernels)

    assert [allocator.alloc(0) for _ in range(8)] == list(range(8))
    assert allocator.alloc(0) is None


def test_bitmap_example(kernels: Kernels) -> None:
    """Pages 0, 5 and 6-7 held, then freed: the pair bits of each step, as 2004 drew them."""
    memory = empty_zone(Machine(8, 3, ERAS["2.6.8"]))
    steps = [
        [(2, 1), (4, 0), (1, 0)],
        [(6, 1)],
        [(5, 0)],
        [(0, 0)],
    ]
    expected = [
        ([[1, 4], [2], [], []], [{0, 2}, {0}, set()]),
        ([[1, 4], [6, 2], [], []], [{0, 2}, {0, 1}, set()]),
        ([[1], [2], [4], []], [{0}, {0}, {0}]),
        ([[], [], [], [0]], [set(), set(), set()]),
    ]
    for frees, (lists, bits) in zip(steps, expected, strict=True):
        for pfn, order in frees:
            give(kernels, memory, pfn, order)
        assert free_lists(memory) == lists
        assert pair_bits(memory, top=3, span=16) == bits


def pair_bits(memory: Memory, top: int, span: int) -> list[set[int]]:
    """Read the maps bit by bit: that of order o starts after those below it."""
    maps = int.from_bytes(memory.array[memory.slots * 16 :].tobytes(), "little")
    found = []
    for order in range(top):
        start = sum(span >> (below + 1) for below in range(order))
        found.append({pair for pair in range(span >> (order + 1)) if maps >> (start + pair) & 1})
    return found


@pytest.mark.parametrize("jump", ["2.6.34", "2.6.37", "2.6.39"])
def test_likely_merges_wait_at_the_tail(kernels: Kernels, jump: str) -> None:
    """With its parent's buddy free a block enters at the tail; in 2.6.39 not if an upper half."""
    era = ERAS["2.6.11" if jump == "2.6.34" else jump]
    memory = empty_zone(Machine(64, 10, era))
    give(kernels, memory, 4, 2)
    give(kernels, memory, 32, 1)
    give(kernels, memory, 2, 1)  # parent 0, whose buddy 4 is free with order 2
    give(kernels, memory, 2 + 16, 0)  # parent 18, whose buddy 16 is not free

    at_tail = jump == "2.6.37"
    assert free_lists(memory)[:3] == [[18], [32, 2] if at_tail else [2, 32], [4]]


@pytest.mark.parametrize(
    ("pages", "top", "era", "counts"),
    [
        (61, 4, "6.1", [1, 0, 1, 1, 3]),
        (1000, 6, "2.6.11", [0, 0, 0, 1, 0, 1, 15]),
        (2**20, 10, "6.12", [0] * 10 + [1024]),
    ],
)
def test_boot_hands_over_maximal_blocks(
    kernels: Kernels, pages: int, top: int, era: str, counts: list[int]
) -> None:
    """A fresh zone is its canonical decomposition."""
    allocator = Allocator(Machine(pages, top, ERAS[era]), modules=kernels)

    assert [len(blocks) for blocks in untyped(allocator.free_area())] == counts
    assert allocator.free_frames() == pages


@pytest.mark.parametrize("era", TWIN_ERAS, ids=lambda era: era.name)
def test_boot_fills_lists_from_the_end_of_the_era(era: Era) -> None:
    """By the head, ascending order leaves the highest block in front; by the tail, the lowest."""
    expected = [0, 16, 32, 48] if era.boot_to_tail else [48, 32, 16, 0]

    assert expected == untyped(Allocator(Machine(64, 4, era), jit=False).free_area())[4]
