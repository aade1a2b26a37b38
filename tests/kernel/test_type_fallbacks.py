"""What a fallback may take and what follows it, on tiny traces of both eras."""

from tests.kernel.tiny import (
    HALF,
    LESS,
    WHOLE,
    ZONE,
    Free,
    both_eras,
    drain,
    free_page,
    laws,
    play,
    steal,
    take,
)

from pagefuzz.kernel.era import LOGGED, STEALING, TraceEra
from pagefuzz.kernel.findings import (
    BLOCK_COUNT,
    EXTFRAG,
    FALLBACK,
    FREE_COUNT,
    LIST,
    RETURN,
)
from pagefuzz.kernel.search import Census, Need, Place, claims_first, largest_first
from pagefuzz.kernel.snapshots import Zone
from pagespec.migratetype import (
    HIGHATOMIC,
    MOVABLE,
    RECLAIMABLE,
    UNMOVABLE,
    MigrateType,
)


@both_eras
def test_a_whole_pageblock_changes_hands(era: TraceEra) -> None:
    theft = steal(16, 4, MOVABLE, UNMOVABLE, claims=True)
    lines = [theft] if era is STEALING else [theft, take(16, UNMOVABLE)]
    end, later = {(17, 32): UNMOVABLE}, {UNMOVABLE: 7, MOVABLE: 1}
    assert laws(play(era, WHOLE, *lines, take(17, UNMOVABLE))) == []
    assert laws(play(era, WHOLE, *lines, take(17, MOVABLE))) == [LIST]
    assert laws(play(era, WHOLE, *lines, end=end, later=later)) == []
    assert laws(play(era, WHOLE, *lines, end={(17, 32): MOVABLE}, later=later)) == [FREE_COUNT] * 8
    wrong = {UNMOVABLE: 8, MOVABLE: 0}
    assert laws(play(era, WHOLE, *lines, end=end, later=wrong)) == [BLOCK_COUNT]


@both_eras
def test_the_event_of_a_fallback_agrees_with_itself(era: TraceEra) -> None:
    for theft in (
        steal(16, 4, MOVABLE, UNMOVABLE, claims=False),
        steal(16, 4, UNMOVABLE, UNMOVABLE, claims=True),
        steal(16, 4, MOVABLE, HIGHATOMIC, claims=True),
        steal(16, 0, MOVABLE, UNMOVABLE, claims=True, order=1),
        steal(16, 5, MOVABLE, UNMOVABLE, claims=True),
        steal(16, 4, MOVABLE, UNMOVABLE, claims=True).replace("fragmenting=0", "fragmenting=1"),
    ):
        assert laws(play(era, WHOLE, theft))[0] == EXTFRAG


def test_up_to_6_8_a_fallback_is_followed_by_its_block() -> None:
    theft = steal(16, 4, MOVABLE, UNMOVABLE, claims=True)
    assert laws(play(LOGGED, WHOLE, theft, take(16, UNMOVABLE))) == []
    assert laws(play(LOGGED, WHOLE, theft, free_page(50))) == [FALLBACK]
    assert FALLBACK in laws(play(LOGGED, WHOLE, theft, take(16, UNMOVABLE, order=1)))


def test_up_to_6_8_all_of_a_pageblock_moves_unclaimed() -> None:
    theft = steal(10, 1, UNMOVABLE, MOVABLE, claims=False)
    assert laws(play(LOGGED, LESS, theft, take(8, MOVABLE), take(10, MOVABLE))) == []
    assert laws(play(LOGGED, LESS, theft, take(8, MOVABLE), take(10, UNMOVABLE))) == [LIST]


def test_up_to_6_8_a_page_not_worth_its_pageblock_moves_alone() -> None:
    free: Free = {(8, 9): UNMOVABLE, (10, 11): UNMOVABLE}
    lines = [steal(8, 0, UNMOVABLE, MOVABLE, claims=False), take(8, MOVABLE)]
    assert laws(play(LOGGED, free, *lines, take(10, UNMOVABLE))) == []
    assert laws(play(LOGGED, free, *lines, take(10, MOVABLE))) == [LIST]


