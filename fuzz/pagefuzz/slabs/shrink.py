"""Making the failing trace of slabs small: fewer requests, CPUs, frames and groups."""

from collections.abc import Callable

from pagefuzz.shrinking import Shrinker, smallest, trimmed
from pagefuzz.slabs.replay import replay_slabs
from pagefuzz.slabs.smaller import (
    OPTIONAL,
    SIZES,
    fewer_kinds,
    fewer_numbers,
    fewer_objects,
    simpler_requests,
    smaller_machines,
)
from pagefuzz.slabs.target import SlabFactory
from pagefuzz.smaller import fewer_requests
from pagespec.slab.trace import SlabTrace
from pagespec.slab.verbs import SlabVerb

EFFORT = 12_000
"""What shrinking may cost in all, in requests; so that a seed gives the same bytes."""

Progress = Callable[[SlabTrace], None]


def slab_size_of(trace: SlabTrace) -> tuple[int, ...]:
    """What shrinking makes smaller, the most important first."""
    machine, requests = trace.machine, trace.requests
    zone, ops = machine.zone, [request.op for request in requests]
    creates = [op for op in ops if op.verb is SlabVerb.CREATE]
    return (
        len(requests),
        sum(op.objects for op in ops) + sum(len(request.places) for request in requests),
        machine.cpus,
        machine.scheme != "none",
        machine.groups,
        machine.limit is not None,
        machine.present is not None,
        zone.cpus > 0,
        zone.min_free is not None,
        zone.pageblock is not None,
        len(zone.holes),
        sum(getattr(op, word) is not None for op in creates for word in OPTIONAL),
        zone.pages,
        zone.top,
        zone.start,
        machine.limit or 0,
        sum(len(request.withheld) for request in requests),
        sum(place.offset for request in requests for place in request.places),
        sum(op.verb in (SlabVerb.ALLOC_BULK, SlabVerb.FREE_BULK) for op in ops),
        sum(getattr(op, word) or 0 for op in creates for word in OPTIONAL),
        sum(op.size not in SIZES for op in creates),
        sum(op.size for op in creates),
        sum(op.order or 0 for op in ops),
        sum(op.cpu + op.group + op.cache for op in ops),
    )


def shrink_slabs(
    trace: SlabTrace, factory: SlabFactory, found: Progress = lambda trace: None
) -> SlabTrace:
    """The smallest trace that the passes can find which breaks the same law as this one.

    Raises ValueError if the trace breaks no law.
    """
    # To give everything back costs as much as the requests, and seldom is what breaks the law.
    verdict = replay_slabs(trace, factory)
    late = verdict.step > len(trace.requests)

    def failing(candidate: SlabTrace, law: str | None) -> SlabTrace | None:
        return trimmed(candidate, replay_slabs(candidate, factory, to_the_end=late), law)

    return smallest(
        Shrinker(
            failing,
            slab_size_of,
            lambda candidate: len(candidate.requests) + 1,
            (
                fewer_kinds,
                fewer_requests,
                smaller_machines,
                fewer_objects,
                fewer_numbers,
                simpler_requests,
            ),
            EFFORT,
        ),
        trace,
        found,
    )
