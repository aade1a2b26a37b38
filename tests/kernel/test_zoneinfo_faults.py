"""Faults planted in what a run counts are found at file and line, also where events were lost."""

import os
import random
import re
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest
from tests.kernel.material import BUNDLED, lines_of, unpack
from tests.kernel.test_check_command import check
from tests.kernel.zones import FILES, with_managed, written

from pagefuzz.cli._entry import run
from pagefuzz.exits import Exit
from pagefuzz.kernel.thresholds import Why
from pagefuzz.kernel.zonefiles import check_files

TRACE = BUNDLED[0]
"""One CPU: thresholds of 2 in DMA, and of 4 in DMA32 with 48,845 frames. Kswapd is never awake."""
NAME = "05-tmpfs-raw"  # read between others, and without its free set

Change = Callable[[str], str]


def check_with(into: Path, *changes: tuple[str, Change]) -> tuple[int, str]:
    """Check the run with some files of one snapshot changed."""
    unpack(TRACE.parent / "snaps.tar.xz", into)
    place = next(into.rglob(NAME))
    for part, change in changes:
        path = place / part
        text = path.read_text()
        changed = change(text)
        assert changed != text
        path.write_text(changed)
    return check(str(TRACE), "--snapshots", str(into / "snaps"))


def in_dma32(was: str, now: str) -> Change:
    def change(text: str) -> str:
        start = text.index("DMA32")
        return text[:start] + re.sub(was, now, text[start:], count=1)

    return change


def more_free(frames: int) -> Change:
    def change(text: str) -> str:
        found = re.search(r"(zone +DMA32 +)(\d+)", text)
        assert found
        return text.replace(found[0], f"{found[1]}{int(found[2]) + frames}")

    return change


def found_in(out: str, law: str, part: str = "zoneinfo") -> list[str]:
    errors = [line for line in out.splitlines() if ": error: " in line]
    assert all(re.search(rf"{NAME}/{part}:\d+: error: {law}: ", line) for line in errors)
    return errors


@pytest.mark.parametrize(
    ("law", "change"),
    [
        ("VM-threshold", in_dma32("threshold: 4", "threshold: 6")),
        ("VM-threshold", in_dma32("threshold: 4", "threshold: 3")),
        ("VM-threshold", in_dma32("managed +48845", "managed 30000")),
        ("VM-threshold", in_dma32("managed +48845", "managed 140000")),
        ("VM-numa", in_dma32("numa_hit +", "numa_hit 1")),
        ("VM-numa", in_dma32("numa_foreign +0", "numa_foreign 9")),
        ("VM-drift", in_dma32(r"nr_free_pages +(\d)", r"nr_free_pages 1\1")),
    ],
)
def test_a_fault_of_zoneinfo_is_found_in_its_zone(law: str, change: Change, tmp_path: Path) -> None:
    code, out = check_with(tmp_path, ("zoneinfo", change))
    assert code == Exit.BROKEN
    (error,) = found_in(out, law)
    assert "node 0 DMA32" in error or "all zones" in error


@pytest.mark.parametrize(("frames", "code"), [(4, Exit.HELD), (5, Exit.BROKEN)])
def test_lists_that_hold_more_than_a_cpu_may_keep(frames: int, code: Exit, tmp_path: Path) -> None:
    both = [(part, more_free(frames)) for part in ("buddyinfo.a", "buddyinfo.b")]
    found, out = check_with(tmp_path, *both)
    assert found == code
    assert len(found_in(out, "VM-drift")) == (code == Exit.BROKEN)


def test_lists_that_changed_while_they_were_read_are_passed_over(tmp_path: Path) -> None:
    code, out = check_with(tmp_path, ("buddyinfo.a", more_free(50)), ("buddyinfo.b", more_free(60)))
    assert code == Exit.HELD
    assert re.search(r"VM-drift\W+39 of 40\W+held", out)
    assert re.search(r"VM-drift\W+changed while it was read\W+1\b", out)


def test_a_stale_threshold_gets_a_note(tmp_path: Path) -> None:
    code, out = check_with(tmp_path, ("zoneinfo", in_dma32("managed +48845", "managed 66000")))
    assert code == Exit.HELD
    assert (
        "note: node 0 DMA32: threshold 4, by the formula 6: stale: right for 65535 frames,"
        " 465 (1.8 MiB) less; boot freed these later; in 1 snapshot." in out
    )


