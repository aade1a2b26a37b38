"""Making the failing trace of a host small: fewer requests, fewer zones, plainer requests."""

from collections.abc import Callable

from pagefuzz.hosts.replay import replay_host
from pagefuzz.hosts.smaller import simpler_requests, smaller_hosts
from pagefuzz.hosts.target import HostFactory
from pagefuzz.shrinking import Shrinker, smallest, trimmed
from pagefuzz.smaller import fewer_requests
from pagespec.host import RATIOS
from pagespec.host_trace import HostTrace
from pagespec.migratetype import MOVABLE
from pagespec.trace import FLAGS
from pagespec.types import ZoneClass

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
        machines[0].cells,
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
    return smallest(
        Shrinker(
            lambda candidate, law: trimmed(candidate, replay_host(candidate, factory), law),
            host_size_of,
            lambda candidate: len(candidate.requests) + 1,
            (fewer_requests, smaller_hosts, simpler_requests),
            EFFORT,
        ),
        trace,
        found,
    )
