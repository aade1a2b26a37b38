"""Compiling the twin's kernels once, before several processes would do so at the same time."""

import sys

from pagefuzz.target.kernels import load_kernels


def compile_kernels() -> None:
    """Fill an empty cache with the kernels."""
    from pageimpl.jitcache import cache_report, jit_disabled

    if jit_disabled():
        print("note: NUMBA_DISABLE_JIT is set: nothing compiled is tested", file=sys.stderr)
    elif not cache_report().files:
        load_kernels()
