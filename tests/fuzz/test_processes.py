"""What a command leaves behind when its surroundings fail: cut pipes, killed parents, bad disks."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

PAGEFUZZ = [sys.executable, "-m", "pagefuzz"]
KERNELS = "from pagefuzz.target.kernels import load_kernels; load_kernels()"


def test_a_reader_that_has_seen_enough_is_no_broken_law() -> None:
    """`pagefuzz list laws | head -1` ends without a traceback, and not with exit code 1."""
    command = subprocess.Popen(
        [*PAGEFUZZ, "list", "laws"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert command.stdout is not None
    command.stdout.close()
    _, err = command.communicate(timeout=60)

    assert command.returncode in (0, 130)
    assert b"Traceback" not in err


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
    """Half a file on disk is no fault of the twin."""
    environment = {**os.environ, "PAGEIMPL_CACHE_DIR": str(tmp_path)}
    environment.pop("NUMBA_DISABLE_JIT", None)
    subprocess.run([sys.executable, "-c", KERNELS], env=environment, check=True)
    kept = sorted(tmp_path.rglob("*.nbc"))
    for file in kept:
        file.write_bytes(file.read_bytes()[:100])
    subprocess.run([sys.executable, "-c", KERNELS], env=environment, check=True)

    assert kept
    assert {file.stat().st_size > 100 for file in tmp_path.rglob("*.nbc")} == {True}


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
