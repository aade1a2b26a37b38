"""Making the failing trace of a host small: fewer requests, fewer zones, plainer requests.

The law must stay the same: a trace that breaks another law is another finding.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from pagefuzz.hosts.replay import replay_host
from pagefuzz.hosts.smaller import fewer_requests, simpler_requests, smaller_hosts
from pagefuzz.hosts.target import HostFactory
from pagefuzz.record import complaint_of
from pagespec.host import RATIOS
from pagespec.host_trace import HostTrace
from pagespec.migratetype import MOVABLE
from pagespec.trace import FLAGS
from pagespec.types import DomainError, ZoneClass

EFFORT = 60_000
"""What shrinking may cost in all, in requests; so that a seed gives the same bytes."""

Progress = Callable[[HostTrace], None]


def host_size_of(trace: HostTrace) -> tuple[int, ...]:
    """What shrinking makes smaller, the most important first."""
    host, requests = trace.host, trace.requests
    machines = [part.machine for part in host.parts]
    return (
        len(requests),
        len(host.parts),
        len(host.cpus),
        host.min_free is not None,
        machines[0].pageblock is not None,
        sum(len(machine.holes) for machine in machines),
        sum(mt is not MOVABLE for machine in machines for mt in machine.types),
        sum(machine.pages for machine in machines),
        sum(machine.guard for machine in machines),
        host.ratios != RATIOS,
        host.by_zone,
        sum(machine.start for machine in machines),
        sum(request.order or 0 for request in requests),
        sum(getattr(request, flag) for request in requests for flag in FLAGS),
        sum(request.only_node + (request.highest is not ZoneClass.NORMAL) for request in requests),
        sum(request.mt + request.node + request.cpu + request.pages for request in requests),
    )


def shrink_host(
    trace: HostTrace, factory: HostFactory, found: Progress = lambda trace: None
) -> HostTrace:
    """The smallest trace that the passes can find which breaks the same law as this one.

    Raises ValueError if the trace breaks no law.
    """
    failing = _failing(trace, factory, None)
    if failing is None:
        raise ValueError("the trace breaks no law, so there is nothing to keep while shrinking")
    best = failing
    found(best)
    spent = 0

    def smaller(candidate: HostTrace) -> HostTrace | None:
        nonlocal spent
        spent += len(candidate.requests) + 1
        if spent > EFFORT or host_size_of(candidate) >= host_size_of(best):
            return None
        try:
            return _failing(candidate, factory, best.expect)
        except DomainError:
            return None

    size = None
    while size != host_size_of(best):
        size = host_size_of(best)
        for candidates in (fewer_requests, smaller_hosts, simpler_requests):
            while (less := _first(candidates(best), smaller)) is not None:
                best = less
                found(best)
    return best


def _first(
    candidates: Iterator[HostTrace], smaller: Callable[[HostTrace], HostTrace | None]
) -> HostTrace | None:
    return next(filter(None, map(smaller, candidates)), None)


def _failing(trace: HostTrace, factory: HostFactory, law_id: str | None) -> HostTrace | None:
    """The trace without what it does not need, if it breaks the law (or any law, without one)."""
    verdict = replay_host(trace, factory)
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
