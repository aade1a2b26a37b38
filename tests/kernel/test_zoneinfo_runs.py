"""Every zone's threshold in every file of a real kernel is reproduced; the page has the figures."""

from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from tests.kernel.material import BUNDLED, CHECKOUT, LARGER, name_of
from tests.kernel.zones import FILES

from pagefuzz.kernel import numastat
from pagefuzz.kernel.counting import Wakes, judge_run, watched
from pagefuzz.kernel.files import numbered_lines
from pagefuzz.kernel.findings import DRIFT, NUMA, THRESHOLD, Findings
from pagefuzz.kernel.freecounts import Outcome
from pagefuzz.kernel.snapshots import load
from pagefuzz.kernel.thresholds import Why
from pagefuzz.kernel.tracefs import Preamble, events
from pagefuzz.kernel.zonefiles import check_files

PAGE = (CHECKOUT / "docs" / "traces.md").read_text()
FIGURES = {
    cells[1].strip(): [cell.strip() for cell in cells[2:-1]]
    for row in PAGE.splitlines()
    if len(cells := row.split("|")) == 10 and "---" not in row
}
HOST = CHECKOUT.parent / "shared" / "traces" / "host"
OUTCOMES = (Outcome.EQUAL, Outcome.KEPT, Outcome.PRESSURE)


@cache
def counted(trace: Path) -> tuple[int, Findings]:
    """How many files of zoneinfo a run has, and what they show, without a replay of the events."""
    wakes, findings = Wakes(), Findings()
    for _ in watched(events(numbered_lines(str(trace)), Preamble()), wakes):
        pass
    readings = load(str(trace), None).readings
    judge_run(findings, readings, wakes)
    return len(readings), findings


def figures(files: int, findings: Findings) -> list[str]:
    """A row of the page: CPUs, files, thresholds, those by the formula, and outcomes of lists."""
    cpus = {row.found.cpus for row in findings.thresholds}
    why = Counter(row.found.why for row in findings.thresholds)
    return [
        ", ".join(map(str, sorted(cpus))),
        *map(str, (files, len(findings.thresholds), why[Why.FORMULA])),
        *(str(findings.drifts[each]) for each in OUTCOMES),
    ]


def all_runs() -> dict[str, tuple[int, Findings]]:
    runs = {name_of(trace): counted(trace) for trace in [*BUNDLED, *LARGER]}
    if HOST.exists():
        report = check_files(str(HOST))
        runs["host"] = report.files, report.findings
    return runs


@pytest.mark.parametrize("trace", [*BUNDLED, *LARGER], ids=name_of)
def test_the_page_says_what_a_run_counts(trace: Path) -> None:
    files, findings = counted(trace)
    assert findings.broken == []
    assert figures(files, findings) == FIGURES[name_of(trace)]
    assert findings.checked[NUMA] == findings.checked[THRESHOLD] + files
    assert findings.passed[DRIFT] == 0


def test_the_page_sums_up_all_files() -> None:
    runs = all_runs()
    if not FIGURES.keys() - {"run", "all"} <= runs.keys():
        pytest.skip("the larger runs are not beside the checkout")
    assert FIGURES.keys() == {*runs, "run", "all"}
    assert figures(*runs["host"]) == FIGURES["host"]
    total = [sum(int(FIGURES[run][column]) for run in runs) for column in range(1, 7)]
    assert [int(cell) for cell in FIGURES["all"][1:]] == total
    assert total[1] == total[2] == 726


def test_a_drift_mark_stands_that_no_marks_make() -> None:
    """CPUs keep more than the threshold though none follows from the marks of any snapshot."""
    pressure = [trace for trace in LARGER if name_of(trace) == "a61-pressure-2cpu"]
    if not pressure:
        pytest.skip("the larger runs are not beside the checkout")
    _, findings = counted(pressure[0])
    assert findings.drifts[Outcome.PRESSURE] == 3
    assert {(row.found.cpus, row.found.seen) for row in findings.thresholds} == {(2, (4,))}
    zones = [zone for each in load(str(pressure[0]), None).readings for zone in each.zones]
    gaps = [zone.amounts["low"] - zone.amounts["min"] for zone in zones if zone.pagesets]
    assert min(gaps) >= 2 * 4


@pytest.mark.parametrize("trace", [*BUNDLED, *LARGER], ids=name_of)
def test_sums_of_numa_counters_agree_exactly(trace: Path) -> None:
    for each in load(str(trace), None).readings:
        zones = numastat.zones_counted(each.zones)
        counts = [[zone.amounts[word] for word in numastat.COUNTERS] for zone in zones]
        for hit, miss, _, local, other in counts:
            assert hit + miss == local + other
        assert sum(count[1] for count in counts) == sum(count[2] for count in counts)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_copied_files_hold(path: Path) -> None:
    findings = check_files(str(path)).findings
    assert findings.broken == []
    assert {row.found.why for row in findings.thresholds} == {Why.FORMULA}
