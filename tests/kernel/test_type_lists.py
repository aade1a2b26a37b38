"""Which list a block leaves and what a page returns as, on tiny traces of both eras."""

import pytest
from tests.kernel.tiny import (
    BUDDIES,
    HALF,
    WHOLE,
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
    LIST,
    RETURN,
)
from pagespec.migratetype import (
    MOVABLE,
    RECLAIMABLE,
    REQUESTED,
    UNMOVABLE,
    MigrateType,
)


@both_eras
def test_a_block_leaves_the_list_that_it_is_on(era: TraceEra) -> None:
    found = play(era, {**WHOLE, **HALF}, take(16, MOVABLE), take(17, MOVABLE), take(8, UNMOVABLE))
    assert laws(found) == []
    assert (found.checked[LIST], found.passed[LIST]) == (3, 0)
    assert laws(play(era, WHOLE, take(16, UNMOVABLE))) == [LIST]
    # The rest of a split block stays on the list that it is from.
    assert laws(play(era, WHOLE, take(16, MOVABLE), take(17, RECLAIMABLE))) == [LIST]


def test_a_page_returns_with_the_type_that_its_pageblock_had() -> None:
    """Up to 6.8 it is the type at the free, since 6.10 at the return."""
    free: Free = {(8, 12): UNMOVABLE}
    shown = [free_page(14), drain(14, UNMOVABLE), free_page(13)]
    claimed = {
        LOGGED: [steal(8, 2, UNMOVABLE, MOVABLE, claims=True), take(14, MOVABLE)],
        STEALING: [take(14, MOVABLE), steal(14, 2, UNMOVABLE, MOVABLE, claims=True)],
    }
    for era, right, wrong in ((LOGGED, UNMOVABLE, MOVABLE), (STEALING, MOVABLE, UNMOVABLE)):
        lines = [*shown, *claimed[era]]
        assert laws(play(era, free, *lines, drain(13, right))) == []
        assert laws(play(era, free, *lines, drain(13, wrong))) == [RETURN]


def test_a_page_freed_in_an_unknown_pageblock_is_not_judged_once_that_has_changed() -> None:
    lines = [free_page(13), steal(8, 2, UNMOVABLE, MOVABLE, claims=True), take(8, MOVABLE)]
    found = play(LOGGED, HALF, *lines, drain(13, UNMOVABLE))
    assert laws(found) == []
    assert (found.checked[RETURN], found.passed[RETURN]) == (0, 1)


@pytest.mark.parametrize(("era", "right"), [(LOGGED, MOVABLE), (STEALING, UNMOVABLE)])
def test_a_large_block_is_freed_on_the_list_of_its_first_pageblock_or_its_last(
    era: TraceEra, right: MigrateType
) -> None:
    seen = [free_page(16), drain(16, MOVABLE), take(16, MOVABLE)]
    seen += [free_page(24), drain(24, UNMOVABLE), take(24, UNMOVABLE)]
    for mt in REQUESTED:
        found = play(era, {}, *seen, free_page(16, 4), take(16, mt))
        assert laws(found) == ([] if mt is right else [LIST])


@both_eras
def test_a_merged_block_is_on_the_last_parts_list(era: TraceEra) -> None:
    merge = [free_page(24), drain(24, UNMOVABLE)]
    assert laws(play(era, BUDDIES, *merge, take(16, UNMOVABLE))) == []
    assert laws(play(era, BUDDIES, *merge, take(16, MOVABLE))) == [LIST]


def test_what_compaction_may_hold_leaves_only_what_both_ways_share() -> None:
    """Of eight free frames two are isolated: who knows with whom a page merges?"""
    isolate = "mm_compaction_isolate_freepages: range=(0x18 ~ 0x20) nr_scanned=8 nr_taken=2"
    merge = [isolate, free_page(16), drain(16, UNMOVABLE)]
    free: Free = {(17, 18): MOVABLE, (18, 20): MOVABLE, (20, 24): MOVABLE, (24, 32): MOVABLE}
    for mt in REQUESTED:
        found = play(LOGGED, free, *merge, take(17, mt))
        assert laws(found) == []
        assert (found.checked[LIST], found.passed[LIST]) == (0, 1)
    same = [isolate, free_page(16), drain(16, MOVABLE)]
    assert laws(play(LOGGED, free, *same, take(17, MOVABLE))) == []
    assert laws(play(LOGGED, free, *same, take(17, UNMOVABLE))) == [LIST]
