"""One altered line in a real trace: each must be reported, with a law that fits and a line.

The altered lines are chosen by what they are, never by number, so that any run may be bundled.
"""

from pathlib import Path

import pytest
from tests.kernel.material import (
    BUNDLED,
    Lines,
    check_altered,
    kind_of,
    lines_of,
    pfn_of,
    place_of,
    start_of,
    with_order,
    with_pfn,
)

from pagefuzz.exits import Exit
from pagefuzz.kernel.findings import (
    ALIGN,
    DISJOINT,
    EXPAND,
    INSIDE,
    LIFO,
    PARTITION,
    REFUSE,
    Report,
)

pytestmark = pytest.mark.parametrize("trace", BUNDLED, ids=[trace.parent.name for trace in BUNDLED])


def broken(report: Report) -> set[str]:
    assert report.exit is Exit.BROKEN
    return {finding.law for finding in report.breaches}


def is_page(kind: str, order: int = 0) -> "Wanted":
    return Wanted(kind, order)


class Wanted:
    def __init__(self, kind: str, order: int) -> None:
        self.kind, self.order = kind, order

    def __call__(self, line: str) -> bool:
        return kind_of(line) == self.kind and f" order={self.order}" in line and pfn_of(line) > 0


def later(lines: Lines, kind: str, pfn: int, after: int) -> int:
    return place_of(lines, lambda line: kind_of(line) == kind and pfn_of(line) == pfn, after)


def test_a_drain_dropped(trace: Path, tmp_path: Path) -> None:
    lines = lines_of(trace)
    at = place_of(lines, is_page("mm_page_pcpu_drain"), start_of(lines))
    del lines[at]
    assert PARTITION in broken(check_altered(trace, tmp_path, lines))


def test_a_drain_repeated(trace: Path, tmp_path: Path) -> None:
    lines = lines_of(trace)
    at = place_of(lines, is_page("mm_page_pcpu_drain"), start_of(lines))
    lines.insert(at, lines[at])
    assert PARTITION in broken(check_altered(trace, tmp_path, lines))


def test_an_allocation_before_its_block_leaves_the_buddy(trace: Path, tmp_path: Path) -> None:
    lines = lines_of(trace)
    at = place_of(lines, is_page("mm_page_alloc_zone_locked"), start_of(lines))
    alloc = later(lines, "mm_page_alloc", pfn_of(lines[at]), at)
    lines[at], lines[alloc] = lines[alloc], lines[at]
    assert PARTITION in broken(check_altered(trace, tmp_path, lines))


def test_an_allocation_before_the_free(trace: Path, tmp_path: Path) -> None:
    lines = lines_of(trace)
    born: set[int] = set()
    freed: dict[int, int] = {}
    for at in range(start_of(lines), len(lines)):
        pfn = pfn_of(lines[at])
        if is_page("mm_page_alloc")(lines[at]):
            if pfn in freed:
                lines[at], lines[freed[pfn]] = lines[freed[pfn]], lines[at]
                break
            born.add(pfn)
        elif kind_of(lines[at]) == "mm_page_free" and pfn in born:
            freed[pfn] = at
    assert DISJOINT in broken(check_altered(trace, tmp_path, lines))


def test_an_allocation_repeated(trace: Path, tmp_path: Path) -> None:
    lines = lines_of(trace)
    at = place_of(lines, is_page("mm_page_alloc"), start_of(lines))
    lines.insert(at + 1, lines[at])
    report = check_altered(trace, tmp_path, lines)
    assert {each for each in broken(report) if not each.startswith("PCP")} == {DISJOINT}
    assert [each.line for each in report.breaches if each.law == DISJOINT] == [at + 2]


def test_a_free_repeated_at_once(trace: Path, tmp_path: Path) -> None:
    lines = lines_of(trace)
    at = place_of(lines, is_page("mm_page_free"), start_of(lines))
    lines.insert(at + 1, lines[at])
    report = check_altered(trace, tmp_path, lines)
    assert broken(report) == {REFUSE}
    assert [finding.line for finding in report.breaches] == [at + 2]


