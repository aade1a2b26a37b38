"""Who may use which memory: the reserve, CMA, isolated ranges. Worked out by hand, era by era.

Source: mm/page_alloc.c (rmqueue, __rmqueue, reserve_highatomic_pageblock,
unreserve_highatomic_pageblock) and mm/page_isolation.c, 2.6.37 to 6.12.
"""

import pytest
from tests.spec.breakages_typed import grouped
from tests.spec.laid import Laid, laid, listing, typing

from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.events import Kind
from pagespec.machine import Machine
from pagespec.migratetype import CMA, HIGHATOMIC, MOVABLE, RECLAIMABLE, UNMOVABLE
from pagespec.ops import perform
from pagespec.types import NO_MEMORY
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone

U0, M0 = Op(Verb.ALLOC, mt=UNMOVABLE), Op(Verb.ALLOC, mt=MOVABLE)
A0, A1 = Op(Verb.ALLOC, 0, atomic=True), Op(Verb.ALLOC, 1, atomic=True)
KEPT = ("4.10", "5.15", "6.1", "6.12")


def outcome(era: str, types: str, free: list[Laid], op: Op) -> tuple[int, str]:
    """What the request gets, and the lists that it leaves."""
    zone = laid(era, types, free)
    return perform(zone, op), listing(zone)


# --- CMA ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("era", KEPT)
def test_cma_serves_movable_requests_only(era: str) -> None:
    """After their own lists, before another type's."""
    free: list[Laid] = [(16, 0, "C"), (4, 1, "U")]

    assert outcome(era, "UC", free, M0) == (16, "U: 4/1")
    assert outcome(era, "UC", free[:1], U0) == (NO_MEMORY, "C: 16/0")


@pytest.mark.parametrize(("era", "first"), [("4.10", 4), ("5.15", 16), ("6.1", 16), ("6.12", 16)])
def test_cma_goes_first_while_it_is_most_of_what_is_free(era: str, first: int) -> None:
    """Two of three frames are CMA's: more than half. Two of four are not."""
    most, half = [(4, 0, "M"), (16, 1, "C")], [(4, 0, "M"), (6, 0, "M"), (16, 1, "C")]

    assert outcome(era, "MC", most, M0)[0] == first
    assert outcome(era, "MC", half, M0)[0] == 4


# --- the reserve for atomic requests -----------------------------------------------------------


@pytest.mark.parametrize("era", KEPT)
def test_the_reserve_serves_atomic_requests_first(era: str) -> None:
    """Those for more than one frame; nobody else, however empty the zone is."""
    free: list[Laid] = [(16, 1, "H"), (4, 1, "U")]

    assert outcome(era, "UH", free, A1)[0] == 16
    assert outcome(era, "UH", free, A0)[0] == 4
    assert outcome(era, "UH", free[:1], A1._replace(atomic=False)) == (NO_MEMORY, "H: 16/1")


@pytest.mark.parametrize("era", KEPT)
def test_single_atomic_frames_use_it_last_in_6_12(era: str) -> None:
    """Before, they fail."""
    due = (16, "H: 17/0") if era == "6.12" else (NO_MEMORY, "H: 16/1")

    assert outcome(era, "UH", [(16, 1, "H")], A0) == due


def test_before_4_4_a_reserve_of_another_kind_serves_last() -> None:
    """Anybody, when all else failed. The retry's tracepoint names it."""
    zone = laid("2.6.37", "UR", [(16, 1, "R")])

    assert (perform(zone, M0), listing(zone)) == (16, "R: 17/0")
    assert [e.mt.name for e in zone.log if e.kind is Kind.ZONE_LOCKED] == ["RESERVE"]


@pytest.mark.parametrize(
    ("era", "blocks", "reserved"),
    [
        # A percent of 64 frames is 0: one pageblock until 6.1, none in 6.12.
        *(("4.10", 16, 4), ("5.15", 16, 4), ("6.1", 16, 4), ("6.12", 16, 0)),
        # Of 600 frames 6: until 6.1 it grows while it is below 6 + 4; in 6.12 below 8.
        *(("4.10", 150, 12), ("5.15", 150, 12), ("6.1", 150, 12), ("6.12", 150, 8)),
    ],
)
def test_the_limit_of_the_reserve(era: str, blocks: int, reserved: int) -> None:
    """Ten requests, whose pageblocks are kept one by one until the limit is reached."""
    zone = grouped(era, "M" * blocks)
    for _ in range(10):
        assert perform(zone, Op(Verb.ALLOC, 2, mt=MOVABLE, atomic=True)) >= 0

    assert zone.nr_reserved == reserved
    assert zone.pageblocks.count(HIGHATOMIC) == reserved // 4


