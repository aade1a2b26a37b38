"""Bad input gets one sentence and exit 2, never a traceback; lost events get exit 3."""

import lzma
import re
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.kernel.material import BUNDLED, altered, lines_of, place_of

from pagefuzz.cli._entry import run
from pagefuzz.exits import Exit

TRACE = BUNDLED[0]
SNAPSHOTS = TRACE.parent / "snaps.tar.xz"


def nothing(path: Path) -> None:
    path.write_bytes(b"")


def a_directory(path: Path) -> None:
    path.mkdir()


def binary(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 9)


def truncated(path: Path) -> None:
    path.write_bytes(TRACE.read_bytes()[:9000])


def corrupt(path: Path) -> None:
    data = bytearray(TRACE.read_bytes())
    data[9000:9100] = bytes(100)
    path.write_bytes(data)


def prose(path: Path) -> None:
    path.write_text("It was a dark and stormy night.\n" * 3)


def header_only(path: Path) -> None:
    path.write_text("# tracer: nop\n#\n# entries-in-buffer/entries-written: 0/0   #P:1\n")


def cut_in_a_line(path: Path) -> None:
    path.write_text("dd-1 [000] ..... 6.1: mm_page_free: page=(____ptrval____) pfn=0x2")


def huge_frame(path: Path) -> None:
    path.write_text("dd-1 [000] ..... 6.1: mm_page_free: pfn=0xffffffffffff order=0\n")


def absent(path: Path) -> None:
    assert not path.exists()


MAKERS = [
    nothing, a_directory, binary, truncated, corrupt, prose, header_only, cut_in_a_line,
    huge_frame, absent,
]  # fmt: skip


def sentence(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["check", *arguments]) == Exit.USAGE
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert captured.err.count("\n") == 1
    return captured.err


