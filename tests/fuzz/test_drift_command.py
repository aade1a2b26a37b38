"""`pagefuzz drift` as a command: tables and answers, or one sentence about what is wrong."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from pagefuzz.cli._entry import run
from pagefuzz.cli.drift import Zone
from pagefuzz.exits import Exit
from pagespec.vmstat.machine import CountedZone
from pagespec.vmstat.numa import NUMA_DESIGNS

Capture = pytest.CaptureFixture[str]


def ran(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    code = run(["drift", *arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return code, out, err


def cells_of(out: str) -> list[list[str]]:
    """The rows of all tables, cell by cell."""
    rows = [line.split("│")[1:-1] for line in out.splitlines() if line.startswith("│")]
    return [[cell.strip() for cell in row] for row in rows]


def test_the_command_prints_tables_and_answers(capsys: Capture) -> None:
    """Without options it is the machine of the review; all zones, thresholds and CPUs have rows."""
    code, out, err = ran(capsys)
    rows = cells_of(out)

    assert (code, err) == (Exit.HELD, "")
    assert ["0", "0", "31,744", "4,031", "12,157", "20,283", "125", "72", "34,283"] in rows
    assert ["125", "normal", "14,000", "54.7", "5.32", "0.0831", "200"] in rows
    assert ["32,765", "s16-draft", "3,669,680", "14,335", "0.0203", "0.000001", "0.946"] in rows
    assert ["112", "125", "14,000", "54.7", "1.72"] in [row[:5] for row in rows]
    assert [row[0] for row in rows if len(row) == 9 and row[1] in ("110", "125")][-2:] == [
        "512",
        "1,024",
    ]
    assert "Why can't all counters" in out
    assert "Does the normal threshold scale" in out
    assert "Not shown here: cycles" in out


def test_tables_fit_a_terminal(capsys: Capture) -> None:
    """No line of any table or answer is wider than 80 or 100 columns."""
    lines = ran(capsys)[1].splitlines()

    assert max(len(line) for line in lines if line[:1] in "┏┃┡│└") <= 80
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize(
    ("arguments", "note"),
    [
        (["--zone", "1"], "can never be free in zone 0 (48 of 1 page), so"),
        (["--zone", "47"], "zone 0 (48 of 47 pages)"),
        (["--zone", "49"], ""),
        (["--min-free", "4294967295"], "zone 0 (805,306,365 of 8,126,464 pages), zone 1 ("),
        (["--zone", "1G"], ""),
        (["--zone", "100", "--min-free", "264"], ""),
        (["--zone", "98", "--min-free", "264"], "zone 0 (98 of"),
    ],
)
def test_marks_beyond_the_memory_are_noted(
    arguments: list[str], note: str, capsys: Capture
) -> None:
    """One sentence above the tables, where the high mark can never be passed.

    By hand, 264 KiB are 66 pages, and a mark more is a quarter of them each.
    """
    code, out, _ = ran(capsys, *arguments)
    head = " ".join(out.partition("marks and thresholds")[0].split())

    assert code == Exit.HELD
    assert note in head
    assert head.count("More pages than the high mark") == (1 if note else 0)


@pytest.mark.parametrize(
    "arguments",
    [
        *([], ["--zone", "16T", "--cpus", "1"], ["--zone", "1"]),
        ["--min-free", "4294967295", "--cpus", "1"],
    ],
)
def test_no_number_is_a_power_or_hard_to_read(arguments: list[str], capsys: Capture) -> None:
    """No power of ten anywhere, and in sentences a small number is a share or once in so many."""
    _, out, _ = ran(capsys, *arguments)
    sentences = " ".join(line for line in out.splitlines() if line[:1] not in "┏┃┡│└")

    assert not re.search(r"\de[-+]\d", out)
    assert not re.search(r"\b0\.\d+ times|\b0\.000", sentences)


@pytest.mark.parametrize("columns", [20, 40, 80])
def test_a_terminal_cuts_no_number(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """However narrow it is, all numbers of a large machine are there, as when piped."""
    arguments = ("--cpus", "1024", "--zone", "16384G", "--zone", "100")
    piped = ran(capsys, *arguments)[1]
    monkeypatch.setenv("FORCE_COLOR", "1")  # by which rich takes a pipe for a terminal
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = ran(capsys, *arguments)[1]

    assert "\x1b" not in shown
    assert numbers_in(piped) - numbers_in(shown) == Counter()
    assert max(map(len, table_lines(shown))) > columns


def numbers_in(out: str) -> Counter[str]:
    return Counter(cell for row in cells_of(out) for cell in row if re.fullmatch(r"[\d,.]+", cell))


def table_lines(out: str) -> list[str]:
    return [line for line in out.splitlines() if line[:1] in "┏┃┡│└" and line]


def test_what_is_asked_for_is_what_is_shown(capsys: Capture) -> None:
    """Zones, nodes, CPUs, era, marks and design come from the options."""
    zones = ("--zone", "256M@3", "--zone", "100000")
    others = ("--cpus", "8", "--era", "6.1", "--min-free", "1024", "--design", "u16")
    code, out, _ = ran(capsys, *zones, *others)
    rows = cells_of(out)

    assert code == Exit.HELD
    assert out.startswith(
        "8 CPUs; zones: 256 MiB on node 3, 391 MiB on node 0; era 6.1, min_free_kbytes 1,024\n"
    )
    # 256 pages stand for 1,024 KiB, shared in proportion; 65,536 of 165,536 frames get 101
    assert ["0", "3", "256", "101", "166", "231"] in [row[:6] for row in rows]
    assert [row[0] for row in rows if row[0] in NUMA_DESIGNS] == ["u16"]
    assert not [row for row in rows if row[0] == "32,765"]
    assert out.count("in a zone of 391 MiB") == 1


@pytest.mark.parametrize(
    ("size", "pages"),
    [("8K", 2), ("3m", 768), ("2G", 2**19), ("2g", 2**19), ("16T", 2**32), ("0007", 7)],
)
def test_sizes_are_read(size: str, pages: int) -> None:
    """Each letter by itself, small or capital; without one it is a number of pages."""
    assert Zone().convert(size, None, None) == CountedZone(0, pages)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--cpus", "0"], "'--cpus': '0' is no number of CPUs; expected 1 to 1024"),
        (["--cpus", "5000"], "'5000' is no number of CPUs; expected 1 to 1024"),
        (["--cpus", "many"], "'many' is no number of CPUs; expected 1 to 1024"),
        (["--zone", "0"], "'--zone': a zone of 0 pages: expected 1 to 4294967296"),
        (["--zone", "0G"], "a zone of 0 pages"),
        (["--zone", "16385G"], "which is 16T and this command's own limit"),
        (["--zone", "1G@64"], "'--zone': a zone of node 64: expected 0 to 63"),
        (
            ["--zone", "62GB"],
            "'62GB' is no zone; expected a whole number of K, M, G or T, or of pages",
        ),
        (["--zone", "-1"], "'-1' is no zone"),
        (["--zone", "1.5G"], "'1.5G' is no zone"),
        (["--zone", "6K"], "'6K' is no zone; expected whole pages, a multiple of 4K"),
        (["--zone", "17T"], "a zone of 4563402752 pages"),
        (["--zone", "1G"] * 257, "'--zone': 257 zones: expected 1 to 256"),
        (["--era", "9.9"], "'--era': no era is called '9.9'"),
        (
            ["--era", "2.6.8"],
            "'--era': era 2.6.8 counts without cells, so nothing drifts; expected one of",
        ),
        (["--era", "2.6.11"], "era 2.6.11 counts without cells"),
        (["--design", "u32"], "'u32' is not one of"),
        (["--min-free", "-1"], "'--min-free': '-1' is no number of KiB; expected 0 to 4294967295"),
        (["--min-free", "4294967296"], "'4294967296' is no number of KiB"),
        (["--plot", ""], "'--plot': '' is no folder; expected its path"),
        (["--plot", "{file}"], "is a file"),
        (["--plot", "{file}/x"], "expected a folder in which pictures can be written"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: list[str], sentence: str, tmp_path: Path, capsys: Capture
) -> None:
    """Exit 2, nothing on stdout, and what was expected on stderr."""
    file = tmp_path / "file"
    file.write_text("")
    code, out, err = ran(capsys, *(argument.format(file=file) for argument in arguments))

    assert (code, out) == (Exit.USAGE, "")
    assert sentence in err
    assert len(re.findall("^error: ", err, re.M | re.I)) == 1


def test_tables_need_no_engine_and_no_drawing() -> None:
    """Without --plot nothing heavy is loaded."""
    heavy = ("matplotlib", "numpy", "numba", "hypothesis")
    code = (
        "import sys; from pagefuzz.cli._entry import run; assert run(['drift']) == 0;"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    path = ":".join(entry for entry in sys.path if entry)
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": path}, capture_output=True, text=True
    )

    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "[]"
