"""Compiled code is kept by what it was made from: other text or settings, other directory."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pageimpl import frames, jitcache
from pageimpl.jitcache import cache_key, cache_root, kernel_files
from pageimpl.source import compiled_modules


@pytest.fixture
def copies(tmp_path: Path) -> list[Path]:
    """A copy of every file that compiled code depends on; the spec's may have a twin's name."""
    copies = []
    for number, file in enumerate(kernel_files()):
        room = tmp_path / str(number)
        room.mkdir()
        copies.append(Path(shutil.copy(file, room / file.name)))
    return copies


def test_kernels_are_all_in_the_key() -> None:
    """Every module of the package and the vocabulary's constants count."""
    names = {file.name for file in kernel_files()}

    assert {"buddy.py", "intrinsics.py", "memory.py", "types.py", "walk.py"} <= names


def test_the_key_is_of_the_text(copies: list[Path]) -> None:
    """Equal text gives an equal key, wherever it lies and however old it is."""
    os.utime(copies[0], (1, 1))

    assert cache_key(kernel_files(), {}) == cache_key(copies, {})


@pytest.mark.parametrize("name", ["buddy.py", "zone.py", "intrinsics.py", "types.py"])
def test_an_edit_anywhere_changes_the_key(copies: list[Path], name: str) -> None:
    """Also in a file that only another kernel's file imports."""
    before = cache_key(copies, {})
    edited = next(file for file in copies if file.name == name)
    edited.write_text(edited.read_text() + "\n# edited\n")

    assert before != cache_key(copies, {})


@pytest.mark.parametrize(
    ("setting", "counts"),
    [
        ("NUMBA_BOUNDSCHECK", True),
        ("NUMBA_OPT", True),
        ("NUMBA_NUM_THREADS", False),
        ("NUMBA_CACHE_DIR", False),
        ("LANG", False),
    ],
)
def test_settings_change_the_key(setting: str, counts: bool) -> None:
    """Settings of numba count if they can change the code."""
    assert (cache_key([], {setting: "1"}) != cache_key([], {})) == counts


def test_the_root_is_asked_for_or_the_user_s_or_temporary(tmp_path: Path) -> None:
    """The first of these that can be written is used."""
    (tmp_path / "file").touch()
    asked, user = tmp_path / "asked", tmp_path / "user"
    environ = {"PAGEIMPL_CACHE_DIR": str(asked), "XDG_CACHE_HOME": str(user)}

    assert cache_root(environ) == asked
    assert cache_root({"XDG_CACHE_HOME": str(user)}) == user / "pageimpl"
    blocked = cache_root({"PAGEIMPL_CACHE_DIR": str(tmp_path / "file" / "below")})
    assert blocked.name == f"pageimpl-{os.getuid()}"


PROGRAM = """
from pageimpl import frames, jitcache
assert frames.buddy_of(8, 3) == 0
report = jitcache.cache_report()
print(report.directory, report.files, report.size > 0, report.writable)
"""


def run_program(root: Path, **settings: str) -> list[str]:
    environ = {"PYTHONPATH": ":".join(sys.path), "PAGEIMPL_CACHE_DIR": str(root), **settings}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, env=environ
    )
    return done.stdout.split()


def test_kernels_are_kept_between_processes(tmp_path: Path) -> None:
    """A second process compiles nothing; one with another setting uses another directory."""
    cold = run_program(tmp_path)
    stamps = {file: file.stat().st_mtime_ns for file in tmp_path.glob("**/*.nbc")}
    warm = run_program(tmp_path)

    assert cold == warm
    assert stamps == {file: file.stat().st_mtime_ns for file in tmp_path.glob("**/*.nbc")}
    assert len(stamps) == int(warm[1]) > 0
    plain = run_program(tmp_path, NUMBA_DISABLE_JIT="1")
    assert plain[0] != warm[0]
    assert plain[1:] == ["0", "False", "True"]


def test_patched_kernels_leave_the_cache_alone() -> None:
    """Faults that are planted and compiled are not kept."""
    assert frames.buddy_of(8, 3) == 0
    before = jitcache.cache_report()
    patched = compiled_modules({"frames": lambda text: text + "\n# same\n"}).modules["frames"]

    assert vars(patched)["buddy_of"](8, 3) == 0
    assert before == jitcache.cache_report()