def test_up_to_6_8_a_pageblock_over_the_zones_edge_moves_in_part() -> None:
    inner = Zone(ZONE.name, 4, 60)
    for free, theft, left in (
        # From the block to the pageblock's end, where its start is outside.
        ({(4, 5): UNMOVABLE, (6, 8): UNMOVABLE}, steal(6, 1, UNMOVABLE, MOVABLE, False), 4),
        # The block alone, where its end is.
        ({(56, 57): UNMOVABLE, (58, 60): UNMOVABLE}, steal(58, 1, UNMOVABLE, MOVABLE, False), 56),
    ):
        lines = [theft, take(left + 2, MOVABLE)]
        assert laws(play(LOGGED, free, *lines, take(left, UNMOVABLE), zone=inner)) == []
        assert laws(play(LOGGED, free, *lines, take(left, MOVABLE), zone=inner)) == [LIST]


@both_eras
def test_a_pageblock_over_the_zones_edge_need_not_be_claimed(era: TraceEra) -> None:
    unclaimed = steal(4, 2, UNMOVABLE, MOVABLE, claims=False)
    found = play(era, {(4, 8): UNMOVABLE}, unclaimed, zone=Zone(ZONE.name, 4, 60), cut=True)
    assert laws(found) == []
    assert found.passed[FALLBACK] == 1


def test_since_6_10_a_claim_is_logged_after_the_block() -> None:
    claim = steal(8, 2, UNMOVABLE, MOVABLE, claims=True)
    assert laws(play(STEALING, HALF, take(8, MOVABLE), claim, take(9, MOVABLE))) == []
    assert laws(play(STEALING, HALF, take(8, MOVABLE), claim, take(9, UNMOVABLE))) == [LIST]
    assert laws(play(STEALING, HALF, take(8, MOVABLE), free_page(50), claim))[0] == LIST
    assert laws(play(STEALING, HALF, take(8, MOVABLE))) == [LIST]
    # A claim of what was on the request's own list already, and one that claims nothing.
    assert laws(play(STEALING, HALF, take(8, UNMOVABLE), claim))[0] == FALLBACK
    unclaimed = steal(8, 2, UNMOVABLE, MOVABLE, claims=False)
    assert laws(play(STEALING, HALF, take(8, MOVABLE), unclaimed))[0] == EXTFRAG


def test_since_6_10_what_is_left_of_a_stolen_block_stays() -> None:
    single = steal(8, 1, UNMOVABLE, MOVABLE, claims=False)
    free: Free = {(8, 10): UNMOVABLE}
    assert laws(play(STEALING, free, single, take(9, UNMOVABLE))) == []
    assert laws(play(STEALING, free, single, take(9, MOVABLE))) == [LIST]


@both_eras
def test_half_a_pageblock_is_claimed(era: TraceEra) -> None:
    unclaimed = steal(8, 2, UNMOVABLE, MOVABLE, claims=False)
    assert FALLBACK in laws(play(era, HALF, unclaimed))


@both_eras
def test_less_than_half_is_not_claimed_unless_the_rest_is_alike(era: TraceEra) -> None:
    seen = [free_page(8), drain(8, UNMOVABLE)]  # up to 6.8, all that shows a pageblock's type
    for mt, expected in ((MOVABLE, []), (RECLAIMABLE, [FALLBACK])):
        claimed = {
            LOGGED: [steal(10, 1, UNMOVABLE, mt, claims=True), take(8, mt)],
            STEALING: [take(8, mt), steal(8, 1, UNMOVABLE, mt, claims=True)],
        }
        assert laws(play(era, {(10, 12): UNMOVABLE}, *seen, *claimed[era])) == expected


def test_up_to_6_8_a_pageblock_may_have_the_requests_type_already() -> None:
    seen = [free_page(8), drain(8, RECLAIMABLE), take(8, RECLAIMABLE)]
    theft = steal(10, 1, UNMOVABLE, RECLAIMABLE, claims=True)
    assert (
        laws(
            play(
                LOGGED,
                {(10, 12): UNMOVABLE},
                *seen,
                theft,
                take(10, RECLAIMABLE),
                counts={UNMOVABLE: 4, MOVABLE: 3, RECLAIMABLE: 1},
            )
        )
        == []
    )


def test_a_stolen_page_shows_an_unknown_pageblock() -> None:
    free: Free = {(8, 9): UNMOVABLE, (16, 17): RECLAIMABLE}
    seen = [steal(8, 0, UNMOVABLE, MOVABLE, claims=False), free_page(13)]
    assert laws(play(STEALING, free, *seen, drain(13, RECLAIMABLE)))[0] == RETURN


