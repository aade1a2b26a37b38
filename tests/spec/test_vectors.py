"""Golden vectors: numbers from outside this code, each with its source.

They are what stops a slip that spec and twin, or spec and law, share.
"""

from typing import Protocol

import pytest

from pagespec import bitmap, buddy
from pagespec.alloc import FREE_ONE_BLOCK
from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.events import Kind
from pagespec.frames import buddy_of, parent_of
from pagespec.machine import Machine
from pagespec.migratetype import UNMOVABLE
from pagespec.ops import perform
from pagespec.types import Block
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone, empty_zone, free_blocks, list_add


class Expands(Protocol):
    """How a design puts the upper halves of a split back."""

    def __call__(self, zone: Zone, pfn: int, low: int, high: int) -> None: ...


def tag_expand(zone: Zone, pfn: int, low: int, high: int) -> None:
    buddy.expand(zone, pfn, low, high, UNMOVABLE)


def lists(zone: Zone) -> list[list[int]]:
    """The lists of a machine without pageblocks, by order."""
    return [list(lists[UNMOVABLE]) for lists in zone.free_area]


def freed(machine: Machine, *blocks: tuple[int, int]) -> Zone:
    """A zone into which just these blocks were freed, in this order."""
    zone = empty_zone(machine)
    for pfn, order in blocks:
        FREE_ONE_BLOCK[machine.era.design](zone, pfn, order)
    return zone


@pytest.mark.parametrize(
    ("index", "order", "buddy_index", "parent"),
    [(8, 1, 10, 8), (10, 1, 8, 8), (12, 2, 8, 8), (5, 0, 4, 4)],
)
def test_buddies(index: int, order: int, buddy_index: int, parent: int) -> None:
    """Source: computed from the kernel's xor."""
    assert (buddy_of(index, order), parent_of(index, order)) == (buddy_index, parent)


@pytest.mark.parametrize(("index", "order", "pair"), [(6, 1, 1), (6, 0, 3)])
def test_bitmap_index(index: int, order: int, pair: int) -> None:
    """Source: mm/page_alloc.c; 2.6.8 shifts the index by 1 + order."""
    assert bitmap.pair_of(index, order) == pair


REPLAY: list[tuple[tuple[int, int], list[list[int]], list[set[int]]]] = [
    ((1, 0), [[1, 4], [2], [], []], [{0, 2}, {0}, set(), set()]),
    ((6, 1), [[1, 4], [6, 2], [], []], [{0, 2}, {0, 1}, set(), set()]),
    ((5, 0), [[1], [2], [4], []], [{0}, {0}, {0}, set()]),
    ((0, 0), [[], [], [], [0]], [set(), set(), set(), set()]),
]


@pytest.mark.parametrize("era", ["2.6.8", "2.6.11"])
def test_the_free_example_of_2004(era: str) -> None:
    """Both designs keep the same lists, and the bits are those of the mail.

    Pages 0, 5 and 6-7 are allocated, and come back as 6-7, 5, 0.
    Source: the author's example of a free (free part of the series).
    """
    zone = freed(Machine(pages=8, top=3, era=ERAS[era]), (2, 1), (4, 0))
    for (pfn, order), expected, bits in REPLAY:
        FREE_ONE_BLOCK[zone.machine.era.design](zone, pfn, order)

        assert lists(zone) == expected
        assert zone.pair_bits == (bits if era == "2.6.8" else [set()] * 4)


def test_the_worked_example_of_2004_step_by_step() -> None:
    """One page out of eight: the block is taken whole, and each turn puts the upper half back.

    Source: the 2004 thread (allocation part of the series).
    """
    zone = boot(Machine(pages=8, top=3, era=ERAS["2.6.11"]))
    states = [lists(zone)]
    buddy.del_from_free_list(zone, 0, 3)
    states.append(lists(zone))
    for turn in (3, 2, 1):
        tag_expand(zone, 0, turn - 1, turn)
        states.append(lists(zone))

    assert states == [
        [[], [], [], [0]],
        [[], [], [], []],
        [[], [], [4], []],
        [[], [2], [4], []],
        [[1], [2], [4], []],
    ]


@pytest.mark.parametrize("era", ERAS)
def test_expand(era: str) -> None:
    """Every era returns the lowest page and leaves one upper half an order.

    Source: the end of the 2004 example.
    """
    zone = boot(Machine(pages=8, top=3, era=ERAS[era]))

    assert perform(zone, Op(Verb.ALLOC, 0)) == 0
    assert lists(zone) == [[1], [2], [4], []]
    assert zone.free_pages == 7
    assert [event.order for event in zone.log if event.kind is Kind.SPLIT] == [3, 2, 1]


@pytest.mark.parametrize("expand", [tag_expand, bitmap.expand])
def test_expand_lays_at_the_head(expand: Expands) -> None:
    """An upper half goes in front of what the list holds; rmqueue alone never meets such a list.

    Source: mm/page_alloc.c, expand.
    """
    zone = empty_zone(Machine(pages=16, top=3, era=ERAS["2.6.8"]))
    list_add(zone, 12, 1, UNMOVABLE)
    expand(zone, 0, 1, 2)

    assert lists(zone)[1] == [2, 12]


def placed(era: str, block: tuple[int, int], *listed: tuple[int, int]) -> list[int]:
    """The list that the block joins, when it is freed beside blocks that are free already."""
    zone = empty_zone(Machine(pages=1024, top=10, era=ERAS[era]))
    for pfn, order in listed:
        buddy.add_to_free_list(zone, pfn, order, UNMOVABLE)
    buddy.free_one_block(zone, *block, UNMOVABLE)
    return lists(zone)[block[1]]


