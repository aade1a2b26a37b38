"""Making the failing trace of counters small: fewer requests, CPUs and zones, smaller numbers."""

from collections.abc import Callable

from pagefuzz.counters.replay import replay_counters
from pagefuzz.counters.smaller import merged_requests, simpler_requests, smaller_machines
from pagefuzz.counters.target import CounterFactory
from pagefuzz.shrinking import Shrinker, smallest, trimmed
from pagefuzz.smaller import fewer_requests
from pagespec.vmstat.machine import Item
from pagespec.vmstat.trace import CounterTrace
from pagespec.vmstat.verbs import CounterOp

EFFORT = 60_000
"""What shrinking may cost in all, in requests; so that a seed gives the same bytes."""

REPEATS_A_REQUEST = 16
"""As many repeats cost about as much as one request more."""

FLAGS = ("irqs_on", "open", "close", "reclaim", "interleave", "silent")
AMOUNTS = ("by", "times", "pages", "order")
PLACES = ("cpu", "where", "preferred", "number")

Progress = Callable[[CounterTrace], None]


def counter_size_of(trace: CounterTrace) -> tuple[int, ...]:
    """What shrinking makes smaller, the most important first."""
    machine, ops = trace.machine, [request.op for request in trace.requests]
    said = (machine.normal, machine.pressure, machine.numa_threshold)
    return (
        len(ops),
        len(machine.zones),
        len(machine.cpus),
        len(machine.nodes),
        sum(size is not None for size in said),
        machine.numa is not None,
        sum(size or 0 for size in said),
        machine.min_free,
        sum(zone.pages for zone in machine.zones),
        sum(machine.cpus) + sum(zone.node for zone in machine.zones),
        _sum_of(ops, FLAGS),
        _sum_of(ops, AMOUNTS),
        sum(op.by < 0 for op in ops),
        sum(_ITEM_RANK[op.item] for op in ops),
        sum(op.level != "min" for op in ops),
        _sum_of(ops, PLACES),
    )


_ITEM_RANK = {item: rank for rank, item in enumerate(Item)}


def _sum_of(ops: list[CounterOp], fields: tuple[str, ...]) -> int:
    return sum(abs(getattr(op, field)) for op in ops for field in fields)


def cost_of(trace: CounterTrace) -> int:
    """What it costs to put the trace again, in requests."""
    repeats = sum(request.op.times for request in trace.requests)
    return 1 + len(trace.requests) + repeats // REPEATS_A_REQUEST


def shrink_counters(
    trace: CounterTrace, factory: CounterFactory, found: Progress = lambda trace: None
) -> CounterTrace:
    """The smallest trace that the passes can find which breaks the same law as this one.

    Raises ValueError if the trace breaks no law.
    """
    return smallest(
        Shrinker(
            lambda candidate, law: trimmed(candidate, replay_counters(candidate, factory), law),
            counter_size_of,
            cost_of,
            (fewer_requests, merged_requests, smaller_machines, simpler_requests),
            EFFORT,
        ),
        trace,
        found,
    )