@pytest.mark.parametrize("make", MAKERS)
def test_a_bad_trace(
    make: Callable[[Path], None], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "trace.txt.xz"
    make(path)
    text = sentence(capfd, str(path))
    assert str(path) in text
    assert re.search("expected|cannot read", text)


@pytest.mark.parametrize("make", [*MAKERS[:6], absent])
def test_bad_snapshots(
    make: Callable[[Path], None], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "snaps.tar.xz"
    make(path)
    assert str(path) in sentence(capfd, str(TRACE), "--snapshots", str(path))


@pytest.mark.parametrize("make", [*MAKERS[:7], absent])
def test_bad_counters(
    make: Callable[[Path], None], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "trace-stats.txt"
    make(path)
    assert str(path) in sentence(capfd, str(TRACE), "--stats", str(path))


@pytest.mark.parametrize(
    ("part", "text", "where"),
    [
        ("free.ranges", "0x120 3808\n0x2a3d\n", "free.ranges:2"),
        ("free.ranges", "0x120 -3\n", "free.ranges:1"),
        ("free.ranges", "0x120 99999999999999\n", "free.ranges:1"),
        ("zoneinfo", "Node 0, zone DMA\n", "zoneinfo"),
        ("zoneinfo", None, "zoneinfo"),
        ("buddyinfo.a", "Node 0, zone DMA 1 x 2\n", "buddyinfo.a"),
        ("buddyinfo.a", "\n", "buddyinfo.a"),
        ("buddyinfo.a", None, "buddyinfo.a"),
    ],
)
def test_a_bad_snapshot_part(
    part: str, text: str | None, where: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with tarfile.open(SNAPSHOTS) as archive:
        archive.extractall(tmp_path, filter="data")
    path = next(tmp_path.rglob("01-start-ref")) / part
    path.unlink()
    if text is not None:
        path.write_text(text)
    text = sentence(capfd, str(TRACE), "--snapshots", str(tmp_path / "snaps"))
    assert f"01-start-ref/{where}" in text or where in text


def test_snapshots_that_the_trace_never_marks(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    unmarked = [line.replace("SNAP", "SNIP") for line in lines_of(TRACE)]
    assert "SNAP NAME end" in sentence(capfd, str(altered(TRACE, tmp_path, unmarked)))


def check(*arguments: str) -> tuple[int, str]:
    from pagefuzz.cli.check import command

    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    assert result.exception is None
    return int(result.return_value), result.stdout


def test_a_clean_run_says_held() -> None:
    code, out = check(str(TRACE))
    assert code == Exit.HELD
    assert "held (era 6.1; snapshots: 1 explained, 7 identical, 1 start)" in out
    assert "note:" not in out


def test_an_error_names_file_line_law_and_block(tmp_path: Path) -> None:
    lines = lines_of(TRACE)
    at = place_of(lines, lambda line: "mm_page_alloc: " in line and " order=0" in line)
    lines.insert(at, lines[at])
    path = altered(TRACE, tmp_path, lines)
    code, out = check(str(path))
    assert code == Exit.BROKEN
    assert re.search(
        rf"^{re.escape(str(path))}:{at + 2}: error: OUT-disjoint: mm_page_alloc pfn 0x\w+ order 0"
        rf" overlaps pfn 0x\w+ order 0, allocated at line {at + 1}, still live\.$",
        out,
        re.MULTILINE,
    )


def test_without_counters_there_is_no_loss_information(tmp_path: Path) -> None:
    path = altered(TRACE, tmp_path, lines_of(TRACE))
    (tmp_path / "trace-stats.txt").unlink()
    code, out = check(str(path))
    assert code == Exit.HELD
    assert "no loss information" in out


def test_without_snapshots_the_other_laws_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "trace.txt.xz"
    path.write_bytes(TRACE.read_bytes())
    code, out = check(str(path))
    assert code == Exit.HELD
    assert "no snapshots" in out
    assert re.search(r"BUD-partition\W+0\W+not checked", out)
    assert re.search(r"OUT-disjoint\W+\d+\W+held", out)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("overrun: 0", "overrun: 7"), ("dropped events: 0", "dropped events: 7")],
)
def test_counters_tell_loss(name: str, expected: str, tmp_path: Path) -> None:
    path = altered(TRACE, tmp_path, lines_of(TRACE))
    stats = tmp_path / "trace-stats.txt"
    text = stats.read_text()
    assert f"\n{name}" in text
    stats.write_text(text.replace(f"\n{name}", f"\n{expected}"))
    code, out = check(str(path))
    assert code == Exit.INCONCLUSIVE
    assert "7 events were lost according to the per-CPU counters" in out


def test_the_header_tells_loss(tmp_path: Path) -> None:
    path = altered(TRACE, tmp_path, lines_of(TRACE))
    entries = re.search(r"entries-written: (\d+)", path.read_text())
    assert entries
    total = int(entries[1])
    path.write_text(path.read_text().replace(f"{total}/{total}", f"{total}/{total + 9}"))
    code, out = check(str(path))
    assert code == Exit.INCONCLUSIVE
    assert "9 events were lost according to the header" in out


def test_a_loss_line_tells_loss(tmp_path: Path) -> None:
    lines = lines_of(TRACE)
    lines.insert(len(lines) // 2, "CPU:0 [LOST 3 EVENTS]")
    code, out = check(str(altered(TRACE, tmp_path, lines)))
    assert code == Exit.INCONCLUSIVE
    assert "3 events were lost according to [LOST EVENTS] lines" in out


def test_a_file_that_ends_early_is_inconclusive(tmp_path: Path) -> None:
    with lzma.open(TRACE, "rt") as stream:
        lines = stream.read().splitlines()
    path = tmp_path / "trace.txt"
    path.write_text("\n".join(lines[:-100]) + "\n")
    code, out = check(str(path), "--snapshots", str(SNAPSHOTS))
    assert code == Exit.INCONCLUSIVE
    assert "lacks 100 entries" in out


def test_a_misalignment_is_no_matter_of_loss(tmp_path: Path) -> None:
    lines = lines_of(TRACE)
    at = place_of(lines, lambda line: "mm_page_alloc: " in line and " order=1" in line)
    lines[at] = re.sub(r"pfn=0x[0-9a-f]+", "pfn=0x2c29", lines[at])
    lines.append("CPU:0 [LOST 3 EVENTS]")
    code, out = check(str(altered(TRACE, tmp_path, lines)))
    assert code == Exit.BROKEN
    assert "BUD-align" in out
