"""The rules on tiny traces of 64 frames: what is a breach, what is explained, and by what bound."""

from collections.abc import Sequence
from dataclasses import replace

from pagefuzz.kernel import isolation
from pagefuzz.kernel.bypass import CAUSE as BYPASS
from pagefuzz.kernel.compare import RACE
from pagefuzz.kernel.era import LOGGED, STEALING, TraceEra
from pagefuzz.kernel.findings import EXPAND, MAXIMAL, PARTITION, REFUSE, Findings, Tally
from pagefuzz.kernel.maximal import BROKEN, LATER, SAME
from pagefuzz.kernel.places import BUDDY, runs_in
from pagefuzz.kernel.replay import replay_all
from pagefuzz.kernel.rules import CAPTURE
from pagefuzz.kernel.snapshots import Snapshot, Zone
from pagefuzz.kernel.state import replay_with
from pagefuzz.kernel.tracefs import Preamble, events
from pagespec.frames import blocks_of_run

ZONE = Zone((0, "Normal"), 0, 64)
TOP = 4


def snapshot(
    name: str, *runs: tuple[int, int], read: Sequence[tuple[int, int]] = (), huge: int = 9
) -> Snapshot:
    columns = [0] * (TOP + 1)
    for first, end in read or runs:
        for _, order in blocks_of_run(first, end, TOP):
            columns[order] += 1
    return Snapshot(name, runs, (ZONE,), ({ZONE.name: tuple(columns)},), huge)


def play(
    *lines: str,
    era: TraceEra = LOGGED,
    start: Snapshot | None = None,
    end: Snapshot | None = None,
    late: Snapshot | None = None,
    meanwhile: Sequence[str] = (),
) -> Findings:
    """Replay events of task dd on CPU 0, from a start with frames 16 to 31 free by default.

    `meanwhile` are events while the start is being read.
    """
    start = start or snapshot("start", (16, 32))
    text = ["SNAP start begin", *meanwhile, "SNAP start end", *lines]
    full = (
        f"dd-1 [000] ..... 1.0: tracing_mark_write: {line}"
        if line.startswith("SNAP")
        else (line if "[" in line else f"dd-1 [000] ..... 1.0: {line}")
        for line in text
    )
    # Only the frames matter here; how a run of compaction goes is judged elsewhere.
    replay = replay_with("trace", replace(era, scans=None), start)
    snapshots = {each.name: each for each in (start, end, late) if each is not None}
    replay_all(replay, events(enumerate(full, 1), Preamble()), snapshots)
    return replay.findings


def page(kind: str, pfn: int, order: int = 0) -> str:
    return f"mm_page_{kind}: page=0 pfn={pfn:#x} order={order} migratetype=0"


def by_cpu(cpu: int, line: str, flags: str = ".....") -> str:
    return f"dd-1 [{cpu:03}] {flags} 1.0: {line}"


def laws(findings: Findings) -> list[str]:
    return [finding.law for finding in findings.broken]


ISOLATE = "mm_compaction_isolate_freepages: range=(0x10 ~ 0x14) nr_scanned=4 nr_taken="
END = ("SNAP end begin", "SNAP end end")
LATE = ("SNAP late begin", "SNAP late end")


def test_a_life_without_fault() -> None:
    end = snapshot("end", (16, 32))
    life = [page("alloc_zone_locked", 16), page("alloc", 16), page("free", 16)]
    found = play(*life, page("pcpu_drain", 16), *END, end=end)
    assert laws(found) == []
    assert [each.outcome for each in found.comparisons] == ["start", "identical"]


def test_a_failed_request_is_no_frame() -> None:
    assert laws(play(page("alloc", 0), page("alloc", 0))) == []


def test_a_large_block_goes_straight_to_the_buddy() -> None:
    life = [page("alloc_zone_locked", 16, 4), page("alloc", 16, 4), page("free", 16, 4)]
    assert laws(play(*life, *END, end=snapshot("end", (16, 32)))) == []
    assert laws(play(*life, page("free", 16, 4))) == [REFUSE]


def test_a_split_block_is_freed_in_pieces() -> None:
    life = [page("alloc_zone_locked", 16, 2), page("alloc", 16, 2)]
    assert laws(play(*life, page("free", 17), page("free", 18, 1), page("free", 16))) == []
    assert laws(play(*life, page("free", 17), page("free", 16, 1))) == [REFUSE]


