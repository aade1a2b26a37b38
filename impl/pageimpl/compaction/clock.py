"""The clock by which stretches with interrupts off are measured."""

from time import perf_counter_ns


def cycles() -> int:
    """The processor's time-stamp counter in compiled code; in plain code, nanoseconds."""
    return perf_counter_ns()
