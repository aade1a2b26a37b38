"""Making the failing trace of compaction small: fewer requests, frames and CPUs."""

from collections.abc import Callable

from pagefuzz.compaction.replay import replay_compaction
from pagefuzz.compaction.smaller import (
    halved,
    merged_allocations,
    simpler_requests,
    smaller_machines,
)
from pagefuzz.compaction.target import CompactionFactory
from pagefuzz.shrinking import Shrinker, smallest, trimmed
from pagefuzz.smaller import fewer_requests
from pagespec.compaction.trace import CompactionTrace
from pagespec.migratetype import MOVABLE

EFFORT = 12_000
"""What shrinking may cost in all, in requests; so that a seed gives the same bytes."""

Progress = Callable[[CompactionTrace], None]


def compaction_size_of(trace: CompactionTrace) -> tuple[int, ...]:
    """What shrinking makes smaller, the most important first."""
    zone, ops = trace.machine.zone, [request.op for request in trace.requests]
    return (
        len(ops),
        zone.cpus,
        zone.min_free is not None,
        zone.batch is not None,
        len(zone.holes),
        len(set(zone.types)),
        trace.machine.scan is not None,
        zone.pages,
        zone.top,
        zone.pageblock or 0,
        zone.start,
        zone.min_free or 0,
        zone.batch or 0,
        sum(mt is not MOVABLE for mt in zone.types),
        sum(op.killed + op.irq + op.whole + (not op.lru) + (op.mode != "sync") for op in ops),
        sum(op.mt is not MOVABLE for op in ops),
        sum(op.order + op.pages + op.cpu for op in ops),
        sum(request.sized for request in trace.requests),
        sum(op.pfn for op in ops if op.pages),
    )


def shrink_compaction(
    trace: CompactionTrace, factory: CompactionFactory, found: Progress = lambda trace: None
) -> CompactionTrace:
    """The smallest trace that the passes can find which breaks the same law as this one.

    Raises ValueError if the trace breaks no law.
    """
    return smallest(
        Shrinker(
            lambda candidate, law: trimmed(candidate, replay_compaction(candidate, factory), law),
            compaction_size_of,
            lambda candidate: len(candidate.requests) + 1,
            (fewer_requests, halved, merged_allocations, smaller_machines, simpler_requests),
            EFFORT,
        ),
        trace,
        found,
    )