def test_the_two_searches() -> None:
    def of(free: Census, mt: MigrateType) -> tuple[set[Place], set[Place]]:
        need = Need(0, mt, free, 10, 9, lambda _: True)
        return largest_first(need, claims=False), claims_first(need, claims=False)

    # The table decides between types of one order, both among the largest and the smallest.
    both: Census = {(order, mt): [0] for order in (0, 3) for mt in (UNMOVABLE, RECLAIMABLE)}
    assert of(both, MOVABLE) == ({(0, RECLAIMABLE)}, {(0, RECLAIMABLE)})
    # Any block is worth its pageblock to a request that cannot be moved.
    assert of({(0, MOVABLE): [0], (3, MOVABLE): [8]}, UNMOVABLE) == (
        {(3, MOVABLE)},
        {(0, MOVABLE)},
    )
    assert of({}, UNMOVABLE) == (set(), set())


@both_eras
def test_a_request_falls_back_only_when_it_must(era: TraceEra) -> None:
    free = {**LESS, (32, 48): MOVABLE}
    assert FALLBACK in laws(play(era, free, steal(10, 1, UNMOVABLE, MOVABLE, claims=False)))


@both_eras
def test_the_table_says_whose_block_is_taken(era: TraceEra) -> None:
    free: Free = {(16, 24): RECLAIMABLE, (32, 40): UNMOVABLE}
    counts = {UNMOVABLE: 5, MOVABLE: 2, RECLAIMABLE: 1}
    seen = [take(16, RECLAIMABLE, 3), drain(16, RECLAIMABLE, 3)]
    seen += [take(32, UNMOVABLE, 3), drain(32, UNMOVABLE, 3)]
    for pfn, mt, expected in ((16, RECLAIMABLE, []), (32, UNMOVABLE, [FALLBACK])):
        theft = steal(pfn, 3, mt, MOVABLE, claims=True)
        lines = [theft] if era is STEALING else [theft, take(pfn, MOVABLE)]
        assert laws(play(era, free, *seen, *lines, counts=counts)) == expected


LARGE_AND_SMALL: Free = {(8, 10): UNMOVABLE, (17, 18): UNMOVABLE, (25, 26): UNMOVABLE}
LARGEST = steal(8, 1, UNMOVABLE, MOVABLE, claims=False)
SMALLEST = steal(17, 0, UNMOVABLE, MOVABLE, claims=False)


def test_6_1_takes_the_largest() -> None:
    assert laws(play(LOGGED, LARGE_AND_SMALL, LARGEST, take(8, MOVABLE))) == []
    assert laws(play(LOGGED, LARGE_AND_SMALL, SMALLEST, take(17, MOVABLE))) == [FALLBACK]


def test_a_6_12_kernel_keeps_to_one_search() -> None:
    first, second = (play(STEALING, LARGE_AND_SMALL, line) for line in (LARGEST, SMALLEST))
    assert laws(first) == laws(second) == []
    assert first.searches == ("largest first",)
    assert second.searches == ("claims first",)
    assert laws(play(STEALING, LARGE_AND_SMALL, SMALLEST, LARGEST)) == [FALLBACK]


def test_a_smallest_block_is_no_excuse_where_a_claim_is_due() -> None:
    due: Free = {(8, 12): UNMOVABLE, (17, 18): UNMOVABLE}
    assert laws(play(STEALING, due, SMALLEST)) == [FALLBACK]


def test_the_claimed_page_itself_counts_for_half() -> None:
    claim = [take(8, RECLAIMABLE), steal(8, 2, UNMOVABLE, RECLAIMABLE, claims=True)]
    assert laws(play(STEALING, HALF, *claim)) == []
    # A larger block in the same pageblock could not have been refused either.
    free: Free = {(8, 10): UNMOVABLE, (12, 13): UNMOVABLE, (14, 15): UNMOVABLE}
    claim = [take(12, RECLAIMABLE), steal(12, 0, UNMOVABLE, RECLAIMABLE, claims=True)]
    assert laws(play(STEALING, free, *claim)) == [FALLBACK]


@both_eras
def test_smaller_blocks_of_unknown_lists_leave_the_choice_certain(era: TraceEra) -> None:
    free: Free = {**WHOLE, (8, 9): RECLAIMABLE, (40, 41): MOVABLE}
    theft = steal(16, 4, MOVABLE, UNMOVABLE, claims=True)
    lines = [theft] if era is STEALING else [theft, take(16, UNMOVABLE)]
    found = play(era, free, *lines, counts={UNMOVABLE: 4, MOVABLE: 3, RECLAIMABLE: 1})
    assert laws(found) == []
    assert found.passed[FALLBACK] == 0
