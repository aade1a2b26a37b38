"""`pagefuzz doctor`: may a verdict from this installation be believed?"""

import os
import platform
import shutil
from importlib.metadata import PackageNotFoundError, version

import click

from pagefuzz.exits import Exit, worst
from pagefuzz.report import console

_PACKAGES = (
    *("numpy", "numba", "llvmlite", "hypothesis", "crosshair-tool", "z3-solver"),
    "matplotlib",
)

Finding = tuple[str, str, Exit]


@click.command()
def command() -> Exit:
    """Say whether this installation can be trusted, and with which versions.

    Exit codes: 0 it can; 2 something is missing or not writable; 3 the JIT is switched off, so it
    was not checked; 4 it gives wrong answers, or two runs of one seed differ. Takes a few seconds.
    """
    findings: list[Finding] = []
    for check in (_packages, _machine, _jit, _repeats):
        findings += check()
    console.table(
        "doctor",
        ("what", "found", "verdict"),
        ((what, found, _VERDICTS[code]) for what, found, code in findings),
    )
    return worst(code for _, _, code in findings)


_VERDICTS = {
    Exit.HELD: "ok",
    Exit.USAGE: "to mend",
    Exit.INCONCLUSIVE: "not checked",
    Exit.UNTRUSTWORTHY: "NOT TRUSTWORTHY",
}


def _packages() -> list[Finding]:
    found: list[Finding] = [("python", platform.python_version(), Exit.HELD)]
    for name in _PACKAGES:
        try:
            found.append((name, version(name), Exit.HELD))
        except PackageNotFoundError:
            found.append((name, "not installed", Exit.USAGE))
    return found


def _machine() -> list[Finding]:
    # A compiler is needed for targets written in C and for nothing else, so none is no fault.
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    return [
        ("cores", str(len(os.sched_getaffinity(0))), Exit.HELD),
        ("C compiler", compiler or "none: C targets are skipped", Exit.HELD),
    ]


def _jit() -> list[Finding]:
    """Compile a loop with the operations that kernels use and compare it with Python's answer."""
    from pageimpl import jitcache

    if jitcache.jit_disabled():
        return [("JIT", "switched off by NUMBA_DISABLE_JIT", Exit.INCONCLUSIVE)]
    cache = jitcache.cache_report()
    kept = f"{cache.files} kernels, {cache.size / 1e6:.1f} MB"
    expected, actual = _buddy_walk(1000), jitcache.compiled(_buddy_walk, keep=False)(1000)
    return [
        ("JIT cache directory", str(cache.directory), Exit.HELD),
        (
            "JIT cache",
            kept if cache.writable else f"{kept}, not writable",
            Exit.HELD if cache.writable else Exit.USAGE,
        ),
        (
            "JIT self-check",
            f"expected {expected}, got {actual}",
            Exit.HELD if actual == expected else Exit.UNTRUSTWORTHY,
        ),
    ]


def _repeats() -> list[Finding]:
    """Run each gear with one seed in two processes."""
    what = "two runs of one seed"
    try:
        # Only now: with a package missing, what it imports is to mend first.
        from pagefuzz.selfcheck import same_seed_same_bytes
    except ModuleNotFoundError as error:
        return [(what, f"{error.name} is not installed", Exit.USAGE)]
    click.echo(f"{what}: a few seconds", err=True)
    if same_seed_same_bytes():
        return [(what, "the same bytes", Exit.HELD)]
    return [(what, "they differ", Exit.UNTRUSTWORTHY)]


def _buddy_walk(frames: int) -> int:
    total = 0
    for pfn in range(frames):
        order = 0
        while order < 10 and pfn & (1 << order) == 0:
            order += 1
        total += (pfn ^ (1 << order)) - (pfn & ~(1 << order)) // 3
    return total
