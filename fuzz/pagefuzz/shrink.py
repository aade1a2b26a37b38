"""Making a failing trace small: fewer requests, smaller parameters, a smaller machine.

The law must stay the same: a trace that breaks another law is another finding. Each pass runs to a
fixpoint and they alternate until none helps; what a local minimum hides, starting from several
failures finds.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from pagefuzz.replay import replay
from pagefuzz.shrinking import trimmed
from pagefuzz.smaller import simpler_requests, smaller_machines, without_two
from pagefuzz.target.protocol import Factory
from pagespec.laws.law import Level
from pagespec.migratetype import MOVABLE
from pagespec.trace import FLAGS, Trace
from pagespec.types import DomainError

EFFORT = 200_000
"""What shrinking may cost in all; a count and not a time, so that a seed gives the same bytes."""

Progress = Callable[[Trace], None]
"""Called with each smaller trace as soon as it is found, so that it can be kept."""


def size_of(trace: Trace) -> tuple[int, ...]:
    """What shrinking makes smaller, the most important first."""
    machine, requests = trace.machine, trace.requests
    sizes = (machine.batch, machine.high, machine.min_free)
    slots = [request.slot for request in requests if request.slot is not None]
    operands = [request.operand for request in requests if request.operand is not None]
    return (
        len(requests),
        len(machine.holes),
        machine.pageblock is not None,
        machine.min_free is not None,
        machine.cells,
        machine.cpus,
        machine.pages,
        machine.top,
        machine.pageblock or 0,
        machine.guard,
        sum(0 if mt is MOVABLE else 1 + mt for mt in machine.types),
        machine.start,
        sum(size is not None for size in sizes),
        sum(size or 0 for size in sizes),
        sum(request.order is not None for request in requests),
        sum(request.order or 0 for request in requests),
        sum(getattr(request, flag) for request in requests for flag in FLAGS),
        sum(request.mt for request in requests),
        sum(request.pages for request in requests),
        sum(request.cpu for request in requests),
        sum(slots),
        sum(operand.name is None for operand in operands),
        sum(operand.offset for operand in operands),
    )


def cost_of(trace: Trace) -> int:
    """What a replay costs: a request judged on 64 frames is one, on more frames more."""
    return (len(trace.requests) + 1) * (1 + trace.machine.pages // 64)


def shrink(
    trace: Trace, factory: Factory, level: Level = "exact", found: Progress = lambda trace: None
) -> Trace:
    """The smallest trace that the passes can find which breaks the same law as this one.

    Raises ValueError if the trace breaks no law, and DomainError if the allocator does not take its
    machine; smaller machines that it does not take are passed over.
    """
    failing = trimmed(trace, replay(trace, factory, level), None)
    if failing is None:
        raise ValueError("the trace breaks no law, so there is nothing to keep while shrinking")
    best = smallest = failing
    found(best)
    spent = 0

    def smaller(candidate: Trace) -> Trace | None:
        nonlocal spent, smallest
        if spent > EFFORT:
            return None
        spent += cost_of(candidate)
        try:
            failing = trimmed(candidate, replay(candidate, factory, level), best.expect)
        except DomainError:
            return None
        if failing is None or size_of(failing) >= size_of(smallest):
            return None
        smallest = failing
        found(failing)
        return failing

    # The machine first: on a small one every replay of the many to come is cheap.
    size = None
    while size != size_of(best):
        size = size_of(best)
        best = _until_none_helps(best, smaller_machines, smaller)
        best = _fewer_requests(best, smaller)
        best = _until_none_helps(best, simpler_requests, smaller)
    return best


def _until_none_helps(
    best: Trace,
    candidates: Callable[[Trace], Iterator[Trace]],
    smaller: Callable[[Trace], Trace | None],
) -> Trace:
    """Take the first candidate that still fails, and start over from it."""
    found: Trace | None = best
    while found is not None:
        best = found
        found = next(filter(None, map(smaller, candidates(best))), None)
    return best


def _fewer_requests(best: Trace, smaller: Callable[[Trace], Trace | None]) -> Trace:
    """Drop runs of requests, halves first and single ones last, from the end to the beginning."""
    length = max(1, len(best.requests) // 2)
    while length >= 1:
        end = len(best.requests)
        while end > 0:
            begin = max(0, end - length)
            kept = best.requests[:begin] + best.requests[end:]
            best, end = smaller(replace(best, requests=kept)) or best, begin
            end = min(end, len(best.requests))
        length //= 2
    return _until_none_helps(best, without_two, smaller)
