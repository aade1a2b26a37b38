"""Every loss-free run of a real kernel keeps every law; the lossy ones give no verdict."""

from functools import cache
from pathlib import Path

import pytest
from tests.kernel.material import BUNDLED, CHECKOUT, LARGER, is_lossy, name_of

from pagefuzz.exits import Exit
from pagefuzz.kernel import Report, Verdict, check_run
from pagefuzz.kernel.findings import EXTFRAG, FALLBACK, LAWS, LIST, RETURN
from pagefuzz.kernel.render import judged
from pagefuzz.kernel.typecounts import SUPPOSED

LOSS_FREE = [*BUNDLED, *(trace for trace in LARGER if not is_lossy(trace))]
LOSSY = [trace for trace in LARGER if is_lossy(trace)]


PAGE = (CHECKOUT / "docs" / "traces.md").read_text()
FIGURES = {
    cells[1].strip(): cells for row in PAGE.splitlines() if len(cells := row.split("|")) == 9
}


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
    laws = [cell.strip() for cell in FIGURES["run"][2:-1]]
    found = [judged(report, law) for law in laws]
    assert [cell.strip().replace(",", "") for cell in FIGURES[name_of(trace)][2:-1]] == found


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
