"""Compiling the twin's kernels once, before several processes would do so at the same time."""

import sys


def compile_kernels() -> None:
    """Fill an empty cache with the kernels, and say so, since it takes seconds."""
    from pageimpl.jitcache import cache_report, jit_disabled

    if jit_disabled() or cache_report().files:
        return
    print("compiling the twin's kernels, once: a few seconds", file=sys.stderr, flush=True)
    # Numba takes a third of a second to import, and where the cache is full nobody waits for it.
    from pageimpl.allocator import Allocator, Stream
    from pagespec.era import ERAS
    from pagespec.machine import Machine

    allocator = Allocator(Machine(pages=1, top=0, era=ERAS["6.1"]))
    pfn = allocator.alloc(0)
    assert pfn is not None
    allocator.get(pfn)
    allocator.put(pfn)
    allocator.free(pfn, 0)
    Stream(allocator, seed=1).run(1)
