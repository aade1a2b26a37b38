"""The twin's compiled kernels, all loaded before the first one is judged."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Event, Thread
from time import monotonic

SILENT_S = 2.0
"""How long kernels may load, as they do from the cache, before people are told why they wait."""

AGAIN_S = 10.0
"""How long it takes until they are told that it still goes on, as of every other long job."""


@cache
def load_kernels() -> None:
    """Load or compile every kernel; a cache on disk that cannot be read is emptied and filled anew.

    A disk that was full, or a machine that lost power, leaves files by which numba fails in the
    middle of a request. That must not look like a fault of the twin.
    """
    from pageimpl.jitcache import cache_report, jit_disabled

    if jit_disabled():
        return
    with told("about 20 seconds"):
        try:
            _call_each()
        except Exception:
            for pattern in ("*.nbi", "*.nbc"):
                for file in cache_report().directory.rglob(pattern):
                    file.unlink(missing_ok=True)
            _call_each()


@contextmanager
def told(takes: str) -> Iterator[None]:
    """Say on stderr what is going on, if it takes long, and for as long as it does."""
    over = Event()
    teller = Thread(target=_tell, args=(over, takes), daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        # No thread may be left when a campaign forks its workers.
        teller.join()


def _tell(over: Event, takes: str) -> None:
    began = monotonic()
    line = (
        "loading the twin's kernels: where they must be compiled first, which is due once, it "
        f"takes {takes}, or minutes on a busy machine"
    )
    wait_s = SILENT_S
    while not over.wait(wait_s):
        print(line, file=sys.stderr, flush=True)
        wait_s = AGAIN_S
        line = f"loading the twin's kernels: {monotonic() - began + wait_s:.0f} s so far"


def _call_each() -> None:
    from pageimpl.allocator import Allocator, Stream
    from pageimpl.host import HostAllocator
    from pagespec.era import ERAS
    from pagespec.host import Host, Part
    from pagespec.machine import Machine
    from pagespec.types import ZoneClass
    from pagespec.verbs import Op, Verb

    allocator = Allocator(Machine(pages=1, top=0, era=ERAS["6.1"]))
    pfn = allocator.alloc(0)
    assert pfn is not None
    allocator.get(pfn)
    allocator.put(pfn)
    allocator.free(pfn, 0)
    allocator.perform(Op(Verb.ALLOC))
    Stream(allocator, seed=1).run(1)
    host = HostAllocator(Host((Part(ZoneClass.NORMAL, 0, allocator.machine),)))
    host.perform(Op(Verb.ALLOC))
