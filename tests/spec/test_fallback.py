"""Fallback, era by era: worked out by hand from what each release does.

Pageblocks have 16 frames, so half is 8, and for a movable request order 2 is large. Every zone is
laid out so that the request's own type has nothing.
Source: mm/page_alloc.c (__rmqueue_fallback, steal_suitable_fallback), 2.6.37 to 6.12.
"""

from typing import NamedTuple

import pytest
from tests.spec.laid import Laid, laid, listing, typing

from pagespec.migratetype import MOVABLE, RECLAIMABLE, UNMOVABLE, MigrateType
from pagespec.ops import perform
from pagespec.verbs import Op, Verb

ALL = ("2.6.37", "4.10", "5.15", "6.1", "6.12")


class Case(NamedTuple):
    """A zone, a request, and per era what it gets, and the lists and types that it leaves."""

    types: str
    free: list[Laid]
    op: Op
    due: dict[str, tuple[int, str, str]]
    held: dict[range, MigrateType] | None = None
    start: int = 0
    pages: int | None = None


U0, M0, E0 = (Op(Verb.ALLOC, mt=mt) for mt in (UNMOVABLE, MOVABLE, RECLAIMABLE))


def same(
    eras: tuple[str, ...], got: int, lists: str, types: str
) -> dict[str, tuple[int, str, str]]:
    return dict.fromkeys(eras, (got, lists, types))


OTHERS = {range(16): MOVABLE}

CASES = {
    # Eight of sixteen frames are free: half, so the pageblock changes its type everywhere.
    "half is free": Case(
        "MU", [(8, 3, "M")], U0, same(ALL, 8, "U: 9/0 10/1 12/2", "UU"), held=OTHERS
    ),
    # Four are free and the others hold movable memory: mixed until 6.1; in 6.12 the rest stays.
    "a quarter is free": Case(
        "MU",
        [(12, 2, "M")],
        U0,
        same(ALL[:4], 12, "U: 13/0 14/1", "MU") | same(ALL[4:], 12, "M: 13/0 14/1", "MU"),
        held=OTHERS,
    ),
    # The rest of the pageblock moves along until 6.1, claimed or not.
    "a quarter in two blocks": Case(
        "MU",
        [(12, 1, "M"), (4, 1, "M")],
        U0,
        same(ALL[:1], 12, "M: 13/0 4/1", "MU")
        | same(ALL[1:2], 12, "U: 13/0 4/1", "MU")
        | same(ALL[2:4], 4, "U: 5/0 12/1", "MU")
        | same(ALL[4:], 12, "M: 13/0 4/1", "MU"),
        held=OTHERS,
    ),
    # Four are free and twelve hold what cannot be moved: alike, which counts since 4.12.
    "the rest is alike": Case(
        "MU",
        [(12, 2, "M")],
        U0,
        same(ALL[:2], 12, "U: 13/0 14/1", "MU") | same(ALL[2:], 12, "U: 13/0 14/1", "UU"),
    ),
    # For a movable request the movable frames are alike, whatever the pageblock's type is.
    "movable in an unmovable pageblock": Case(
        "UU",
        [(12, 2, "U")],
        M0,
        same(ALL[:2], 12, "M: 13/0 14/1", "UU") | same(ALL[2:], 12, "M: 13/0 14/1", "MU"),
        held={range(4): MOVABLE},
    ),
    # One frame less than half.
    "just not alike": Case(
        "UU",
        [(12, 2, "U")],
        M0,
        same(ALL[:4], 12, "M: 13/0 14/1", "UU") | same(ALL[4:], 12, "U: 13/0 14/1", "UU"),
        held={range(3): MOVABLE},
    ),
    # A pair is small, so a movable request may use it alone: since 5.0 it takes the smallest.
    "the smallest": Case(
        "UU",
        [(3, 0, "U"), (4, 1, "U")],
        M0,
        same(ALL[:1], 4, "U: 5/0 3/0", "UU")
        | same(ALL[1:2], 4, "M: 5/0  U: 3/0", "UU")
        | same(ALL[2:], 3, "U: 4/1", "UU"),
    ),
    # And is cut, its rest stays with its own lists in 2.6.37 and 6.12 only.
    "the smallest is cut": Case(
        "UU",
        [(4, 1, "U")],
        M0,
        same(ALL[:1], 4, "U: 5/0", "UU")
        | same(ALL[1:4], 4, "M: 5/0", "UU")
        | same(ALL[4:], 4, "U: 5/0", "UU"),
    ),
    # Whole pageblocks change hands.
    "a whole pageblock": Case("MU", [(0, 4, "M")], U0, same(ALL, 0, "U: 1/0 2/1 4/2 8/3", "UU")),
    # The largest order first, and only then the table: RECLAIMABLE before MOVABLE.
    "the largest order": Case(
        "ME",
        [(20, 2, "E"), (8, 3, "M")],
        U0,
        same(ALL, 8, "E: 20/2  U: 9/0 10/1 12/2", "UE"),
        held=OTHERS,
    ),
    "the table": Case(
        "ME",
        [(8, 3, "M"), (24, 3, "E")],
        U0,
        same(ALL, 24, "M: 8/3  U: 25/0 26/1 28/2", "MU"),
        held=OTHERS,
    ),
    "the table for movable requests": Case(
        "UE",
        [(8, 3, "U"), (24, 3, "E")],
        M0,
        same(ALL, 24, "M: 25/0 26/1 28/2  U: 8/3", "UM"),
    ),
    # What can be reclaimed takes the free rest of any pageblock also in 2.6.37.
    "reclaimable takes small blocks": Case(
        "UU",
        [(4, 0, "U"), (9, 0, "U")],
        E0,
        same(ALL[:1], 4, "E: 9/0", "UU")
        | same(ALL[1:2], 4, "E: 9/0", "UU")
        | same(ALL[2:4], 4, "E: 9/0", "UU")
        | same(ALL[4:], 4, "U: 9/0", "UU"),
    ),
    # A pageblock that reaches over the zone's end does not move: the block goes alone.
    "cut by the end": Case(
        "MM",
        [(24, 2, "M"), (18, 1, "M")],
        U0,
        same(ALL[:4], 24, "M: 18/1  U: 25/0 26/1", "MM")
        | same(ALL[4:], 24, "M: 25/0 26/1 18/1", "MM"),
        pages=28,
    ),
    # One that reaches over the start moves from the block up; in 6.12 not at all.
    "cut by the start": Case(
        "MU",
        [(8, 2, "M"), (4, 1, "M"), (14, 1, "M")],
        U0,
        same(ALL[:2], 8, "M: 4/1  U: 9/0 10/1 14/1", "MU")
        | same(ALL[2:4], 14, "M: 4/1  U: 15/0 8/2", "UU")
        | same(ALL[4:], 8, "M: 9/0 10/1 4/1 14/1", "MU"),
        start=4,
    ),
}
"""Each case and the reason for what is due.

Cut by the start, 5.15 and 6.1: what moves is [8, 16): 8/2 and 14/1, six frames free; the other two
of the eight that are left hold unmovable memory, but of the pageblock's sixteen ten count as such,
so it is claimed, and the smallest block that moved serves.
"""


@pytest.mark.parametrize("era", ALL)
@pytest.mark.parametrize("name", CASES)
def test_what_changes_hands(name: str, era: str) -> None:
    """The frame, the lists with their order, and the pageblocks' types."""
    case = CASES[name]
    zone = laid(era, case.types, case.free, held=case.held, start=case.start, pages=case.pages)

    got = perform(zone, case.op)

    assert (got, listing(zone), typing(zone)) == case.due[era]
