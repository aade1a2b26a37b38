"""CrossHair on one condition, in a process of its own that can be stopped."""

import os
import subprocess
import sys
from time import perf_counter

from pagefuzz.prove.verdict import Finding, Verdict
from pagefuzz.prove.words import read_check, read_diff

PATIENCE = 6
"""How many times its own time CrossHair may take: it looks at the clock between paths only."""

START_S = 60
"""What starting Python and importing numpy may take on a busy machine."""


def check(function: str, postconditions: int, budget_s: float) -> Finding:
    """Follow the paths of a function, by its dotted name, for so many CPU seconds a condition."""
    done = _crosshair(["check", function, "--report_all"], budget_s, postconditions)
    if isinstance(done, Finding):
        return done
    return read_check(done.stdout, done.stderr, postconditions)


def diff(one: str, other: str, budget_s: float) -> Finding:
    """Look for arguments on which two functions differ, for so many CPU seconds."""
    done = _crosshair(["diffbehavior", one, other], budget_s, 1)
    if isinstance(done, Finding):
        return done
    return read_diff(done.stdout, done.stderr)


def _crosshair(
    arguments: list[str], budget_s: float, conditions: int
) -> subprocess.CompletedProcess[str] | Finding:
    command = [sys.executable, "-m", "crosshair", *arguments]
    limit_s = PATIENCE * budget_s * conditions + START_S
    started = perf_counter()
    try:
        return subprocess.run(
            [*command, f"--per_condition_timeout={budget_s}"],
            # Dispatchers of numba hang CrossHair, and the order of sets must not matter.
            env={
                **os.environ,
                "NUMBA_DISABLE_JIT": "1",
                "PYTHONHASHSEED": "0",
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=limit_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        waited = perf_counter() - started
        return Finding(Verdict.UNKNOWN, says=f"stopped after {waited:.0f} s without a word")
