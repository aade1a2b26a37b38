"""Bad input gets one sentence and exit 2, never a traceback."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.kernel.material import BUNDLED, altered, lines_of, unpack

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
    # As all other commands' sentences, which end with what was got.
    assert not captured.err.endswith(".\n")
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
        ("pagetypeinfo", "It was a dark night.\n", "pagetypeinfo:1"),
        ("pagetypeinfo", "", "pagetypeinfo:1"),
        ("pagetypeinfo", "Page block order: 9\n\nNumber of\n", "pagetypeinfo:3"),
        (
            "pagetypeinfo",
            "Page block order: 99\nNumber of blocks type Movable\nNode 0, zone DMA 1\n",
            "pagetypeinfo",
        ),
    ],
)
def test_a_bad_snapshot_part(
    part: str, text: str | None, where: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    unpack(SNAPSHOTS, tmp_path)
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
