"""Runs of compaction in real traces: one altered event is noticed."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.kernel.material import (
    BUNDLED,
    Lines,
    check_altered,
    kind_of,
    lines_of,
    name_of,
    place_of,
)

from pagefuzz.kernel import check_run
from pagefuzz.kernel.compaction_run import BEGIN, END, FINISHED, FREE, MIGRATE, MOVED
from pagefuzz.kernel.findings import (
    CMP_FREE,
    CMP_RANGE,
    CMP_RESULT,
    CMP_SCAN,
    CMP_STEPS,
    CMP_UNDO,
)

every_run = pytest.mark.parametrize("trace", BUNDLED, ids=name_of)


def compacting(trace: Path) -> Lines:
    """The trace from the first run of compaction on: what goes before says little of it."""
    lines = lines_of(trace)
    return lines[place_of(lines, lambda line: kind_of(line) == BEGIN) :]


def laws_broken(trace: Path, into: Path, lines: Lines) -> set[str]:
    """The laws that events alone break, without any snapshot."""
    (into / "version").write_bytes((trace.parent / "version").read_bytes())
    (into / "trace.txt").write_text("\n".join(lines) + "\n")
    return {each.law for each in check_run(into / "trace.txt").breaches}


@every_run
def test_an_unaltered_run_breaks_nothing(trace: Path, tmp_path: Path) -> None:
    assert laws_broken(trace, tmp_path, compacting(trace)) == set()


def changed(pattern: str, new: str | Callable[[re.Match[str]], str]) -> Callable[[str], str]:
    return lambda line: re.sub(pattern, new, line, count=1)


def _shifted(match: re.Match[str]) -> str:
    first, end = (int(each, 16) - 0x200 for each in match.groups())
    return f"range=({first:#x} ~ {end:#x})"


RANGE = r"range=\((\w+) ~ (\w+)\)"
YIELDS = r"nr_taken=[1-9]"
FAULTS: dict[str, tuple[str, str, Callable[[str], str], str]] = {
    "free range moved down": (FREE, YIELDS, changed(RANGE, _shifted), CMP_RANGE),
    "migration range moved down": (MIGRATE, YIELDS, changed(RANGE, _shifted), CMP_RANGE),
    "too many targets taken": (FREE, YIELDS, changed("nr_taken=", "nr_taken=9"), CMP_SCAN),
    "fewer targets taken": (FREE, YIELDS, changed(r"nr_taken=\d+", "nr_taken=1"), CMP_UNDO),
    "too many scanned": (FREE, "", changed("nr_scanned=", "nr_scanned=9"), CMP_SCAN),
    "too many sources taken": (MIGRATE, "", changed(r"nr_taken=\d+", "nr_taken=600"), CMP_SCAN),
    "one more moved": (MOVED, "", changed("nr_migrated=", "nr_migrated=9"), CMP_UNDO),
    "begun elsewhere": (BEGIN, "", changed("free_pfn=0xe00", "free_pfn=0xc00"), CMP_RANGE),
    "given up after all": (END, "", changed("status=complete", "status=contended"), CMP_RESULT),
    "finished too early": (FINISHED, "", changed("ret=continue", "ret=complete"), CMP_STEPS),
    "ended apart": (END, "", changed("free_pfn=0xe00", "free_pfn=0x1000"), CMP_RESULT),
}


@every_run
@pytest.mark.parametrize("fault", FAULTS)
def test_an_altered_event_breaks_a_law(trace: Path, fault: str, tmp_path: Path) -> None:
    kind, wanted, change, law = FAULTS[fault]
    lines = compacting(trace)
    at = place_of(lines, lambda line: kind_of(line) == kind and bool(re.search(wanted, line)))
    assert change(lines[at]) != lines[at]
    lines[at] = change(lines[at])
    assert law in laws_broken(trace, tmp_path, lines)


@every_run
def test_targets_where_nothing_is_free(trace: Path, tmp_path: Path) -> None:
    lines = lines_of(trace)
    at = place_of(lines, lambda line: kind_of(line) == FREE and "nr_taken=0" in line)
    lines[at] = re.sub(r"nr_taken=\d+", "nr_taken=1", lines[at])
    assert CMP_FREE in {each.law for each in check_altered(trace, tmp_path, lines).breaches}


@every_run
@pytest.mark.parametrize("kind", [BEGIN, END, FINISHED, MOVED])
def test_a_missing_event_breaks_the_order(trace: Path, kind: str, tmp_path: Path) -> None:
    lines = compacting(trace)
    # The first event of a task may have come before a trace, but not the begin of its second run.
    first = place_of(lines, lambda line: kind_of(line) == kind, after=1)
    del lines[first]
    assert CMP_STEPS in laws_broken(trace, tmp_path, lines)


@every_run
def test_targets_before_sources_break_the_order(trace: Path, tmp_path: Path) -> None:
    lines = compacting(trace)
    at = place_of(lines, lambda line: kind_of(line) == FREE)
    lines[at - 1], lines[at] = lines[at], lines[at - 1]
    assert CMP_STEPS in laws_broken(trace, tmp_path, lines)
