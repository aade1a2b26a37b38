"""What commands about traces say of a file that nobody can serve, and while kernels load."""

from pathlib import Path
from time import sleep

import pytest

from pagefuzz.cli._entry import run
from pagefuzz.exits import Exit
from pagefuzz.target import kernels
from pageimpl import jitcache

LEAST = f"{Path(__file__).with_name('targets.py')}:Least"
MODERN = f"{Path(__file__).with_name('targets.py')}:Modern"
HEAD = "pagefuzz-trace 1\n# a comment\n"
PLAIN = "machine pages=16 top=3 era=6.1"
HOST = "host era=6.1 top=3\nzone class=NORMAL node=0 pages=16\n"

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("target", "text", "told"),
    [
        (LEAST, f"{PLAIN} pageblock=2\n", "declined: the machine has pageblocks"),
        (LEAST, f"{PLAIN} cpus=2\n", "declined: the machine has CPUs"),
        (LEAST, f"{PLAIN} min_free=8\n", "declined: the machine has watermarks"),
        (LEAST, HOST, "the target serves one zone"),
        (MODERN, f"{PLAIN} holes=4+2\n", "tags and whole zones only"),
        ("numba", "machine pages=16 top=3 era=2004-v1\n", "era 2004-v1"),
    ],
)
@pytest.mark.parametrize("command", ["replay", "shrink"])
def test_the_file_is_named(
    command: str, target: str, text: str, told: str, tmp_path: Path, capsys: Capture
) -> None:
    """Among the traces of a folder nobody could tell otherwise which one it is about."""
    path = tmp_path / "other.trace"
    path.write_text(HEAD + text)
    out = () if command == "replay" else ("--out", str(tmp_path / "out"))

    assert run([command, str(path), "--target", target, *out]) == Exit.USAGE
    err = capsys.readouterr().err
    assert f" {path}: " in err
    assert told in err
    # Whoever is the first to need the kernels is also told that they are being loaded.
    assert len([line for line in err.splitlines() if "kernels" not in line]) == 1


@pytest.mark.parametrize(("seconds", "lines"), [(0.5, 1), (0.0, 0), (1.0, 2)])
def test_who_waits_for_kernels_is_told(
    seconds: float, lines: int, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """On stderr, only if it takes longer than from the cache, and again while it goes on."""
    monkeypatch.setattr(jitcache, "jit_disabled", lambda: False)
    monkeypatch.setattr(kernels, "_call_each", lambda: sleep(seconds))
    monkeypatch.setattr(kernels, "SILENT_S", 0.1)
    monkeypatch.setattr(kernels, "AGAIN_S", 0.6)
    kernels.load_kernels.__wrapped__()
    out, err = capsys.readouterr()

    assert out == ""
    assert err.count("loading the twin's kernels") == len(err.splitlines()) == lines
