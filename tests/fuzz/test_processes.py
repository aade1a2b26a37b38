"""What a command leaves behind when its surroundings fail: cut pipes, killed parents, bad disks."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.fuzz.test_commands import TARGETS

from pagefuzz.exits import Exit

PAGEFUZZ = [sys.executable, "-m", "pagefuzz"]
ONE_KERNEL = """
from pagefuzz.target import kernels
from pageimpl.frames import buddy_of
kernels._call_each = lambda: buddy_of(8, 3)
kernels.load_kernels()
"""


LEAK = """pagefuzz-trace 1
machine pages=16 top=3 era=6.1
a = alloc order=1
b = alloc order=0
c = alloc order=0
free b
free a
free c
"""


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["list", "laws"], Exit.HELD),
        (["--help"], Exit.HELD),
        (["replay", "--target", "spec"], Exit.HELD),
        (["replay", "--target", f"{TARGETS}:Leaks"], Exit.BROKEN),
        (["replay", "--target", "spec", "absent.trace"], Exit.USAGE),
    ],
)
def test_a_reader_that_has_seen_enough_changes_no_verdict(
    words: list[str], code: Exit, tmp_path: Path
) -> None:
    """`pagefuzz replay ... 2>&1 | head -1` ends as it would have ended without `head`."""
    trace = tmp_path / "leak.trace"
    trace.write_text(LEAK)
    reader, writer = os.pipe()
    os.close(reader)
    if words[0] == "replay":
        words = [*words, str(trace)]
    done = subprocess.run([*PAGEFUZZ, *words], stdout=writer, stderr=writer, timeout=60)
    os.close(writer)

    assert done.returncode == code


def test_who_leaves_later_sees_no_traceback() -> None:
    """The first line read, stdout closed: nothing is said on stderr."""
    command = subprocess.Popen(
        [*PAGEFUZZ, "list", "laws"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert command.stdout is not None
    command.stdout.close()
    _, err = command.communicate(timeout=60)

    assert (command.returncode, err) == (Exit.HELD, b"")


def test_a_closed_output_is_the_environments_fault() -> None:
    """`pagefuzz list laws >&-` has nowhere to write to, and says so instead of nothing."""
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *PAGEFUZZ, "list", "laws"],
        stderr=subprocess.PIPE,
        timeout=60,
    )

    assert done.returncode == Exit.USAGE
    assert done.stderr.startswith(b"error: standard output is closed: expected a file, a pipe or")


@pytest.mark.parametrize("whole_group", [False, True])
def test_prove_ends_quietly_by_sigterm(whole_group: bool) -> None:
    """`timeout` ends it as Ctrl-C does, and its processes: no warning, no traceback."""
    command = subprocess.Popen(
        [*PAGEFUZZ, "prove", "exhaust*era 6.1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    workers = children_of(command.pid, tries=200)
    time.sleep(2)
    (os.killpg if whole_group else os.kill)(command.pid, signal.SIGTERM)
    _, err = command.communicate(timeout=60)

    assert command.returncode == Exit.INTERRUPTED
    assert err.decode().splitlines()[-1] == "interrupted"
    assert b"Warning" not in err
    assert b"Traceback" not in err
    assert workers
    assert gone(workers, tries=50)


def test_workers_do_not_outlive_a_killed_run(tmp_path: Path) -> None:
    """A job that CI kills must not leave processes behind."""
    words = ["run", "--target", "spec", "--seconds", "60", "--jobs", "1", "--out", str(tmp_path)]
    command = subprocess.Popen([*PAGEFUZZ, *words], stdout=subprocess.DEVNULL)
    workers = children_of(command.pid, tries=200)
    command.kill()
    command.wait()

    assert workers
    assert gone(workers, tries=100)


def test_a_damaged_cache_of_kernels_is_filled_anew(tmp_path: Path) -> None:
    """Half a file on disk is no fault of the twin. One kernel will do: the rest takes a minute."""
    environment = {**os.environ, "PAGEIMPL_CACHE_DIR": str(tmp_path)}
    environment.pop("NUMBA_DISABLE_JIT", None)
    for _ in range(2):
        subprocess.run([sys.executable, "-c", ONE_KERNEL], env=environment, check=True)
        kept = sorted(tmp_path.rglob("*.nbc"))
        sizes = {file.stat().st_size > 100 for file in kept}
        for file in kept:
            file.write_bytes(file.read_bytes()[:100])

    assert kept
    assert sizes == {True}


def children_of(pid: int, tries: int) -> list[int]:
    """The processes that a process has begun to work with, once there are any."""
    for _ in range(tries):
        children = [
            int(path.name) for path in Path("/proc").glob("[0-9]*") if parent_of(path) == pid
        ]
        workers = [child for child in children if b"spawn_main" in command_of(child)]
        if workers:
            return workers
        time.sleep(0.1)
    return []


def parent_of(process: Path) -> int:
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def gone(pids: list[int], tries: int) -> bool:
    """Whether the processes end by themselves; those that do not are killed."""
    for _ in range(tries):
        if not any(b"spawn_main" in command_of(pid) for pid in pids):
            return True
        time.sleep(0.1)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    return False
