"""The null test: a trace whose blocks are dealt out anew must fail, loudly and for many reasons.

A check that passes real traces and shuffled ones alike would explain anything.
"""

from pathlib import Path

import pytest
from tests.kernel.material import (
    BUNDLED,
    LARGER,
    TYPE,
    altered,
    is_lossy,
    lines_of,
    name_of,
    reordered,
    shuffled,
)

from pagefuzz.exits import Exit
from pagefuzz.kernel import check_run
from pagefuzz.kernel.findings import LIFO, LIST, RETURN

FREE = {"mm_page_free"}
DRAIN = {"mm_page_pcpu_drain"}
TAKE = {"mm_page_alloc_zone_locked"}
LOUD = 100

# Drains that follow each other may come in any order, so only frees are dealt out anew here.
SMALL = [
    trace
    for trace in LARGER
    if not is_lossy(trace)
    and (trace.parent / "snaps.tar.xz").exists()
    and trace.stat().st_size < 200_000
]


@pytest.mark.parametrize("trace", BUNDLED, ids=name_of)
@pytest.mark.parametrize("kinds", [FREE, DRAIN, FREE | DRAIN], ids=["frees", "drains", "both"])
@pytest.mark.parametrize("seed", range(5))
def test_shuffled_blocks_break_laws(
    trace: Path, kinds: set[str], seed: int, tmp_path: Path
) -> None:
    report = check_run(altered(trace, tmp_path, shuffled(lines_of(trace), kinds, seed)))
    assert report.exit is Exit.BROKEN
    assert len(report.findings.broken) >= LOUD
    assert any(each.outcome == "unexplained" for each in report.findings.comparisons)


@pytest.mark.parametrize("trace", SMALL, ids=name_of)
def test_shuffled_frees_break_laws_on_other_machines(trace: Path, tmp_path: Path) -> None:
    report = check_run(altered(trace, tmp_path, shuffled(lines_of(trace), FREE, seed=0)))
    assert report.exit is Exit.BROKEN
    assert len(report.findings.broken) >= LOUD


@pytest.mark.parametrize("trace", BUNDLED, ids=name_of)
@pytest.mark.parametrize(("kinds", "law"), [(TAKE, LIST), (DRAIN, RETURN)], ids=["takes", "drains"])
@pytest.mark.parametrize("seed", range(5))
def test_shuffled_types_break_the_laws_of_types_alone(
    trace: Path, kinds: set[str], law: str, seed: int, tmp_path: Path
) -> None:
    report = check_run(altered(trace, tmp_path, shuffled(lines_of(trace), kinds, seed, TYPE)))
    assert report.exit is Exit.BROKEN
    assert sum(each.law == law for each in report.findings.broken) >= LOUD
    assert {each.law.partition("-")[0] for each in report.findings.broken} <= {"MT", "PCP"}


@pytest.mark.parametrize("trace", BUNDLED, ids=name_of)
@pytest.mark.parametrize("kind", ["mm_page_alloc", "mm_page_pcpu_drain", "mm_page_free"])
@pytest.mark.parametrize("seed", range(2))
def test_blocks_in_another_order_break_the_laws_of_lists_alone(
    trace: Path, kind: str, seed: int, tmp_path: Path
) -> None:
    """Every block is still taken, freed and drained at its time: the other laws cannot notice."""
    report = check_run(altered(trace, tmp_path, reordered(lines_of(trace), kind, seed)))
    assert report.exit is Exit.BROKEN
    assert sum(each.law == LIFO for each in report.findings.broken) >= LOUD
    assert {each.law.partition("-")[0] for each in report.findings.broken} == {"PCP"}


@pytest.mark.parametrize("trace", BUNDLED, ids=name_of)
def test_the_copy_alone_breaks_nothing(trace: Path, tmp_path: Path) -> None:
    report = check_run(altered(trace, tmp_path, lines_of(trace)))
    assert report.exit is Exit.HELD
