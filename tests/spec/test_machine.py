"""Machine descriptions: what lies in the domain, and what is refused with a sentence."""

import re
from typing import Any

import pytest
from hypothesis import given
from tests.strategies import machines

from pagespec.era import ERAS, era_named
from pagespec.machine import MAX_PAGES, MAX_PFN, Machine
from pagespec.migratetype import CMA, HIGHATOMIC, MOVABLE, RESERVE
from pagespec.types import DomainError

GOOD = {"pages": 16, "top": 3, "era": ERAS["6.1"], "start": 4}

BAD: list[tuple[dict[str, Any], str]] = [
    ({"pages": 0}, "pages=0: a zone has 1 to 16777216 frames"),
    ({"pages": MAX_PAGES + 1}, "pages=16777217: a zone has 1 to 16777216 frames"),
    ({"top": -1}, "top=-1: the top order is 0 to 15"),
    ({"top": 16}, "top=16: the top order is 0 to 15"),
    ({"start": -1}, "start=-1: a zone lies between frame 0 and frame 1099511627776"),
    ({"start": MAX_PFN - 15}, "start=1099511627761: a zone lies between"),
    ({"holes": ((3, 5),)}, "hole 3..5: holes are not empty, ascend, lie apart and stay in the"),
    ({"holes": ((19, 21),)}, "hole 19..21: "),
    ({"holes": ((6, 6),)}, "hole 6..6: "),
    ({"holes": ((8, 9), (6, 7))}, "hole 6..7: "),
    ({"holes": ((6, 8), (8, 9))}, "hole 8..9: "),
    ({"holes": ((6, 9), (8, 11))}, "hole 8..11: "),
]

GROUPED = {"pages": 16, "top": 3, "era": ERAS["6.1"], "pageblock": 2}
M, C, H = MOVABLE, CMA, HIGHATOMIC

BAD_GROUPED: list[tuple[dict[str, Any], str]] = [
    ({"pageblock": 0}, "pageblock=0: a pageblock of era 6.1 has order 1 to the top order, 3"),
    ({"pageblock": 4}, "pageblock=4: a pageblock of era 6.1 has order 1 to the top order, 3"),
    ({"era": ERAS["6.12"], "pageblock": 1}, "pageblock=1: a pageblock of era 6.12 has order 2 to"),
    ({"era": ERAS["2.6.11"]}, "pageblock=2: era 2.6.11 has no pageblocks"),
    ({"types": (M,)}, "types: 1 types for 4 pageblocks"),
    ({"types": (M,) * 4, "start": 2}, "types: 4 types for 5 pageblocks"),
    ({"types": (M, M, M, RESERVE)}, "types: pageblock 3 is RESERVE; era 6.1 has none"),
    ({"types": (M,) * 4, "pageblock": None}, "types: only a machine with pageblocks has any"),
    ({"types": (H, M, M, M, M), "start": 2}, "types: pageblock 0 is HIGHATOMIC and reaches over"),
    ({"types": (M, M, M, M, H), "start": 2}, "types: pageblock 4 is HIGHATOMIC and reaches over"),
    (
        {"era": ERAS["5.15"], "types": (C, M, M, M)},
        "types: the largest block at frame 0 is C in part; era 5.15 would merge it with the rest",
    ),
    ({"guard": 4}, "guard=4: guard pages are below order 0 to 2 in the eras that count them"),
    ({"guard": 3}, "guard=3: guard pages are below order 0 to 2"),
    ({"guard": 4, "pageblock": None}, "guard=4: guard pages are below order 0 to 3"),
    ({"guard": -1}, "guard=-1: guard pages are below order 0 to 2"),
    ({"era": ERAS["6.12"], "guard": 1}, "guard=1: guard pages are below order 0 to 2 in the eras"),
]

EDGES: list[dict[str, Any]] = [
    {},
    {"pages": 1, "top": 15},
    {"pages": MAX_PAGES, "top": 0},
    {"start": MAX_PFN - 16},
    {"holes": ((4, 5), (19, 20))},
    {"holes": ((4, 20),)},
]


@pytest.mark.parametrize(("change", "sentence"), BAD)
def test_outside_the_domain_is_refused(change: dict[str, Any], sentence: str) -> None:
    """One sentence: which value, and what is allowed."""
    with pytest.raises(DomainError, match=f"^{re.escape(sentence)}"):
        Machine(**{**GOOD, **change})


@pytest.mark.parametrize(("change", "sentence"), BAD_GROUPED)
def test_pageblocks_outside_the_domain_are_refused(change: dict[str, Any], sentence: str) -> None:
    """Their order, how many types there are, and what the era would merge."""
    with pytest.raises(DomainError, match=f"^{re.escape(sentence)}"):
        Machine(**{**GROUPED, **change})


def test_pageblocks_are_counted_from_frame_zero() -> None:
    """Wherever the zone begins: the lowest pageblock and the highest may be cut."""
    machine = Machine(pages=9, top=3, era=ERAS["6.1"], start=6, pageblock=2)

    assert machine.pageblocks == 3
    assert [machine.pageblock_number(pfn) for pfn in (6, 7, 8, 11, 12, 14)] == [0, 0, 1, 1, 2, 2]
    assert machine.first_types == (M, M, M)


@pytest.mark.parametrize("change", EDGES)
def test_the_edges_of_the_domain_are_inside(change: dict[str, Any]) -> None:
    """The smallest, the largest, the highest, and zones that are all hole."""
    machine = Machine(**{**GOOD, **change})

    assert machine.end - machine.start == machine.pages


def test_an_unknown_era_is_refused_with_the_names_of_all() -> None:
    """The sentence is enough to choose another."""
    with pytest.raises(DomainError, match=r"'2\.6\.7'; expected one of 2\.6\.8, .*, 6\.12$"):
        era_named("2.6.7")


def test_eras_are_known_by_their_names() -> None:
    """The table's key is the era's own name, and a lookup finds it."""
    assert [era_named(name).name for name in ERAS] == list(ERAS)


@given(machines())
def test_chunks_and_holes_are_the_zone(machine: Machine) -> None:
    """Together they tile it; chunks ascend, are not empty, and lie apart."""
    runs = sorted([*machine.chunks, *machine.holes])
    frames = [frame for first, end in runs for frame in range(first, end)]

    assert frames == list(range(machine.start, machine.end))
    assert all(first < end for first, end in machine.chunks)


@given(machines())
def test_boot_manages_what_exists_but_for_victims(machine: Machine) -> None:
    """Only the second way of 2004 keeps frames back: the last of each chunk that ends unaligned."""
    exists = {frame for first, end in machine.chunks for frame in range(first, end)}
    managed = {frame for first, end in machine.managed for frame in range(first, end)}
    unaligned = {
        end - 1 for _, end in machine.chunks if (end - machine.base) & ((1 << machine.top) - 1)
    }

    assert exists - managed == (unaligned if machine.era.name == "2004-v2" else set())
    assert managed <= exists