def test_a_free_repeated_after_the_drain(trace: Path, tmp_path: Path) -> None:
    lines = lines_of(trace)
    frees: dict[int, str] = {}
    for at in range(start_of(lines), len(lines)):
        pfn = pfn_of(lines[at])
        if is_page("mm_page_free")(lines[at]):
            frees[pfn] = lines[at]
        elif is_page("mm_page_pcpu_drain")(lines[at]) and pfn in frees:
            lines.insert(at + 1, frees[pfn])
            break
    assert REFUSE in broken(check_altered(trace, tmp_path, lines))


@pytest.mark.parametrize(
    "kind", ["mm_page_alloc", "mm_page_free", "mm_page_alloc_zone_locked", "mm_page_pcpu_drain"]
)
def test_a_misaligned_block(trace: Path, kind: str, tmp_path: Path) -> None:
    lines = lines_of(trace)
    odd = place_of(
        lines, lambda line: kind_of(line) == kind and pfn_of(line) % 2 == 1, start_of(lines)
    )
    lines[odd] = with_order(lines[odd], 1)
    assert ALIGN in broken(check_altered(trace, tmp_path, lines))


def test_an_order_beyond_the_top(trace: Path, tmp_path: Path) -> None:
    lines = lines_of(trace)
    at = place_of(lines, is_page("mm_page_alloc"), start_of(lines))
    lines[at] = with_pfn(with_order(lines[at], 11), 0x4000)
    assert ALIGN in broken(check_altered(trace, tmp_path, lines))


def test_a_frame_outside_of_every_zone(trace: Path, tmp_path: Path) -> None:
    lines = lines_of(trace)
    at = place_of(lines, is_page("mm_page_alloc"), start_of(lines))
    lines[at] = with_pfn(lines[at], 0x1000000)
    assert INSIDE in broken(check_altered(trace, tmp_path, lines))


def test_a_refill_of_a_larger_order(trace: Path, tmp_path: Path) -> None:
    lines = lines_of(trace)
    at = place_of(
        lines,
        lambda line: is_page("mm_page_alloc_zone_locked")(line) and pfn_of(line) % 2 == 0,
        start_of(lines),
    )
    lines[at] = with_order(lines[at], 1)
    assert PARTITION in broken(check_altered(trace, tmp_path, lines))


def test_a_free_of_more_than_was_allocated(trace: Path, tmp_path: Path) -> None:
    lines = lines_of(trace)
    born: set[int] = set()
    for at in range(start_of(lines), len(lines)):
        pfn = pfn_of(lines[at])
        if is_page("mm_page_alloc")(lines[at]) and pfn % 2 == 0:
            born.add(pfn)
        elif is_page("mm_page_free")(lines[at]) and pfn in born:
            lines[at] = with_order(lines[at], 1)
            break
    assert REFUSE in broken(check_altered(trace, tmp_path, lines))


def test_the_upper_half_of_a_split(trace: Path, tmp_path: Path) -> None:
    lines = lines_of(trace)
    at = start_of(lines)
    while True:  # two refills in a row, the first of a pair of buddies before the second
        at = place_of(lines, is_page("mm_page_alloc_zone_locked"), at)
        lower, upper = pfn_of(lines[at]), pfn_of(lines[at + 1])
        if lower % 2 == 0 and upper == lower + 1:
            break
        at += 1
    lines[at], lines[at + 1] = lines[at + 1], lines[at]
    assert broken(check_altered(trace, tmp_path, lines)) == {EXPAND, LIFO}


def test_a_zone_locked_event_dropped(trace: Path, tmp_path: Path) -> None:
    lines = lines_of(trace)
    at = place_of(lines, is_page("mm_page_alloc_zone_locked"), start_of(lines))
    del lines[at]
    assert PARTITION in broken(check_altered(trace, tmp_path, lines))