HEAD_ONLY = ["2004-v1", "2004-v2", "2.6.11"]
LIKELY = ["2.6.37", "4.10", "4.11-rc", "5.15", "6.1", "6.12"]


@pytest.mark.parametrize("era", LIKELY)
def test_placement(era: str) -> None:
    """A page with no merge ahead enters at the head, a pair whose parent can merge at the tail.

    Source: worked out by hand from mm/page_alloc.c; TOP 10, after 2.6.35.
    """
    assert placed(era, (2, 0), (4, 2), (99, 0)) == [2, 99]
    assert placed(era, (2, 1), (4, 2), (500, 1)) == [500, 2]


@pytest.mark.parametrize("era", HEAD_ONLY)
def test_placement_before_it_looked_ahead(era: str) -> None:
    """Every block enters at the head. Source: mm/page_alloc.c before 2.6.35."""
    assert placed(era, (2, 0), (4, 2), (99, 0)) == [2, 99]
    assert placed(era, (2, 1), (4, 2), (500, 1)) == [2, 500]


def test_the_slip_of_2_6_39() -> None:
    """That release sends the upper half of a pair to the head always, the lower half rightly.

    Source: mm/page_alloc.c, 2.6.39: it looks at a page that can head no block of that order.
    """
    upper, lower = (2, 1), (8, 1)

    assert placed("2.6.39", upper, (4, 2), (500, 1)) == [2, 500]
    assert placed("2.6.39", lower, (12, 2), (500, 1)) == [500, 8]
    assert placed("2.6.37", upper, (4, 2), (500, 1)) == [500, 2]
    assert placed("4.10", lower, (12, 2), (500, 1)) == [500, 8]


@pytest.mark.parametrize("era", LIKELY)
def test_no_tail_next_to_the_top(era: str) -> None:
    """A block one order below the top has no second merge ahead. Source: mm/page_alloc.c."""
    zone = empty_zone(Machine(pages=32, top=3, era=ERAS[era]))
    for pfn, order in ((8, 3), (20, 2), (0, 2)):
        buddy.free_one_block(zone, pfn, order, UNMOVABLE)

    assert lists(zone)[2] == [0, 20]


@pytest.mark.parametrize("era", ERAS)
def test_requests_are_served_from_the_head(era: str) -> None:
    """The block that was listed last serves first. Source: mm/page_alloc.c, __rmqueue.

    Needs a list of two, which the worked examples never have.
    """
    zone = freed(Machine(pages=64, top=3, era=ERAS[era]), (40, 0), (9, 0))

    assert lists(zone)[0] == [9, 40]
    assert [perform(zone, Op(Verb.ALLOC, 0)) for _ in range(2)] == [9, 40]


@pytest.mark.parametrize("era", ERAS)
def test_pieces_of_a_block_under_a_reference(era: str) -> None:
    """They start at pfn + 2**k and are freed for k from the block's order less one down to 0.

    Source: mm/page_alloc.c, __free_pages, for a block that is not compound.
    """
    zone = boot(Machine(pages=8, top=3, era=ERAS[era]))
    for op in (Op(Verb.ALLOC, 3), Op(Verb.GET), Op(Verb.FREE, 3)):
        assert perform(zone, op) == 0

    freed_pieces = [(event.pfn, event.order) for event in zone.log if event.kind is Kind.FREE]
    assert freed_pieces == [(4, 2), (2, 1), (1, 0)]


ZONE_ENDS = [(61, 4, [1, 0, 1, 1, 3]), (1000, 6, [0, 0, 0, 1, 0, 1, 15])]


@pytest.mark.parametrize("era", sorted(ERAS.keys() - {"2004-v2"}))
@pytest.mark.parametrize(("pages", "top", "nr_free"), ZONE_ENDS)
def test_zone_end(era: str, pages: int, top: int, nr_free: list[int]) -> None:
    """A zone with an odd end holds these blocks, whether it got them as blocks or as frames.

    Source: worked out by hand: handed over as order-0 frees.
    """
    machine = Machine(pages=pages, top=top, era=ERAS[era])
    zone = freed(machine, *((pfn, 0) for pfn in range(pages)))

    assert zone.nr_free == nr_free
    assert set(free_blocks(zone)) == set(free_blocks(boot(machine)))


@pytest.mark.parametrize(("pages", "top", "nr_free"), ZONE_ENDS)
def test_the_second_way_of_2004_gives_up_a_page(pages: int, top: int, nr_free: list[int]) -> None:
    """The last page of an unaligned end is kept back, and no block holds it.

    Source: the second posting of 2004, worked out by hand: the last block loses its last page.
    """
    zone = boot(Machine(pages=pages, top=top, era=ERAS["2004-v2"]))
    last = next(order for order, count in enumerate(nr_free) if count)
    halves = [1] * last + [nr_free[last] - 1] + nr_free[last + 1 :]

    assert zone.nr_free == halves
    assert Block(pages - 1, 0) not in free_blocks(zone)


def test_index_bases() -> None:
    """Up to 2.6.11 a zone's first frame has index 0; later frame 0 has. Source: mm/page_alloc.c."""
    older, newer = (
        boot(Machine(pages=8, top=3, era=ERAS[era], start=4)) for era in ("2.6.11", "6.1")
    )

    assert lists(older) == [[], [], [], [4]]
    assert lists(newer) == [[], [], [4, 8], []]