@pytest.mark.parametrize("era", KEPT[:3])
def test_a_reserved_pageblock_takes_its_free_blocks_along(era: str) -> None:
    """One frame pair is given out; the other joins the reserve."""
    zone = grouped(era, "MM")

    assert perform(zone, Op(Verb.ALLOC, 1, mt=MOVABLE, atomic=True)) == 0
    assert (listing(zone), typing(zone)) == ("H: 2/1  M: 4/2", "HM")


@pytest.mark.parametrize("era", KEPT)
def test_single_frames_and_cma_leave_no_reserve(era: str) -> None:
    """Nor does a request that can wait."""
    for types, op in (
        ("MM", M0._replace(atomic=True)),
        ("MM", Op(Verb.ALLOC, 1, mt=MOVABLE)),
        ("CC", Op(Verb.ALLOC, 1, mt=MOVABLE, atomic=True)),
    ):
        zone = grouped(era, types)

        assert perform(zone, op) >= 0
        assert (zone.nr_reserved, typing(zone)) == (0, types)


@pytest.mark.parametrize(("era", "first"), [("4.10", "MHME"), *((era, "MEMH") for era in KEPT[1:])])
def test_the_reserve_is_given_up_pageblock_by_pageblock(era: str, first: str) -> None:
    """The head of the list first, to the type that asks; the last one only if it is forced.

    Until boot listed at the tail, the highest pageblock is at the head.
    """
    zone = grouped(era, "MHMH", top=2)
    give = Op(Verb.UNRESERVE, mt=RECLAIMABLE)

    assert (perform(zone, give), typing(zone), zone.nr_reserved) == (0, first, 4)
    assert perform(zone, give) == NO_MEMORY
    assert (perform(zone, give._replace(force=True)), typing(zone)) == (0, "MEME")
    assert (zone.nr_reserved, len(zone.free_area[2][RECLAIMABLE])) == (0, 2)


def test_6_12_counts_what_is_free_in_the_reserve() -> None:
    """Earlier eras count its size alone."""
    for era, free in (("6.1", 0), ("6.12", 6)):
        zone = grouped(era, "MMHH", Op(Verb.ALLOC, 1, mt=MOVABLE, atomic=True))

        assert (zone.nr_reserved, zone.free_highatomic) == (8, free)


# --- no fragmentation, isolation ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("era", "got"), [("2.6.37", 8), ("4.10", 8), ("5.15", -1), ("6.1", -1), ("6.12", -1)]
)
def test_nofragment_takes_whole_pageblocks_only(era: str, got: int) -> None:
    """Half a pageblock of another type is left alone, a whole one is taken; since 5.0."""
    asked = U0._replace(nofragment=True)

    assert outcome(era, "MM", [(8, 3, "M")], asked)[0] == got
    assert outcome(era, "MM", [(0, 4, "M")], asked)[0] == 0


@pytest.mark.parametrize(
    ("era", "free_pages"), [("2.6.37", 16), ("4.10", 8), ("5.15", 8), ("6.1", 8), ("6.12", 8)]
)
def test_isolated_memory_serves_nobody(era: str, free_pages: int) -> None:
    """Its blocks are on lists of their own, and since 4.10 no longer counted."""
    zone = grouped(era, "MMMM", Op(Verb.ISOLATE, 0, 8, pages=8))

    assert (zone.free_pages, typing(zone)) == (free_pages, "MMII")
    assert perform(zone, Op(Verb.ALLOC, 3, mt=MOVABLE)) == 0
    assert perform(zone, M0) == NO_MEMORY
    assert perform(zone, Op(Verb.RESTORE, 0, 8, pages=8, mt=MOVABLE)) == 0
    assert (zone.free_pages, typing(zone)) == (8, "MMMM")
    assert perform(zone, M0) == 8


@pytest.mark.parametrize(
    ("era", "isolated"),
    [
        ("2.6.37", "32/0 16/0 0/0"),
        ("4.10", "32/0 16/0 0/0"),
        ("5.15", "0/0 16/0 32/0"),
        ("6.1", "0/0 32/0 16/0"),
        ("6.12", "0/0 32/0 16/0"),
    ],
)
def test_the_ends_of_a_range_are_isolated_first(era: str, isolated: str) -> None:
    """Since a range need only be whole pageblocks; before, from the lowest up."""
    free = [(0, 0, "M"), (16, 0, "M"), (32, 0, "M")]

    assert outcome(era, "MMM", free, Op(Verb.ISOLATE, pfn=0, pages=48)) == (0, f"I: {isolated}")


@pytest.mark.parametrize("era", ["6.1", "6.12"])
def test_one_pageblock_is_cut_out_of_a_free_block(era: str) -> None:
    """Two pageblocks are one free block; the upper is isolated, and restored merges again."""
    zone = grouped(era, "MM", Op(Verb.ISOLATE, 0, 4, pages=4))

    assert (listing(zone), zone.free_pages) == ("I: 4/2  M: 0/2", 4)
    assert perform(zone, Op(Verb.RESTORE, 0, 4, pages=4, mt=MOVABLE)) == 0
    assert (listing(zone), zone.free_pages) == ("M: 0/3", 8)


