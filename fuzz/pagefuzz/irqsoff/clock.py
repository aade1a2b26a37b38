"""How fast the clock ticks by which the twin measures stretches."""

from time import perf_counter_ns

from pageimpl.compaction.clock import cycles
from pageimpl.jitcache import kernel

MEASURED_NS = 20_000_000


@kernel
def now() -> int:
    """The clock's ticks by now."""
    return cycles()


def ticks_a_us() -> float:
    """The clock's ticks in a microsecond, measured for a moment."""
    now()  # Compiled where that has not been done.
    ticks, began = now(), perf_counter_ns()
    while perf_counter_ns() - began < MEASURED_NS:
        pass
    return 1000 * (now() - ticks) / (perf_counter_ns() - began)
