"""What pagetypeinfo must count, and what cannot be judged, on tiny traces of both eras."""

import pytest
from tests.kernel.tiny import (
    BUDDIES,
    COUNTS,
    HALF,
    TYPES,
    WHOLE,
    Free,
    both_eras,
    drain,
    free_page,
    laws,
    play,
    snapshot,
    steal,
    take,
)

from pagefuzz.errors import UsageError
from pagefuzz.kernel.era import LOGGED, STEALING, TraceEra
from pagefuzz.kernel.findings import (
    BLOCK_COUNT,
    FREE_COUNT,
    LIST,
    RETURN,
)
from pagefuzz.kernel.mobility import mobility_of
from pagefuzz.kernel.pagetypeinfo import TypeInfo, read_pagetypeinfo
from pagefuzz.kernel.typecounts import SUPPOSED
from pagespec.migratetype import (
    HIGHATOMIC,
    ISOLATE,
    MOVABLE,
    RECLAIMABLE,
    UNMOVABLE,
)


def test_a_claim_of_an_unknown_pageblock_shows_what_it_was() -> None:
    free: Free = {(8, 12): UNMOVABLE, (16, 20): RECLAIMABLE}
    lines = [take(8, MOVABLE), steal(8, 2, UNMOVABLE, MOVABLE, claims=True)]
    end: Free = {(9, 12): MOVABLE, (16, 20): RECLAIMABLE}
    counts = {UNMOVABLE: 5, MOVABLE: 2, RECLAIMABLE: 1}
    moved = {UNMOVABLE: 4, MOVABLE: 3, RECLAIMABLE: 1}
    assert laws(play(STEALING, free, *lines, end=end, counts=counts, later=moved)) == []
    assert laws(play(STEALING, free, *lines, end=end, counts=counts, later=counts)) == [BLOCK_COUNT]


def test_since_6_10_a_merge_retypes_the_buddy() -> None:
    merge = [free_page(24), drain(24, UNMOVABLE)]
    end: Free = {(16, 32): UNMOVABLE}
    retyped = {UNMOVABLE: 6, MOVABLE: 2}
    for era, right, wrong in ((STEALING, retyped, COUNTS), (LOGGED, COUNTS, retyped)):
        assert laws(play(era, BUDDIES, *merge, end=end, later=right)) == []
        assert laws(play(era, BUDDIES, *merge, end=end, later=wrong)) == [BLOCK_COUNT]


@both_eras
def test_a_zone_with_a_reserve_is_not_judged(era: TraceEra) -> None:
    lines = [take(16, MOVABLE), take(17, HIGHATOMIC), free_page(40), drain(40, RECLAIMABLE)]
    reserved = {UNMOVABLE: 5, MOVABLE: 2, HIGHATOMIC: 1}
    for counts, later in ((reserved, COUNTS), (COUNTS, reserved)):
        end: Free = {(18, 32): HIGHATOMIC, (40, 41): UNMOVABLE}
        found = play(era, WHOLE, *lines, end=end, counts=counts, later=later)
        assert laws(found) == []
        assert (found.passed[LIST], found.passed[RETURN]) == (2, 1)
    assert laws(play(era, WHOLE, *lines))[0] == LIST


def test_compaction_makes_half_a_pageblock_movable() -> None:
    isolate = "mm_compaction_isolate_freepages: range=(0x8 ~ 0x10) nr_scanned=4 nr_taken=4"
    moved = {UNMOVABLE: 4, MOVABLE: 4}
    assert laws(play(STEALING, HALF, isolate, end={}, later=moved)) == []
    assert laws(play(STEALING, HALF, isolate, end={})) == [BLOCK_COUNT]


def test_up_to_6_8_a_free_block_may_hide_another_type() -> None:
    theft = steal(16, 4, MOVABLE, UNMOVABLE, claims=True)
    lines = [theft, take(16, UNMOVABLE)]
    end: Free = {(17, 32): UNMOVABLE}
    found = play(LOGGED, WHOLE, *lines, end=end, later={UNMOVABLE: 6, MOVABLE: 2})
    assert laws(found) == []
    assert found.causes[SUPPOSED].claimed == 8
    assert laws(play(STEALING, WHOLE, theft, end=end, later={UNMOVABLE: 6, MOVABLE: 2})) == [
        BLOCK_COUNT
    ]