@pytest.mark.parametrize(
    ("era", "singles"), [("4.10", "11/0 8/0"), *((era, "8/0 11/0") for era in KEPT[1:])]
)
def test_a_range_is_allocated_frame_by_frame(era: str, singles: str) -> None:
    """Just its frames are held; what the free blocks have besides goes back, as the type given.

    What goes back changes lists from the lowest frame up, at the heads in 4.10, at the tails later.
    """
    zone = grouped(era, "MMCC")

    assert perform(zone, Op(Verb.CONTIG, 0, 9, pages=2, mt=CMA)) == 9
    assert sorted(zone.held) == [9, 10]
    assert (listing(zone), typing(zone)) == (f"C: {singles} 12/2  M: 0/3", "MMCC")


@pytest.mark.parametrize("era", KEPT)
def test_a_range_that_is_busy_is_given_up(era: str) -> None:
    """Nothing more is held, and the pageblocks around it have the type that it asked for."""
    zone = grouped(era, "UUUU", U0)
    held = zone.held.copy()
    range_over_it = Op(Verb.CONTIG, 0, next(iter(held)), pages=2, mt=MOVABLE)

    assert perform(zone, range_over_it) == NO_MEMORY
    assert (zone.held, zone.free_pages) == (held, 15)
    assert MOVABLE in zone.pageblocks


# --- tracepoints -------------------------------------------------------------------------------

OTHERS = {range(16): MOVABLE}
LOCKED, FALLBACK, GIVEN = Kind.ZONE_LOCKED, Kind.EXTFRAG, Kind.ALLOC


def prints(zone: Zone, op: Op) -> list[tuple[Kind, str]]:
    """The tracepoints of an allocation, with the type that each prints."""
    perform(zone, op)
    return [(e.kind, e.mt.name[0]) for e in zone.log if e.kind in (LOCKED, FALLBACK, GIVEN)]


@pytest.mark.parametrize("era", ["2.6.37", "4.10", "5.15", "6.1", "6.12"])
def test_the_tracepoints_of_a_fallback(era: str) -> None:
    """The fallback, the removal, the allocation; in 6.12 the other way round, or no removal."""
    zones = {
        "claimed": laid(era, "MU", [(8, 3, "M")], held=OTHERS),
        "single": laid(era, "MU", [(12, 2, "M")], held=OTHERS),
        "whole": laid(era, "MU", [(0, 4, "M")]),
    }
    usual = [(FALLBACK, "U"), (LOCKED, "U"), (GIVEN, "U")]
    silent = [(FALLBACK, "U"), (GIVEN, "U")]
    due = dict.fromkeys(zones, usual)
    if era == "6.12":
        claimed = [(LOCKED, "U"), (FALLBACK, "U"), (GIVEN, "U")]
        due = {"claimed": claimed, "single": silent, "whole": silent}

    assert {name: prints(zone, U0) for name, zone in zones.items()} == due


@pytest.mark.parametrize(
    ("era", "cma", "failure"),
    [
        ("4.10", "M", [(LOCKED, "M")]),
        ("5.8", None, [(LOCKED, "M")]),
        ("5.15", "M", []),
        ("6.1", "C", []),
        ("6.12", "C", []),
    ],
)
def test_the_type_that_a_removal_prints(
    era: str, cma: str | None, failure: list[tuple[Kind, str]]
) -> None:
    """The one asked for, until 5.15; then that of the list. A failed attempt prints until 5.8,
    where CMA memory that comes first is not told of. All that is free here is CMA's."""
    locked = [] if cma is None else [(LOCKED, cma)]
    assert prints(laid(era, "MC", [(16, 1, "C")]), M0) == [*locked, (GIVEN, "M")]
    assert prints(laid(era, "MC", []), M0) == failure


def test_5_8_prints_cma_memory_that_came_last() -> None:
    """Of four free frames two are CMA's, not most; but a request for two finds them alone."""
    zone = laid("5.8", "MC", [(0, 0, "M"), (2, 0, "M"), (16, 1, "C")])

    assert prints(zone, M0._replace(order=1)) == [(LOCKED, "M"), (GIVEN, "M")]


def test_2_6_37_prints_a_failure_of_its_reserve() -> None:
    """The last list that it tries."""
    assert prints(laid("2.6.37", "MU", []), M0) == [(LOCKED, "R")]


def test_boot_merges_up_to_the_barrier() -> None:
    """Until 5.15 the reserve merges with its neighbour; in 6.1 it does not."""
    for era, lists in (("4.10", "M: 0/3"), ("6.1", "H: 0/2  M: 4/2")):
        machine = Machine(8, 3, ERAS[era], pageblock=2, types=(HIGHATOMIC, MOVABLE))

        assert listing(boot(machine)) == lists
