"""Every loss-free run of a real kernel keeps every law; the lossy ones give no verdict."""

from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from tests.kernel.material import BUNDLED, CHECKOUT, LARGER, is_lossy, name_of

from pagefuzz.exits import Exit
from pagefuzz.kernel import Report, Verdict, check_run
from pagefuzz.kernel.findings import (
    COUNT,
    DRAIN,
    EXTFRAG,
    FALLBACK,
    LAWS,
    LIFO,
    LIST,
    REFILL,
    RETURN,
)
from pagefuzz.kernel.percpu.causes import EMPTY, HEAD, HIDDEN, TAIL
from pagefuzz.kernel.render import judged, unexplained
from pagefuzz.kernel.typecounts import SUPPOSED

LOSS_FREE = [*BUNDLED, *(trace for trace in LARGER if not is_lossy(trace))]
LOSSY = [trace for trace in LARGER if is_lossy(trace)]


PAGE, _, COMPACTION = (
    (CHECKOUT / "docs" / "traces.md").read_text().partition("## Compaction in real runs")
)


def _rows(text: str) -> dict[str, list[str]]:
    return {
        cells[1].strip(): cells for row in text.splitlines() if len(cells := row.split("|")) == 9
    }


FIGURES, COMPACTED = _rows(PAGE), _rows(COMPACTION)
LISTS = (LIFO, REFILL, DRAIN, COUNT)
JUDGED = {
    cells[1].strip(): [int(cell.replace(",", "")) for cell in cells[2:6]]
    for row in PAGE.splitlines()
    if len(cells := row.split("|")) == 7 and cells[1].strip() != "run" and "---" not in row
}
CAUSES = {
    tuple(cell.strip() for cell in cells[1:4]): int(cells[4].replace(",", ""))
    for row in PAGE.splitlines()
    if row.startswith("| PCP-") and len(cells := row.split("|")) == 6
}
UNEXPLAINED_AT_MOST = 1000
"""One judgement in so many may be without a cause."""
LEAST_JUDGED = 800
"""The shortest runs judge so often: a check that judges nothing explains everything."""


@cache
def checked(trace: Path) -> Report:
    return check_run(trace)


def test_two_runs_are_bundled() -> None:
    assert [name_of(trace) for trace in BUNDLED] == ["a61-light-1cpu", "b612-light-1cpu"]


@pytest.mark.parametrize("trace", LOSS_FREE, ids=name_of)
def test_a_loss_free_run_keeps_every_law(trace: Path) -> None:
    report = checked(trace)
    assert report.findings.broken == []
    assert report.verdict is Verdict.HELD
    assert {each.outcome for each in report.findings.comparisons} <= {
        "start",
        "identical",
        "explained",
    }
    assert not any(each.maximal == "broken" for each in report.findings.comparisons)
    for law, share in ((LIST, 0.9), (RETURN, 0.8)):
        asked = report.findings.checked[law] + report.findings.passed[law]
        assert report.findings.checked[law] >= share * asked, law
    assert SUPPOSED not in report.findings.causes
    for cause, tally in report.findings.causes.items():
        assert 0 <= tally.returned <= tally.held <= tally.claimed, cause


@pytest.mark.parametrize("trace", [*BUNDLED, *LARGER], ids=name_of)
def test_the_page_says_how_much_was_judged(trace: Path) -> None:
    if is_lossy(trace) or not (trace.parent / "version").exists():
        assert name_of(trace) not in FIGURES
        return
    report = checked(trace)
    for rows in (FIGURES, COMPACTED):
        found = [judged(report, cell.strip()) for cell in rows["run"][2:-1]]
        if name_of(trace) in rows or rows is FIGURES:
            said = [cell.strip().replace(",", "") for cell in rows[name_of(trace)][2:-1]]
            assert said == found
        else:
            assert set(found) == {"0"}


@pytest.mark.parametrize("trace", LOSSY, ids=name_of)
def test_a_lossy_run_is_inconclusive(trace: Path) -> None:
    report = checked(trace)
    assert report.loss.events > 0
    assert report.verdict is Verdict.INCONCLUSIVE
    assert report.exit is Exit.INCONCLUSIVE


@pytest.mark.parametrize("trace", BUNDLED, ids=name_of)
def test_a_bundled_run_checks_every_law(trace: Path) -> None:
    report = checked(trace)
    expected = dict.fromkeys(LAWS, Verdict.HELD)
    if not report.kinds.get("mm_page_alloc_extfrag"):
        expected |= dict.fromkeys((EXTFRAG, FALLBACK), Verdict.UNCHECKED)
    assert report.laws == expected


@pytest.mark.parametrize("trace", BUNDLED, ids=name_of)
def test_only_compaction_takes_frames_from_a_bundled_run(trace: Path) -> None:
    comparisons = checked(trace).findings.comparisons
    assert [each.name for each in comparisons if each.outcome == "explained"] == ["09-compact-ref"]
    assert [each.outcome for each in comparisons].count("identical") == 7


@pytest.mark.parametrize("trace", BUNDLED, ids=name_of)
def test_without_a_version_file_the_rules_are_tried_out(trace: Path, tmp_path: Path) -> None:
    for part in ("trace.txt.xz", "snaps.tar.xz"):
        (tmp_path / part).write_bytes((trace.parent / part).read_bytes())
    report = check_run(tmp_path / "trace.txt.xz")
    assert report.verdict is Verdict.HELD
    assert report.era.endswith("by its events")


@pytest.mark.parametrize("trace", LOSS_FREE, ids=name_of)
def test_what_cpus_lists_do_has_a_cause(trace: Path) -> None:
    report = checked(trace)
    assert unexplained(report) * UNEXPLAINED_AT_MOST <= report.findings.listing.total()
    assert report.findings.listing.total() >= LEAST_JUDGED


@pytest.mark.parametrize("trace", BUNDLED, ids=name_of)
def test_on_one_cpu_every_known_block_is_where_it_should_be(trace: Path) -> None:
    listing = checked(trace).findings.listing
    for what, end in (("allocation", HEAD), ("drained block", TAIL), ("refill", EMPTY)):
        found = {cause for law, event, cause in listing if (law, event) == (LIFO, what)}
        assert found - {HIDDEN} == {end}


@pytest.mark.parametrize("trace", [*BUNDLED, *LARGER], ids=name_of)
def test_the_page_says_how_often_each_law_of_lists_was_judged(trace: Path) -> None:
    if is_lossy(trace) or not (trace.parent / "version").exists():
        assert name_of(trace) not in JUDGED
        return
    listing = checked(trace).findings.listing
    found = Counter[str]()
    for (law, _, _), count in listing.items():
        found[law] += count
    assert JUDGED[name_of(trace)] == [found[law] for law in LISTS]


def test_the_page_says_all_causes() -> None:
    runs = {name_of(trace): trace for trace in [*BUNDLED, *LARGER]}
    if not JUDGED.keys() <= runs.keys():
        pytest.skip("the larger runs are not beside the checkout")
    total = Counter[tuple[str, str, str]]()
    for name in JUDGED:
        total += checked(runs[name]).findings.listing
    assert total == CAUSES