def test_unknown_lists_are_passed_over() -> None:
    free: Free = {(8, 9): UNMOVABLE, (16, 17): MOVABLE}
    found = play(LOGGED, free, take(8, RECLAIMABLE))
    assert laws(found) == []
    assert (found.checked[LIST], found.passed[LIST]) == (0, 1)


@both_eras
def test_a_snapshot_does_not_judge_what_it_made_known(era: TraceEra) -> None:
    found = play(era, WHOLE, end=WHOLE)
    assert (found.checked[FREE_COUNT], found.passed[FREE_COUNT]) == (1, 1)


def test_numbers_without_cma() -> None:
    assert LOGGED.types
    info = snapshot("start", {}, COUNTS).types
    assert info
    assert mobility_of(LOGGED.types, (), info, 64).numbers == TYPES


@both_eras
def test_counts_are_judged_by_what_was_learned_later(era: TraceEra) -> None:
    free: Free = {(8, 9): UNMOVABLE, (16, 17): MOVABLE}
    lines = [take(8, UNMOVABLE), take(16, MOVABLE)]
    found = play(era, free, *lines, end={})
    assert laws(found) == []
    judged = (found.checked[FREE_COUNT], found.passed[FREE_COUNT])
    assert judged == ((2, 0) if era is STEALING else (0, 2))
    assert laws(play(STEALING, free, take(8, RECLAIMABLE), take(16, MOVABLE))) == [
        FREE_COUNT,
        FREE_COUNT,
        BLOCK_COUNT,
    ]


GOOD = """Page block order: 9
Pages per block:  512

Free pages count per migrate type at order       0      1
Node    0, zone      DMA, type    Unmovable      3      4
Node    0, zone      DMA, type      Isolate      0 >100000

Number of blocks type     Unmovable      Isolate
Node 0, zone      DMA            1            7
"""


def test_reading_pagetypeinfo() -> None:
    info = read_pagetypeinfo("here", GOOD)
    assert info == TypeInfo(
        9, {(0, "DMA"): {UNMOVABLE: (3, 4)}}, {(0, "DMA"): {UNMOVABLE: 1, ISOLATE: 7}}
    )
    mixed = "\nNumber of mixed blocks    Unmovable      Isolate\nNode 0, zone      DMA  9  9\n"
    assert read_pagetypeinfo("here", GOOD + mixed) == info
    other = GOOD.replace("Node    0", "Node    1").replace("Node 0", "Node 1")
    assert read_pagetypeinfo("here", GOOD + mixed + other).blocks == {
        (node, "DMA"): {UNMOVABLE: 1, ISOLATE: 7} for node in (0, 1)
    }


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("Isolate\nNode", "Isolated\nNode", "here:8: expected a type, one of Unmovable"),
        ("type    Unmovable", "type    Immovable", "got 'Immovable'"),
        ("1            7", "1", "here:9: expected 2 counts of pageblocks"),
        ("3      4", "3 x", "here:5: expected a line of /proc/pagetypeinfo, got 'Node    0"),
        ("Pages per", "Sides per", "here:2: expected a line of /proc/pagetypeinfo, got 'Sides"),
        ("Page block order: 9", "", "here:9: expected 'Page block order: N' of"),
        (GOOD[GOOD.index("Node 0") :], "", "here:8: expected counts of pageblocks by type"),
        (GOOD, "", "here:1: expected 'Page block order: N' .* got an empty file"),
        ("3      4", "3", "here:6: expected as many orders as for other types"),
    ],
)
def test_bad_pagetypeinfo_gets_one_sentence(old: str, new: str, sentence: str) -> None:
    assert old in GOOD
    with pytest.raises(UsageError, match=sentence):
        read_pagetypeinfo("here", GOOD.replace(old, new))