def test_a_second_free_may_follow_a_bulk_allocation() -> None:
    life = [page("alloc_zone_locked", 16), page("alloc", 16), page("free", 16)]
    assert laws(play(*life, page("free", 16))) == [REFUSE]
    assert laws(play(*life, page("alloc", 40), page("free", 16))) == []


def test_the_upper_half_is_not_the_lowest_part() -> None:
    assert laws(play(page("alloc_zone_locked", 17))) == [EXPAND]


def test_a_range_that_gave_all_its_frames_is_known_exactly() -> None:
    found = play(ISOLATE + "4", *END, end=snapshot("end", (20, 32)))
    assert laws(found) == []
    assert found.comparisons[-1].explained == {isolation.LOGGED_CAUSE: 4}
    assert play(ISOLATE + "4", page("free", 16)).causes == {isolation.LOGGED_CAUSE: Tally(4, 4, 1)}
    assert laws(play(ISOLATE + "4", page("alloc", 16))) == [PARTITION]
    assert laws(play(ISOLATE + "4", page("pcpu_drain", 16))) == [PARTITION]
    assert laws(play(ISOLATE + "4", page("free", 16), page("pcpu_drain", 16))) == []


def test_a_range_gives_no_more_frames_than_were_taken() -> None:
    for taken, expected in (("2", []), ("1", [PARTITION])):
        found = play(ISOLATE + taken, *END, end=snapshot("end", (18, 32)))
        assert laws(found) == expected
    frees = [page("free", 17), page("free", 18)]
    assert laws(play(ISOLATE + "2", *frees)) == []
    assert laws(play(ISOLATE + "1", *frees)) == [REFUSE]


def test_what_compaction_holds_must_not_turn_up_free() -> None:
    end, late = snapshot("end", (18, 32)), snapshot("late", (16, 32))
    returned = [page("free", 16), page("free", 17), page("pcpu_drain", 16), page("pcpu_drain", 17)]
    assert laws(play(ISOLATE + "2", *END, *returned, *LATE, end=end, late=late)) == []
    assert laws(play(ISOLATE + "2", *END, *LATE, end=end, late=late)) == [PARTITION]


def test_a_settled_range_explains_nothing_later() -> None:
    end, late = snapshot("end", (16, 32)), snapshot("late", (17, 32))
    assert laws(play(ISOLATE + "1", *END, *LATE, end=end, late=late)) == [PARTITION]


def test_the_silent_path_is_bounded_by_its_reach_and_its_request() -> None:
    begin = "mm_compaction_begin: zone_start=0x0 migrate_pfn=0x0 free_pfn=0x28 zone_end=0x40"
    want = "mm_compaction_isolate_migratepages: range=(0x0 ~ 0x8) nr_scanned=8 nr_taken=1"
    above, below = snapshot("end", (16, 24)), snapshot("end", (17, 32))
    assert laws(play(begin, want, *END, end=above)) == []
    assert laws(play(begin, want, *END, end=below)) == [PARTITION]
    assert laws(play(begin, *END, end=above)) == [PARTITION]
    assert laws(play(begin, want, *END, era=STEALING, end=above)) == [PARTITION]


def test_a_free_from_an_interrupt_may_miss_its_list() -> None:
    life = [page("alloc_zone_locked", 16), page("alloc", 16)]
    end = snapshot("end", (16, 32))
    soft = play(*life, by_cpu(0, page("free", 16), "..s2."), *END, end=end)
    assert laws(soft) == []
    assert soft.comparisons[-1].explained == {BYPASS: 1}
    assert laws(play(*life, page("free", 16), *END, end=end)) == [PARTITION]


def test_a_free_next_to_a_foreign_drain_may_miss_its_list() -> None:
    life = [page("alloc_zone_locked", 16), page("alloc", 16), page("free", 16)]
    drain = page("pcpu_drain", 40)
    taken = page("alloc_zone_locked", 16)
    assert laws(play(*life, by_cpu(1, drain), taken)) == []
    assert laws(play(*life, drain, taken)) == [PARTITION]


