"""What `pagefuzz check` prints and returns: findings, notes, and exit 3 where events were lost."""

import lzma
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.kernel.material import BUNDLED, altered, lines_of, place_of, unpack

from pagefuzz.cli.check import command
from pagefuzz.exits import Exit

TRACE = BUNDLED[0]
SNAPSHOTS = TRACE.parent / "snaps.tar.xz"


def check(*arguments: str) -> tuple[int, str]:
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


def without_types(where: Callable[[str], bool], into: Path) -> str:
    """Unpack the run's snapshots, leaving out the pagetypeinfo of some."""
    unpack(SNAPSHOTS, into, lambda path: path.name == "pagetypeinfo" and where(path.parent.name))
    return str(into / "snaps")


TYPED = ("MT-list", "MT-return", "MT-free", "MT-pageblocks")


def test_types_are_not_judged_without_any_pagetypeinfo_and_a_note_says_so(tmp_path: Path) -> None:
    code, out = check(str(TRACE), "--snapshots", without_types(lambda _: True, tmp_path))
    assert code == Exit.HELD
    assert (
        "note: types are not judged, but for those of requests: no snapshot has a pagetypeinfo."
        in out
    )
    for law in TYPED:
        assert re.search(rf"{law}\W+0\W+not checked", out), law
    assert re.search(r"MT-number\W+[1-9]\d*\W+held", out)


def test_one_pagetypeinfo_anywhere_is_enough(tmp_path: Path) -> None:
    """The note names the marked snapshots that lack it, and only these."""
    last = "09-compact-ref"
    where = without_types(lambda name: name != last, tmp_path)
    code, out = check(str(TRACE), "--snapshots", where)
    assert code == Exit.HELD
    (note,) = (line for line in out.splitlines() if line.startswith("note:"))
    assert "MT-free and MT-pageblocks are not judged at 01-start-ref, 02-dd-ref" in note
    assert last not in note
    for law in TYPED:
        assert re.search(rf"{law}\W+[1-9][ \w]*\W+held", out), law


def test_a_release_whose_types_have_other_rules_gets_a_note(tmp_path: Path) -> None:
    path = altered(TRACE, tmp_path, lines_of(TRACE))
    (tmp_path / "version").write_text("Linux version 5.15.0\n")
    _, out = check(str(path))
    assert "types are not judged, but for those of requests: their rules are known for 6.0" in out


@pytest.mark.parametrize(
    ("extra", "note"),
    [
        (["It was a dark night."], "1 line is no event, first line "),
        (["It was a dark night."] * 2, "2 lines are no events, first line "),
        (
            ["CPU:0 [LOST 1 EVENTS]"],
            "1 event was lost according to [LOST EVENTS] lines: 0 ",
        ),
        (["CPU:0 [LOST 2 EVENTS]"], "2 events were lost according to [LOST EVENTS] lines: 0 "),
    ],
)
def test_one_is_told_in_the_singular(extra: list[str], note: str, tmp_path: Path) -> None:
    path = altered(TRACE, tmp_path, lines_of(TRACE))
    with path.open("a") as stream:
        stream.writelines(f"{line}\n" for line in extra)
    assert f"note: {note}" in check(str(path))[1]


@pytest.mark.parametrize(("cut", "entries"), [(1, "1 entry"), (2, "2 entries")])
def test_missing_entries_are_counted(cut: int, entries: str, tmp_path: Path) -> None:
    path = altered(TRACE, tmp_path, lines_of(TRACE))
    path.write_text("\n".join(path.read_text().splitlines()[:-cut]) + "\n")
    assert f"the file lacks {entries} of those" in check(str(path))[1]
