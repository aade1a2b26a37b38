"""The rules of types on tiny traces: 64 frames, pageblocks of 8, both eras.

Every order's free blocks are of one type at the start, so that all lists are known.
"""

import pytest

from pagefuzz.errors import UsageError
from pagefuzz.kernel.era import LOGGED, STEALING, TraceEra
from pagefuzz.kernel.findings import (
    BLOCK_COUNT,
    EXTFRAG,
    FALLBACK,
    FREE_COUNT,
    LIST,
    RETURN,
    Findings,
)
from pagefuzz.kernel.pagetypeinfo import TypeInfo, read_pagetypeinfo
from pagefuzz.kernel.replay import replay_all
from pagefuzz.kernel.snapshots import Snapshot, Zone
from pagefuzz.kernel.state import replay_with
from pagefuzz.kernel.tracefs import Preamble, events
from pagefuzz.kernel.typecounts import SUPPOSED
from pagespec.frames import blocks_of_run
from pagespec.migratetype import (
    HIGHATOMIC,
    ISOLATE,
    MOVABLE,
    RECLAIMABLE,
    REQUESTED,
    UNMOVABLE,
    MigrateType,
)

ZONE = Zone((0, "Normal"), 0, 64)
TOP, PAGEBLOCK = 4, 3
TYPES = (*REQUESTED, HIGHATOMIC, ISOLATE)
COUNTS = {UNMOVABLE: 5, MOVABLE: 3}

Free = dict[tuple[int, int], MigrateType]

both_eras = pytest.mark.parametrize("era", [LOGGED, STEALING], ids=["6.1", "6.12"])


def snapshot(name: str, free: Free, counts: dict[MigrateType, int]) -> Snapshot:
    rows = {mt: [0] * (TOP + 1) for mt in TYPES}
    for (first, end), mt in free.items():
        for _, order in blocks_of_run(first, end, TOP):
            rows[mt][order] += 1
    columns = tuple(map(sum, zip(*rows.values(), strict=True)))
    info = TypeInfo(
        PAGEBLOCK,
        {ZONE.name: {mt: tuple(row) for mt, row in rows.items()}},
        {ZONE.name: {mt: counts.get(mt, 0) for mt in TYPES}},
    )
    return Snapshot(name, tuple(free), (ZONE,), ({ZONE.name: columns},), PAGEBLOCK, info)


def play(
    era: TraceEra,
    free: Free,
    *lines: str,
    end: Free | None = None,
    counts: dict[MigrateType, int] = COUNTS,
    later: dict[MigrateType, int] = COUNTS,
) -> Findings:
    """Replay events of CPU 0 from a snapshot, with its counts of pageblocks, to a later one."""
    snapshots = {"start": snapshot("start", free, counts)}
    text = ["SNAP start begin", "SNAP start end", *lines]
    if end is not None:
        snapshots["end"] = snapshot("end", end, later)
        text += ["SNAP end begin", "SNAP end end"]
    full = (
        f"dd-1 [000] ..... 1.0: {'tracing_mark_write: ' if line.startswith('SNAP') else ''}{line}"
        for line in text
    )
    replay = replay_with("trace", era, snapshots["start"])
    replay_all(replay, events(enumerate(full, 1), Preamble()), snapshots)
    return replay.findings


def laws(findings: Findings) -> list[str]:
    return [finding.law for finding in findings.broken]


def take(pfn: int, mt: MigrateType, order: int = 0) -> str:
    return f"mm_page_alloc_zone_locked: pfn={pfn:#x} order={order} migratetype={mt.value}"


def drain(pfn: int, mt: MigrateType, order: int = 0) -> str:
    return f"mm_page_pcpu_drain: pfn={pfn:#x} order={order} migratetype={mt.value}"


def free_page(pfn: int, order: int = 0) -> str:
    return f"mm_page_free: pfn={pfn:#x} order={order}"


def steal(
    pfn: int,
    from_order: int,
    from_mt: MigrateType,
    mt: MigrateType,
    claims: bool,
    order: int = 0,
) -> str:
    return (
        f"mm_page_alloc_extfrag: pfn={pfn:#x} alloc_order={order} fallback_order={from_order}"
        f" pageblock_order={PAGEBLOCK} alloc_migratetype={mt.value}"
        f" fallback_migratetype={from_mt.value} fragmenting={int(from_order < PAGEBLOCK)}"
        f" change_ownership={int(claims)}"
    )


HALF: Free = {(8, 12): UNMOVABLE}
LESS: Free = {(8, 9): UNMOVABLE, (10, 12): UNMOVABLE}
WHOLE: Free = {(16, 32): MOVABLE}


@both_eras
def test_a_block_leaves_the_list_that_it_is_on(era: TraceEra) -> None:
    found = play(era, {**WHOLE, **HALF}, take(16, MOVABLE), take(17, MOVABLE), take(8, UNMOVABLE))
    assert laws(found) == []
    assert (found.checked[LIST], found.passed[LIST]) == (3, 0)
    assert laws(play(era, WHOLE, take(16, UNMOVABLE))) == [LIST]
    # The rest of a split block stays on the list that it is from.
    assert laws(play(era, WHOLE, take(16, MOVABLE), take(17, RECLAIMABLE))) == [LIST]


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


BUDDIES: Free = {(16, 24): MOVABLE, (25, 26): UNMOVABLE, (26, 28): UNMOVABLE, (28, 32): UNMOVABLE}


@both_eras
def test_a_merged_block_is_on_the_last_parts_list(era: TraceEra) -> None:
    merge = [free_page(24), drain(24, UNMOVABLE)]
    assert laws(play(era, BUDDIES, *merge, take(16, UNMOVABLE))) == []
    assert laws(play(era, BUDDIES, *merge, take(16, MOVABLE))) == [LIST]


def test_since_6_10_a_merge_retypes_the_buddy() -> None:
    merge = [free_page(24), drain(24, UNMOVABLE)]
    end: Free = {(16, 32): UNMOVABLE}
    retyped = {UNMOVABLE: 6, MOVABLE: 2}
    for era, right, wrong in ((STEALING, retyped, COUNTS), (LOGGED, COUNTS, retyped)):
        assert laws(play(era, BUDDIES, *merge, end=end, later=right)) == []
        assert laws(play(era, BUDDIES, *merge, end=end, later=wrong)) == [BLOCK_COUNT]


@both_eras
def test_a_zone_with_a_reserve_is_not_judged(era: TraceEra) -> None:
    lines = [take(16, HIGHATOMIC), free_page(40), drain(40, RECLAIMABLE)]
    reserved = {UNMOVABLE: 5, MOVABLE: 2, HIGHATOMIC: 1}
    for counts, later in ((reserved, COUNTS), (COUNTS, reserved)):
        end: Free = {(17, 32): HIGHATOMIC, (40, 41): UNMOVABLE}
        found = play(era, WHOLE, *lines, end=end, counts=counts, later=later)
        assert laws(found) == []
        assert (found.passed[LIST], found.passed[RETURN]) == (1, 1)
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
    assert read_pagetypeinfo("here", "") is None


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("Isolate\nNode", "Isolated\nNode", "here: expected a type, one of Unmovable"),
        ("type    Unmovable", "type    Immovable", "got 'Immovable'"),
        ("1            7", "1", "here: expected 2 counts of pageblocks"),
        ("3      4", "3", "here: expected as many orders as for other types"),
    ],
)
def test_bad_pagetypeinfo_gets_one_sentence(old: str, new: str, sentence: str) -> None:
    assert old in GOOD
    with pytest.raises(UsageError, match=sentence):
        read_pagetypeinfo("here", GOOD.replace(old, new))