def test_a_capture_needs_a_compaction_of_that_task() -> None:
    ended = (
        "mm_compaction_end: zone_start=0x0 migrate_pfn=0x0 free_pfn=0x28 zone_end=0x40 mode=sync"
    )
    found = play(ended, page("alloc", 16, 3))
    assert laws(found) == []
    assert found.causes[CAPTURE].claimed == 8
    assert laws(play(page("alloc", 16, 3))) == [PARTITION]
    assert laws(play(ended, page("alloc", 16, 3), page("alloc", 24, 3))) == [PARTITION]


def test_since_6_12_a_steal_has_an_extfrag_event_only() -> None:
    steal = "mm_page_alloc_extfrag: page=0 pfn=0x10 alloc_order=1 fallback_order=4"
    end = snapshot("end", (18, 32))
    assert laws(play(steal, *END, era=STEALING, end=end)) == []
    assert laws(play(steal, *END, era=LOGGED, end=end)) == [PARTITION]
    logged = page("alloc_zone_locked", 16, 1)
    assert laws(play(logged, steal, *END, era=STEALING, end=end)) == []


def test_what_changes_during_the_reading_may_be_read_either_way() -> None:
    during = ("SNAP end begin", page("alloc_zone_locked", 16), "SNAP end end")
    before = play(*during, end=snapshot("end", (16, 32)))
    after = play(*during, end=snapshot("end", (17, 32)))
    assert laws(before) == laws(after) == []
    assert before.comparisons[-1].explained == {RACE: 1}
    assert after.comparisons[-1].outcome == "identical"


def test_buddyinfo_is_the_canonical_decomposition() -> None:
    apart = [(16, 24), (24, 32)]
    found = play(*END, end=snapshot("end", (16, 32), read=apart))
    assert laws(found) == [MAXIMAL]
    assert [each.maximal for each in found.comparisons] == [SAME, BROKEN]


def test_buddyinfo_may_be_older_than_the_free_set() -> None:
    lines = ("SNAP end begin", page("alloc_zone_locked", 16), "SNAP end end")
    found = play(*lines, end=snapshot("end", (17, 32), read=[(16, 32)]))
    assert laws(found) == []
    assert found.comparisons[-1].maximal == LATER
    other = play(*lines, end=snapshot("end", (17, 32), read=[(18, 32)]))
    assert laws(other) == [MAXIMAL]


def test_changes_while_the_first_snapshot_is_read_are_applied() -> None:
    end = snapshot("end", (17, 32))
    taken = [page("alloc_zone_locked", 16), page("alloc", 16)]
    assert laws(play(*END, meanwhile=taken, end=end)) == []
    late_reader = snapshot("start", (17, 32))
    returned = [page("alloc_zone_locked", 16), page("pcpu_drain", 16)]
    found = play(*END, meanwhile=returned, start=late_reader, end=snapshot("end", (16, 32)))
    assert found.comparisons[-1].outcome == "identical"


def test_a_difference_is_reported_once() -> None:
    end, late = snapshot("end", (17, 32)), snapshot("late", (17, 32))
    assert laws(play(*END, *LATE, end=end, late=late)) == [PARTITION]


def test_a_huge_page_stays_on_its_list() -> None:
    life = [page("alloc_zone_locked", 16, 4), page("alloc", 16, 4), page("free", 16, 4)]
    found = play(*life, *END, start=snapshot("start", (16, 32), huge=4), end=snapshot("end"))
    assert laws(found) == []


def test_runs_of_a_place() -> None:
    places = bytearray(64)
    for first, end in ((0, 1), (3, 20), (40, 64)):
        places[first:end] = bytes([BUDDY]) * (end - first)
    assert list(runs_in(places, 0, 64, BUDDY)) == [(0, 1), (3, 20), (40, 64)]
    assert list(runs_in(places, 4, 50, BUDDY)) == [(4, 20), (40, 50)]


def test_a_single_frame_without_a_cause_is_told_in_the_singular() -> None:
    one = play(*END, start=snapshot("start", (0, 16)), end=snapshot("end", (0, 15)))
    two = play(*END, start=snapshot("start", (0, 16)), end=snapshot("end", (0, 14)))
    assert "1 frame that the events leave in the buddy is not free" in one.broken[0].sentence
    assert "2 frames that the events leave in the buddy are not free" in two.broken[0].sentence
