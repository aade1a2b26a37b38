"""Slips planted in spec and twin alike, which lockstep cannot see.

Whoever misunderstands the kernel writes the same error twice. What stops it is knowledge from
outside the code: vectors computed from the kernel's own arithmetic, and the worked examples of the
mailing list. (Traces of real kernels show frames and orders, never lists.) Each slip is planted in
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
    "tests/spec/test_doctests.py": "worked example",
}
"""The tests that hold facts from outside, and what to call them."""

ROOMS = ("spec", "impl", "fuzz", "tests")
WALKS = 60

_SILENCE = f"""
from pagefuzz.campaign.hunt import fail
from pagefuzz.target.builtin import Twin
for walk in range({WALKS}):
    trace, _ = fail(Twin, f"shared/{{walk}}", "exact", None)
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
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", report, re.MULTILINE)
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


_SPEC, _TWIN = "spec/pagespec", "impl/pageimpl"
_STAMPS = f"{_SPEC}/stamps/blocks.py"

SHARED: tuple[SharedSlip, ...] = (
    SharedSlip(
        "likely-next-to-top",
        "The look ahead is made one order too high.",
        (
            Edit(f"{_SPEC}/buddy.py", "if order >= machine.top - 1:", "if order >= machine.top:"),
            Edit(_STAMPS, "order >= stamps.machine.top - 1:", "order >= stamps.machine.top:"),
            Edit(
                _STAMPS,
                "head_of(machine.start - machine.base, machine.top)",
                "head_of(machine.start - machine.base, machine.top + 1)",
            ),
            Edit(f"{_TWIN}/buddy.py", "if order >= top_of(mem) - 1:", "if order >= top_of(mem):"),
        ),
    ),
    SharedSlip(
        "likely-of-2-6-39",
        "Upper halves go to the head in every era that looks ahead.",
        (
            Edit(f"{_SPEC}/buddy.py", 'machine.era.placement == "likely-2.6.39" and ', ""),
            Edit(_STAMPS, 'placement == "likely-2.6.39" and ', ""),
            Edit(f"{_TWIN}/buddy.py", "placement_of(mem) == PLACE_LIKELY_2_6_39 and ", ""),
        ),
    ),
    SharedSlip(
        "head-and-tail-confused",
        "What belongs at the head enters at the tail, and the reverse.",
        (
            Edit(f"{_SPEC}/zone.py", "    if not to_tail:\n", "    if to_tail:\n"),
            Edit(
                _STAMPS,
                "stamps.clock if to_tail else -stamps.clock",
                "-stamps.clock if to_tail else stamps.clock",
            ),
            Edit(
                f"{_TWIN}/zone.py",
                "prev_of(mem, order) if to_tail else order",
                "order if to_tail else prev_of(mem, order)",
            ),
        ),
    ),
    SharedSlip(
        "requests-served-from-the-tail",
        "The last block of the list serves.",
        (
            Edit(f"{_SPEC}/buddy.py", "next(iter(blocks))", "next(reversed(blocks))"),
            Edit(f"{_SPEC}/bitmap.py", "next(iter(blocks))", "next(reversed(blocks))"),
            Edit(
                _STAMPS, "(block.order, stamps.stamp[block])", "(block.order, -stamps.stamp[block])"
            ),
            Edit(f"{_TWIN}/buddy.py", "p = next_of(mem, current)", "p = prev_of(mem, current)"),
            Edit(f"{_TWIN}/buddy.py", "    next_of,\n", "    prev_of,\n"),
            Edit(f"{_TWIN}/bitmap.py", "p = next_of(mem, current)", "p = prev_of(mem, current)"),
            Edit(f"{_TWIN}/bitmap.py", "    next_of,\n", "    prev_of,\n"),
        ),
    ),
    SharedSlip(
        "index-base-of-2-6-11",
        "2.6.11 counts indices from frame zero. One word of the eras, which both rooms read.",
        (
            Edit(
                f"{_SPEC}/era.py",
                'Era("2.6.11", index_base="zone", placement="head")',
                'Era("2.6.11", placement="head")',
            ),
        ),
    ),
    SharedSlip(
        "placement-of-2-6-37",
        "The look ahead comes after 2.6.37.",
        (Edit(f"{_SPEC}/era.py", 'Era("2.6.37")', 'Era("2.6.37", placement="head")'),),
    ),
    SharedSlip(
        "boot-of-6-1-to-the-head",
        "Boot's blocks enter 6.1's lists at the head.",
        (Edit(f"{_SPEC}/era.py", 'Era("6.1", boot_to_tail=True)', 'Era("6.1")'),),
    ),
    SharedSlip(
        "pieces-from-below",
        "The pieces of a block freed under a reference are freed from the smallest up.",
        (
            Edit(
                f"{_SPEC}/alloc.py",
                "        piece = order - 1\n        while piece >= 0:\n",
                "        piece = 0\n        while piece < order:\n",
            ),
            Edit(f"{_SPEC}/alloc.py", "            piece -= 1\n", "            piece += 1\n"),
            Edit(
                f"{_TWIN}/alloc.py",
                "        piece = order - 1\n        while piece >= 0:\n",
                "        piece = 0\n        while piece < order:\n",
            ),
            Edit(f"{_TWIN}/alloc.py", "            piece -= 1\n", "            piece += 1\n"),
        ),
    ),
    SharedSlip(
        "alignment-before-bounds",
        "A free that is both misaligned and outside is refused as misaligned. The kernel refuses "
        "nothing in so many words; which reason comes first is this model's own choice.",
        (
            Edit(
                f"{_SPEC}/alloc.py",
                "    if not machine.start <= pfn <= machine.end - SIZES[order]:\n"
                "        raise _refused(zone, OutsideZone, pfn, order)\n"
                "    if (pfn - machine.base) % SIZES[order] != 0:\n"
                "        raise _refused(zone, MisalignedBlock, pfn, order)\n",
                "    if (pfn - machine.base) % SIZES[order] != 0:\n"
                "        raise _refused(zone, MisalignedBlock, pfn, order)\n"
                "    if not machine.start <= pfn <= machine.end - SIZES[order]:\n"
                "        raise _refused(zone, OutsideZone, pfn, order)\n",
            ),
            Edit(
                f"{_SPEC}/laws/holdings.py",
                "    if pfn < machine.start or pfn + SIZES[block.order] > machine.end:\n"
                "        return Refusal.OUTSIDE\n"
                "    if not is_aligned(pfn - machine.base, block.order):\n"
                "        return Refusal.MISALIGNED\n",
                "    if not is_aligned(pfn - machine.base, block.order):\n"
                "        return Refusal.MISALIGNED\n"
                "    if pfn < machine.start or pfn + SIZES[block.order] > machine.end:\n"
                "        return Refusal.OUTSIDE\n",
            ),
            Edit(
                f"{_TWIN}/alloc.py",
                "    if p < first_of(mem) or p + (1 << order) > end_of(mem):\n"
                "        return OUTSIDE\n"
                "    if not is_aligned(p, order):\n"
                "        return MISALIGNED\n",
                "    if not is_aligned(p, order):\n"
                "        return MISALIGNED\n"
                "    if p < first_of(mem) or p + (1 << order) > end_of(mem):\n"
                "        return OUTSIDE\n",
            ),
        ),
        killable=False,
    ),
)
