"""One altered type in a real run, in an event or in a snapshot: the law that fits must break."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.kernel.material import (
    BUNDLED,
    LARGER,
    Lines,
    altered,
    check_altered,
    kind_of,
    lines_of,
    name_of,
    place_of,
    start_of,
    type_of,
    unpack,
    with_pfn,
    with_type,
)

from pagefuzz.exits import Exit
from pagefuzz.kernel import Report, check_run
from pagefuzz.kernel.findings import (
    BLOCK_COUNT,
    EXTFRAG,
    FALLBACK,
    FREE_COUNT,
    LIST,
    NUMBER,
    PARTITION,
    RETURN,
)

TAKE, DRAIN, STEAL = "mm_page_alloc_zone_locked", "mm_page_pcpu_drain", "mm_page_alloc_extfrag"

every_run = pytest.mark.parametrize("trace", BUNDLED, ids=name_of)
steals = pytest.mark.parametrize(
    "trace",
    [trace for trace in BUNDLED if any(kind_of(line) == STEAL for line in lines_of(trace))],
    ids=name_of,
)


def broken(report: Report) -> set[str]:
    assert report.exit is Exit.BROKEN
    return {finding.law for finding in report.breaches}


def nth(lines: Lines, kind: str, number: int) -> int:
    """The index of an event of a kind, counted from the start of the replay."""
    at = start_of(lines)
    for _ in range(number):
        at = place_of(lines, lambda line: kind_of(line) == kind, at) + 1
    return at - 1


@every_run
@pytest.mark.parametrize(("kind", "law"), [(TAKE, LIST), (DRAIN, RETURN)])
@pytest.mark.parametrize("number", [50, 100, 150, 200, 250])
def test_another_type(trace: Path, kind: str, law: str, number: int, tmp_path: Path) -> None:
    lines = lines_of(trace)
    at = nth(lines, kind, number)
    lines[at] = with_type(lines[at], (type_of(lines[at]) + 1) % 3)
    report = check_altered(trace, tmp_path, lines)
    assert law in broken(report)
    assert (law, at + 1) in {(each.law, each.line) for each in report.breaches}


@every_run
@pytest.mark.parametrize("kind", [TAKE, DRAIN])
@pytest.mark.parametrize("number", [9, -1])
def test_a_number_that_is_no_type(trace: Path, kind: str, number: int, tmp_path: Path) -> None:
    lines = lines_of(trace)
    at = nth(lines, kind, 9)
    lines[at] = with_type(lines[at], number)
    report = check_altered(trace, tmp_path, lines)
    assert [each.line for each in report.breaches if each.law == NUMBER] == [at + 1]


@every_run
@pytest.mark.parametrize("number", [3, 77, -1, 1 << 70])
@pytest.mark.parametrize("pfn", [None, 0], ids=["served", "failed"])
def test_a_type_that_no_request_may_have(
    trace: Path, number: int, pfn: int | None, tmp_path: Path
) -> None:
    lines = lines_of(trace)
    at = nth(lines, "mm_page_alloc", 9)
    lines[at] = with_type(lines[at], number)
    if pfn is not None:
        lines[at] = with_pfn(lines[at], pfn)
    report = check_altered(trace, tmp_path, lines)
    assert [each.line for each in report.breaches if each.law == NUMBER] == [at + 1]
    assert report.exit is Exit.BROKEN


@every_run
@pytest.mark.parametrize(("kind", "law"), [(TAKE, LIST), (DRAIN, RETURN)])
def test_a_reserve_that_no_snapshot_counts(
    trace: Path, kind: str, law: str, tmp_path: Path
) -> None:
    lines = lines_of(trace)
    at = nth(lines, kind, 100)
    lines[at] = with_type(lines[at], 3)
    assert law in broken(check_altered(trace, tmp_path, lines))


@steals
@pytest.mark.parametrize(
    ("field", "value", "law"),
    [
        ("pageblock_order", 8, EXTFRAG),
        ("fragmenting", 1, EXTFRAG),
        ("change_ownership", 0, EXTFRAG),
        ("fallback_order", 2, EXTFRAG),
        ("fallback_order", 11, EXTFRAG),
        ("alloc_migratetype", 1, EXTFRAG),
        ("alloc_migratetype", 3, EXTFRAG),
        ("fallback_migratetype", 0, EXTFRAG),
        ("fallback_migratetype", 4, EXTFRAG),
        ("fallback_migratetype", 2, FALLBACK),
        ("alloc_migratetype", 2, FALLBACK),
        ("fallback_order", 9, FALLBACK),
        ("alloc_order", 2, FALLBACK),
    ],
)
def test_another_fallback(trace: Path, field: str, value: int, law: str, tmp_path: Path) -> None:
    lines = lines_of(trace)
    at = nth(lines, STEAL, 1)
    lines[at], count = re.subn(rf"\b{field}=\d+", f"{field}={value}", lines[at])
    assert count == 1
    assert law in broken(check_altered(trace, tmp_path, lines))


@steals
def test_a_fallback_dropped(trace: Path, tmp_path: Path) -> None:
    lines = lines_of(trace)
    del lines[nth(lines, STEAL, 1)]
    assert {LIST, BLOCK_COUNT} <= broken(check_altered(trace, tmp_path, lines))


@steals
def test_a_fallback_that_serves_nobody(trace: Path, tmp_path: Path) -> None:
    lines = lines_of(trace)
    del lines[nth(lines, STEAL, 1) + 1]
    assert {FALLBACK, PARTITION} <= broken(check_altered(trace, tmp_path, lines))


@steals
def test_a_fallback_that_nothing_called_for(trace: Path, tmp_path: Path) -> None:
    lines = lines_of(trace)
    at = nth(lines, STEAL, 1)
    lines.insert(nth(lines, TAKE, 30), lines[at])
    assert FALLBACK in broken(check_altered(trace, tmp_path, lines))


@pytest.mark.parametrize(
    "trace", [trace for trace in LARGER if name_of(trace) == "b612-oom-2cpu"], ids=name_of
)
@pytest.mark.parametrize("seed", range(2))
def test_shuffled_fallbacks(trace: Path, seed: int, tmp_path: Path) -> None:
    lines = lines_of(trace)
    places = [at for at, line in enumerate(lines) if kind_of(line) == STEAL]
    orders = [re.findall(r"fallback_order=\d+", lines[at])[0] for at in places]
    moved = orders[seed + 1 :] + orders[: seed + 1]
    for at, order in zip(places, moved, strict=True):
        lines[at] = re.sub(r"fallback_order=\d+", order, lines[at])
    report = check_run(altered(trace, tmp_path, lines))
    assert sum(each.law in (FALLBACK, EXTFRAG) for each in report.breaches) >= 50


def check_with_counts(trace: Path, into: Path, change: Callable[[str], str]) -> Report:
    """Check a run of which one snapshot's pagetypeinfo is changed."""
    path = altered(trace, into, lines_of(trace))
    (into / "snaps.tar.xz").unlink()
    unpack(trace.parent / "snaps.tar.xz", into)
    counts = into / "snaps" / "05-tmpfs-ref" / "pagetypeinfo"
    text = counts.read_text()
    counts.write_text(change(text))
    assert counts.read_text() != text
    return check_run(path)


@every_run
def test_a_free_block_counted_on_another_list(trace: Path, tmp_path: Path) -> None:
    def change(text: str) -> str:
        rows = text.splitlines()
        taken = place_of(rows, lambda row: "zone    DMA32, type      Movable" in row)
        given = place_of(rows, lambda row: "zone    DMA32, type    Unmovable" in row)
        for at, more in ((taken, -1), (given, 1)):
            count = int(rows[at].split()[-1]) + more
            rows[at] = re.sub(r"\d+\s*$", str(count), rows[at])
        return "\n".join(rows)

    assert broken(check_with_counts(trace, tmp_path, change)) == {FREE_COUNT}


@every_run
def test_a_pageblock_counted_as_another_type(trace: Path, tmp_path: Path) -> None:
    def change(text: str) -> str:
        row = re.search(r"^Node 0, zone    DMA32 .*$", text, re.MULTILINE)
        assert row
        first, second, *others = map(int, row[0].split()[4:])
        counts = " ".join(map(str, (first + 1, second - 1, *others)))
        return text.replace(row[0], f"Node 0, zone    DMA32 {counts}")

    assert broken(check_with_counts(trace, tmp_path, change)) == {BLOCK_COUNT}
