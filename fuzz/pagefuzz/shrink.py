"""Making a failing trace small: fewer requests, smaller parameters, a smaller machine.

The law must stay the same: a trace that breaks another law is another finding. Each pass runs to a
fixpoint and they alternate until none helps; what a local minimum hides, starting from several
failures finds.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from pagefuzz.record import complaint_of
from pagefuzz.replay import replay
from pagefuzz.target.protocol import Factory
from pagespec.laws.law import Level
from pagespec.trace import Operand, Request, Trace
from pagespec.types import DomainError
from pagespec.verbs import Verb

FEW = 16
"""Requests up to which every pair is tried; beyond, the number of pairs is too large."""

EFFORT = 200_000
"""What shrinking may cost in all; a count and not a time, so that a seed gives the same bytes."""

Progress = Callable[[Trace], None]
"""Called with each smaller trace as soon as it is found, so that it can be kept."""


def size_of(trace: Trace) -> tuple[int, ...]:
    """What shrinking makes smaller, the most important first."""
    machine, requests = trace.machine, trace.requests
    return (
        len(requests),
        len(machine.holes),
        machine.pages,
        machine.top,
        machine.start,
        sum(request.order is not None for request in requests),
        sum(request.order or 0 for request in requests),
        sum(request.compound for request in requests),
        sum(request.operand is not None and request.operand.name is None for request in requests),
        sum(request.operand.offset for request in requests if request.operand is not None),
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
    failing = _failing(trace, factory, level, law_id=None)
    if failing is None:
        raise ValueError("the trace breaks no law, so there is nothing to keep while shrinking")
    best = failing
    found(best)
    spent = 0

    def smaller(candidate: Trace) -> Trace | None:
        nonlocal spent
        if spent > EFFORT:
            return None
        spent += cost_of(candidate)
        try:
            failing = _failing(candidate, factory, level, best.expect)
        except DomainError:
            return None
        if failing is None or size_of(failing) >= size_of(best):
            return None
        found(failing)
        return failing

    # The machine first: on a small one every replay of the many to come is cheap.
    size = None
    while size != size_of(best):
        size = size_of(best)
        best = _until_none_helps(best, _smaller_machines, smaller)
        best = _fewer_requests(best, smaller)
        best = _until_none_helps(best, _simpler_requests, smaller)
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
    return _until_none_helps(best, _without_two, smaller)


def _failing(trace: Trace, factory: Factory, level: Level, law_id: str | None) -> Trace | None:
    """The trace without what it does not need, if it breaks the law (or any law, without one)."""
    verdict = replay(trace, factory, level)
    if verdict.broken is None or (law_id is not None and verdict.broken.law_id != law_id):
        return None
    kept = tuple(
        request._replace(answer=None)
        for position, request in enumerate(trace.requests[: verdict.step])
        if position not in verdict.skipped
    )
    # The complaint of a larger trace speaks of frames that are gone.
    others = [comment for comment in trace.comments if not comment.startswith(f"{trace.expect}: ")]
    comments = (*others, complaint_of(verdict.broken))
    return replace(trace, requests=kept, expect=verdict.broken.law_id, comments=comments)


def _without_two(trace: Trace) -> Iterator[Trace]:
    """Without two requests at once: often an allocation and a free that only make room."""
    requests = trace.requests
    if len(requests) > FEW:
        return
    for first in range(len(requests)):
        for second in range(first + 1, len(requests)):
            kept = requests[:first] + requests[first + 1 : second] + requests[second + 1 :]
            yield replace(trace, requests=kept)


def _smaller_machines(trace: Trace) -> Iterator[Trace]:
    """On a machine with fewer holes, frames or orders, or that starts at frame zero."""
    machine = trace.machine
    for hole in machine.holes:
        holes = tuple(other for other in machine.holes if other != hole)
        yield replace(trace, machine=replace(machine, holes=holes))
    least = machine.holes[-1][1] - machine.start if machine.holes else 1
    for pages in (*range(least, 20), 32, 64, 256, machine.pages // 2, machine.pages - 1):
        if least <= pages < machine.pages:
            yield replace(trace, machine=replace(machine, pages=pages))
    for top in range(machine.top):
        yield replace(trace, machine=replace(machine, top=top))
    if machine.top > 0 and machine.pages > 1:
        yield _halved(trace)
    for start in (0, 1, 2, 4, machine.start // 2, machine.start - 1):
        if 0 <= start < machine.start:
            yield _from(trace, start)


def _halved(trace: Trace) -> Trace:
    """Half as large in everything: what happens between orders 9 and 10 happens between 8 and 9."""
    machine = trace.machine
    half = replace(
        machine, pages=machine.pages // 2, top=machine.top - 1, start=machine.start // 2, holes=()
    )
    requests = tuple(
        request._replace(
            order=max(0, request.order - 1) if request.order is not None else None,
            operand=Operand(request.operand.name, request.operand.offset // 2)
            if request.operand is not None
            else None,
        )
        for request in trace.requests
    )
    return replace(trace, machine=half, requests=requests)


def _from(trace: Trace, start: int) -> Trace:
    """The same zone from another frame on; frames given by number move along."""
    machine, shift = trace.machine, trace.machine.start - start
    holes = tuple((first - shift, end - shift) for first, end in machine.holes)
    requests = tuple(
        request._replace(operand=Operand(None, max(0, request.operand.offset - shift)))
        if request.operand is not None and request.operand.name is None
        else request
        for request in trace.requests
    )
    return replace(trace, machine=replace(machine, start=start, holes=holes), requests=requests)


def _simpler_requests(trace: Trace) -> Iterator[Trace]:
    """With one request put more simply."""
    for position, request in enumerate(trace.requests):
        for simpler in _simpler(request):
            before, after = trace.requests[:position], trace.requests[position + 1 :]
            yield replace(trace, requests=(*before, simpler, *after))


def _simpler(request: Request) -> Iterator[Request]:
    if request.compound:
        yield request._replace(compound=False)
    named = request.operand is not None and request.operand.name is not None
    if request.verb is Verb.FREE and request.order is not None and named:
        yield request._replace(order=None)
    for order in range(request.order or 0):
        yield request._replace(order=order)
    if request.operand is not None:
        name, offset = request.operand
        for smaller in {0, 1, offset // 2, offset - 1}:
            if 0 <= smaller < offset:
                yield request._replace(operand=Operand(name, smaller))
