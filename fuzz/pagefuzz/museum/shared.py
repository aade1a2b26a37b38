"""Slips planted in spec and twin alike, which lockstep cannot see.

Whoever misunderstands the kernel writes the same error twice. What stops it is knowledge from
outside the code: vectors computed from the kernel's own arithmetic, the worked examples of the
mailing list, and the thresholds that real kernels print. (Their traces show frames and orders,
never lists.) Each slip is planted in
a copy of the tree, in the stamp oracle and the laws too where they share the belief; then lockstep
must be silent, and a judge not.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pagefuzz.museum.mutant import Edit

JUDGES = {
    "tests/spec/test_vectors.py": "golden vector",
    "tests/spec/test_type_vectors.py": "golden vector",
    "tests/spec/test_pcp_vectors.py": "golden vector",
    "tests/spec/test_watermark_vectors.py": "golden vector",
    "tests/spec/test_vmstat_vectors.py": "golden vector",
    "tests/kernel/test_zoneinfo_thresholds.py::test_real_files_follow_the_formula": "real file",
    "tests/spec/test_fallback.py": "worked example",
    "tests/spec/test_doctests.py": "worked example",
}
"""The tests that hold facts from outside, and what to call them."""

ROOMS = ("spec", "impl", "fuzz", "tests")
WALKS = 60

_SILENCE = f"""
from pagefuzz.campaign.hunt import fail
from pagefuzz.counters.twin import TwinCounters
from pagefuzz.museum.counterhunt import fail_counters
from pagefuzz.target.builtin import Twin
for walk in range({WALKS}):
    seed = f"shared/{{walk}}"
    trace = fail(Twin, seed, "exact", None)[0] or fail_counters(TwinCounters, seed)[0]
    if trace is not None:
        print(trace.expect)
        break
"""


class SharedSlip(NamedTuple):
    """One belief that spec and twin share.

    edits: by file of the tree. killable: whether any knowledge from outside speaks of it; if not,
    why not is part of the mechanism.
    """

    id: str
    mechanism: str
    edits: tuple[Edit, ...]
    killable: bool = True


class Judgement(NamedTuple):
    """What became of a shared slip.

    law: what lockstep named, or empty for silence. killers: the judges' tests that failed.
    """

    slip: SharedSlip
    law: str
    killers: tuple[str, ...]

    @property
    def expected(self) -> bool:
        """Whether it was killed from outside and only there, or else is listed as unkillable."""
        return self.slip.killable == bool(self.killers) and not self.law


def tree() -> Path | None:
    """The checkout that this module belongs to, or None where it was installed without tests."""
    root = Path(__file__).resolve().parents[3]
    return root if all((root / room).is_dir() for room in ROOMS) else None


def judge(slip: SharedSlip, root: Path) -> Judgement:
    """Plant the slip in a copy of the tree, and ask lockstep and the judges."""
    with TemporaryDirectory() as folder:
        copy = Path(folder)
        for room in ROOMS:
            copytree(root / room, copy / room, ignore=ignore_patterns("__pycache__"))
        (copy / "pyproject.toml").write_bytes((root / "pyproject.toml").read_bytes())
        for edit in slip.edits:
            path = copy / edit.module
            path.write_text(edit(path.read_text(encoding="utf-8")), encoding="utf-8")
        law = _run(copy, "-c", _SILENCE).strip()
        report = _run(copy, "-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider", *JUDGES)
    failed = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", report, re.MULTILINE)
    if not failed and not re.search(r"^\d+ passed", report, re.MULTILINE):
        raise RuntimeError(f"the judges of {slip.id} did not run: {report[-500:]}")
    return Judgement(slip, law, tuple(failed))


def _run(copy: Path, *arguments: str) -> str:
    path = os.pathsep.join(str(copy / room) for room in ROOMS[:3])
    environ = {**os.environ, "PYTHONPATH": path, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=copy, env=environ, capture_output=True, text=True
    )
    return done.stdout


def judge_of(test: str) -> str:
    """What kind of knowledge a failed test holds."""
    return next(name for prefix, name in JUDGES.items() if test.startswith(prefix))
