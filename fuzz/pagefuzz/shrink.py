"""Making a failing trace small: fewer requests, smaller parameters, a smaller machine.

The law must stay the same: a trace that breaks another law is another finding. Each pass runs to a
fixpoint and they alternate until none helps; what a local minimum hides, starting from several
failures finds.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from pagefuzz.replay import replay
from pagefuzz.target.protocol import Factory
from pagespec.laws.law import Level
from pagespec.ops import Verb
from pagespec.trace import Operand, Request, Trace

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


def shrink(
    trace: Trace, factory: Factory, level: Level = "exact", found: Progress = lambda trace: None
) -> Trace:
    """The smallest trace that the passes can find which breaks the same law as this one.

    Raises ValueError if the trace breaks no law.
    """
    best = _failing(trace, factory, level, law_id=None)
    if best is None:
        raise ValueError("the trace breaks no law, so there is nothing to keep while shrinking")
    found(best)
    improved = True
    while improved:
        improved = False
        for candidates in (_fewer_requests, _smaller_machines, _simpler_requests):
            again = True
            while again:
                again = False
                for candidate in candidates(best):
                    smaller = _failing(candidate, factory, level, best.expect)
                    if smaller is not None and size_of(smaller) < size_of(best):
                        best, improved, again = smaller, True, True
                        found(best)
                        break
    return best


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
    return replace(trace, requests=kept, expect=verdict.broken.law_id)


def _fewer_requests(trace: Trace) -> Iterator[Trace]:
    """Without a run of requests: halves first, single ones last; the latest ones first."""
    requests = trace.requests
    length = len(requests) // 2
    while length >= 1:
        for end in range(len(requests), length - 1, -length):
            yield replace(trace, requests=requests[: end - length] + requests[end:])
        length //= 2
    # Two at once: an allocation and a free of another block that only make room for each other.
    if len(requests) <= 16:
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
    for pages in (*range(least, min(machine.pages, 20)), machine.pages // 2, machine.pages - 1):
        if least <= pages < machine.pages:
            yield replace(trace, machine=replace(machine, pages=pages))
    for top in range(machine.top):
        yield replace(trace, machine=replace(machine, top=top))
    for start in (0, 1, 2, 4, machine.start // 2, machine.start - 1):
        if 0 <= start < machine.start:
            yield _from(trace, start)


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
