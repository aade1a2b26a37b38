"""Compiling the twin's kernels once, before several processes would do so at the same time.

python -m pagefuzz.campaign.warm PART
"""

import subprocess
import sys
from collections.abc import Callable

from pagefuzz.target.kernels import load_kernels, told


def compile_kernels() -> None:
    """Fill an empty cache with the kernels of all kinds, part by part in processes side by side."""
    from pageimpl.jitcache import cache_report, jit_disabled

    if jit_disabled():
        print("note: NUMBA_DISABLE_JIT is set: nothing compiled is tested", file=sys.stderr)
    elif not cache_report().files:
        with told("about a minute"):
            _compile_apart()


def _compile_apart() -> None:
    works = [
        # Ctrl-C is for this process, which ends them. What one can't compile, whoever needs it
        # tries again, and tells why.
        subprocess.Popen(
            [sys.executable, "-m", "pagefuzz.campaign.warm", part],
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for part in PARTS
    ]
    try:
        for work in works:
            work.wait()
    finally:
        for work in works:
            work.kill()


def _other_kinds() -> None:
    from pageimpl.compaction.twin import CompactionTwin
    from pageimpl.slab.twin import SlabTwin
    from pageimpl.vmstat.twin import CounterTwin
    from pagespec.compaction.machine import CompactionMachine
    from pagespec.compaction.verbs import CompactionOp, CompactionVerb
    from pagespec.era import ERAS
    from pagespec.machine import Machine
    from pagespec.slab.machine import SlabMachine
    from pagespec.slab.verbs import SlabOp, SlabVerb
    from pagespec.vmstat.machine import CountedZone, CounterMachine
    from pagespec.vmstat.verbs import CounterOp, CounterVerb

    era = ERAS["5.15"]
    zone = Machine(8, 2, era, start=8, pageblock=1)
    CounterTwin(CounterMachine(era, (0,), (CountedZone(0, 8),))).perform(CounterOp(CounterVerb.INC))
    SlabTwin(SlabMachine(zone)).perform(SlabOp(SlabVerb.SHRINK))
    CompactionTwin(CompactionMachine(zone)).perform(CompactionOp(CompactionVerb.DRAIN_ALL))


PARTS: dict[str, Callable[[], None]] = {"zones": load_kernels, "others": _other_kinds}
"""What is compiled side by side, for about as long each."""


if __name__ == "__main__":
    PARTS[sys.argv[1]]()
