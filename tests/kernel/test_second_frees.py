"""A frame that is freed twice with no allocation in between: compaction may do that, no one else.

Compaction frees a target that it did not need and keeps it, so that it frees it again. Where a
snapshot tells the free set, the frames that it holds are known; else its events bound them.
"""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.kernel.material import BUNDLED, lines_of, name_of
from tests.kernel.test_rules import END, laws, page, snapshot
from tests.kernel.test_rules import play as play_from_start

from pagefuzz.exits import Exit
from pagefuzz.kernel import check_run
from pagefuzz.kernel.era import LOGGED, STEALING, TraceEra
from pagefuzz.kernel.findings import REFUSE, Findings, Tally
from pagefuzz.kernel.isolation import EARLIER_CAUSE, LOGGED_CAUSE, SILENT_CAUSE
from pagefuzz.kernel.replay import replay_all
from pagefuzz.kernel.state import replay_with
from pagefuzz.kernel.tracefs import Preamble, events

SCANNERS = "zone_start=0x0 migrate_pfn=0x0 free_pfn=0x28 zone_end=0x40"
BEGIN = f"mm_compaction_begin: {SCANNERS}"
OVER = f"mm_compaction_end: {SCANNERS} mode=sync"
WANT = "mm_compaction_isolate_migratepages: range=(0x0 ~ 0x8) nr_scanned=8 nr_taken=1"
MOVED = "mm_compaction_migratepages: nr_migrated=0 nr_failed=1"
TWICE = [page("free", 18), page("free", 18)]


def isolate(taken: int) -> str:
    return f"mm_compaction_isolate_freepages: range=(0x10 ~ 0x14) nr_scanned=4 nr_taken={taken}"


def by(task: str, *lines: str) -> list[str]:
    return [f"{task} [000] ..... 1.0: {line}" for line in lines]


def play(*lines: str, era: TraceEra = STEALING) -> Findings:
    """Replay events, of task dd by default, without any snapshot."""
    full = (line if "[" in line else by("dd-1", line)[0] for line in lines)
    # Only the frames matter here; how a run of compaction goes is judged elsewhere.
    replay = replay_with("trace", replace(era, scans=None))
    replay_all(replay, events(enumerate(full, 1), Preamble()), {})
    return replay.findings


def test_without_compaction_a_second_free_is_refused() -> None:
    found = play(*TWICE)
    assert [(each.law, each.line) for each in found.broken] == [(REFUSE, 2)]
    assert laws(play(BEGIN, OVER, *TWICE)) == [REFUSE]
    assert laws(play(*TWICE, *by("sh-2", BEGIN, isolate(4), OVER))) == [REFUSE]


def test_compaction_frees_what_it_keeps() -> None:
    found = play(BEGIN, isolate(4), *TWICE, page("free", 18), MOVED, OVER)
    assert laws(found) == []
    assert found.causes == {LOGGED_CAUSE: Tally(1)}


def test_what_compaction_kept_is_freed_by_its_next_owner() -> None:
    once, again = TWICE
    assert laws(play(BEGIN, isolate(4), once, OVER, *by("sh-2", again))) == []
    assert laws(play(BEGIN, isolate(4), once, OVER, *by("sh-2", again, again))) == [REFUSE]


def test_compaction_gives_back_what_was_freed_before_it() -> None:
    once, again = TWICE
    assert laws(play(once, page("pcpu_drain", 18), BEGIN, isolate(4), again, OVER)) == []


def test_compaction_frees_no_frame_that_it_did_not_take() -> None:
    assert laws(play(BEGIN, isolate(4), page("free", 20), page("free", 20), OVER)) == [REFUSE]
    others = [page("free", 19), page("free", 19)]
    assert laws(play(BEGIN, isolate(2), *TWICE, *others, OVER)) == []
    assert laws(play(BEGIN, isolate(1), *TWICE, *others, OVER)) == [REFUSE]


def test_a_compaction_that_was_over_frees_nothing() -> None:
    assert laws(play(BEGIN, isolate(4), OVER, *TWICE)) == [REFUSE]


def test_without_an_end_a_compaction_may_be_at_work() -> None:
    assert laws(play(isolate(4), *TWICE)) == []


def test_the_path_without_events_is_that_of_earlier_releases() -> None:
    high = [page("free", 40), page("free", 40)]
    found = play(BEGIN, WANT, *high, OVER, era=LOGGED)
    assert laws(found) == []
    assert found.causes == {SILENT_CAUSE: Tally(1)}
    assert laws(play(BEGIN, WANT, *high, OVER, era=STEALING)) == [REFUSE]
    assert laws(play(BEGIN, *high, OVER, era=LOGGED)) == [REFUSE]


@pytest.mark.parametrize("inside", [MOVED, OVER])
def test_a_compaction_may_have_begun_before_the_trace(inside: str) -> None:
    found = play(*TWICE, inside)
    assert laws(found) == []
    assert found.causes == {EARLIER_CAUSE: Tally(1)}
    assert laws(play(*TWICE, BEGIN, inside)) == [REFUSE]
    assert laws(play(*TWICE, *by("sh-2", inside))) == [REFUSE]
    assert laws(play(BEGIN, OVER, *TWICE, inside)) == [REFUSE]


def test_a_snapshot_says_what_compaction_holds() -> None:
    kept = play_from_start(BEGIN, isolate(4), *TWICE, MOVED, OVER, era=STEALING)
    assert laws(kept) == []
    assert laws(play_from_start(BEGIN, isolate(4), OVER, *TWICE, era=STEALING)) == [REFUSE]
    listed = [page("alloc_zone_locked", 16), page("alloc", 16), page("free", 16)]
    missing = play_from_start(*listed, BEGIN, isolate(1), page("free", 16), OVER, era=STEALING)
    assert laws(missing) == [REFUSE]
    whole = snapshot("end", (20, 32))
    assert laws(play_from_start(BEGIN, isolate(4), *TWICE, *END, OVER, end=whole)) == []


@pytest.mark.parametrize("trace", BUNDLED, ids=name_of)
def test_a_real_trace_alone_breaks_nothing(trace: Path, tmp_path: Path) -> None:
    (tmp_path / "trace.txt").write_text("\n".join(lines_of(trace)) + "\n")
    report = check_run(tmp_path / "trace.txt")
    assert report.findings.broken == []
    assert report.exit is Exit.HELD