def test_lost_events_excuse_no_threshold(tmp_path: Path) -> None:
    unpack(TRACE.parent / "snaps.tar.xz", tmp_path)
    path = next(tmp_path.rglob(NAME)) / "zoneinfo"
    path.write_text(in_dma32("threshold: 4", "threshold: 6")(path.read_text()))
    trace = written(tmp_path, "\n".join([*lines_of(TRACE), "CPU:0 [LOST 3 EVENTS]", ""]), "trace")
    code, out = check(str(trace), "--snapshots", str(tmp_path / "snaps"))
    assert code == Exit.BROKEN
    assert len(found_in(out, "VM-threshold")) == 1


def test_a_directory_of_files_is_judged_file_by_file() -> None:
    report = check_files(str(FILES[0].parent))
    assert (report.files, report.exit, report.findings.broken) == (3, Exit.HELD, [])
    assert [row.found.seen for row in report.findings.thresholds] == [
        *((8,), (48,)),
        *((6,), (12,), (12,)),
        *((4,), (24,), (24,)),
    ]
    assert {row.found.why for row in report.findings.thresholds} == {Why.FORMULA}


def test_the_command_shows_zone_by_zone_what_is_wrong(tmp_path: Path) -> None:
    text = with_managed(FILES[1].read_text(), 50684, 30000)
    path = written(tmp_path, text, "zoneinfo-of-a-friend")
    code, out = check(str(tmp_path))
    assert code == Exit.BROKEN
    line = 1 + text[: text.index("managed  30000")].count("\n")
    (error,) = (row for row in out.splitlines() if ": error: " in row)
    place, at = error.split(": error: ")[0].rsplit(":", 1)
    assert place == str(path)
    assert 0 < line - int(at) < 20  # the zone's heading
    assert re.search(r"node 0 DMA32\W+4\W+30,000\W+12\W+6\W+unexplained", out)
    assert re.search(r"node 1 DMA32\W+4\W+64,281\W+12\W+12\W+the formula", out)


def test_a_kernel_for_one_cpu_gives_no_verdict(tmp_path: Path) -> None:
    text = re.sub(r"  vm stats threshold: \d+\n", "", FILES[0].read_text())
    code, out = check(str(written(tmp_path, text)))
    assert code == Exit.INCONCLUSIVE
    assert "note: no zone has a line 'vm stats threshold'" in out


@pytest.mark.parametrize("seed", range(5))
def test_thresholds_dealt_out_anew_are_found(seed: int, tmp_path: Path) -> None:
    """Every zone that gets another number is found, and no other."""
    texts = [path.read_text() for path in FILES]
    pieces = [re.split(r"(?m)^(?=Node )", text)[1:] for text in texts]
    zones = [(file, at) for file, each in enumerate(pieces) for at in range(len(each))]
    places = [(file, at) for file, at in zones if "threshold" in pieces[file][at]]
    values = [int(re.findall(r"threshold: (\d+)", pieces[file][at])[0]) for file, at in places]
    dealt = random.Random(seed).sample(values, len(values))
    for (file, at), value in zip(places, dealt, strict=True):
        pieces[file][at] = re.sub(r"threshold: \d+", f"threshold: {value}", pieces[file][at])
    for file, each in enumerate(pieces):
        written(tmp_path, "".join(each), f"zoneinfo{file}")
    whys = [row.found.why for row in check_files(str(tmp_path)).findings.thresholds]
    changed = [value != was for value, was in zip(dealt, values, strict=True)]
    assert [why is Why.NOTHING for why in whys] == changed


@pytest.mark.parametrize(
    ("path", "what"), [(FILES[0], "-: held (1 file)"), (TRACE, "snapshots: none)")]
)
def test_standard_input_is_either(
    path: Path, what: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with path.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert run(["check", "-"]) == Exit.HELD
    assert what in capfd.readouterr().out


def test_a_named_pipe_is_read_once(tmp_path: Path) -> None:
    """A look at how it begins would take that from the trace."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=lambda: pipe.write_bytes(TRACE.read_bytes()), daemon=True)
    writer.start()
    code, out = check(str(pipe))
    writer.join(10)
    assert code == Exit.HELD
    assert re.search(r"OUT-disjoint\W+[1-9]\d+\W+held", out)
