"""What may be smaller about a trace of slabs: a smaller machine, plainer requests."""

from collections.abc import Iterator
from dataclasses import replace

from pagefuzz.slabs.smaller_machines import smaller_slab_machines
from pagespec.slab.machine import SlabMachine
from pagespec.slab.trace import Place, SlabRequest, SlabTrace
from pagespec.slab.verbs import SlabOp, SlabVerb

SIZES = (8, 256, 512, 1024, 2048, 4096)
"""The sizes of objects that are tried in place of others."""

FEW = 8
"""Places up to which each is left out by itself."""

OPTIONAL = ("order", "objects_kept", "partials", "batch", "shared")
"""What a cache may say in place of what follows from the objects' size."""


def smaller_machines(trace: SlabTrace) -> Iterator[SlabTrace]:
    """On a machine with less; a CPU that is no more hands over to the last one."""
    for machine in smaller_slab_machines(trace.machine):
        yield replace(
            trace,
            machine=machine,
            requests=tuple(
                request._replace(op=_moved(request.op, trace.machine, machine))
                for request in trace.requests
            ),
        )


def _moved(op: SlabOp, before: SlabMachine, after: SlabMachine) -> SlabOp:
    """The request on CPUs that there still are; one that there never was stays none."""
    cpu = min(op.cpu, after.cpus - 1) if op.cpu < before.cpus else after.cpus
    return op._replace(cpu=cpu, group=min(op.group, after.groups))


def fewer_numbers(trace: SlabTrace) -> Iterator[SlabTrace]:
    """With all requests about one cache, or group, being about another of a lower number."""
    for field in ("cache", "group"):
        numbers = sorted({getattr(request.op, field) for request in trace.requests})
        for number in numbers:
            for lower in range(1, number):
                yield replace(
                    trace,
                    requests=tuple(
                        request._replace(op=_with(request.op, field, lower))
                        if getattr(request.op, field) == number
                        else request
                        for request in trace.requests
                    ),
                )


def _with(op: SlabOp, word: str, value: int | None) -> SlabOp:
    said = {each: getattr(op, each) for each in SlabOp._fields}
    return SlabOp(**(said | {word: value}))


def fewer_kinds(trace: SlabTrace) -> Iterator[SlabTrace]:
    """Without all requests of a verb, about a cache, of a CPU or for a group."""
    for field in ("verb", "cache", "group", "cpu"):
        values = [getattr(request.op, field) for request in trace.requests]
        for value in dict.fromkeys(values):
            kept = zip(trace.requests, values, strict=True)
            requests = tuple(request for request, other in kept if other != value)
            if requests:
                yield replace(trace, requests=requests)


def fewer_objects(trace: SlabTrace) -> Iterator[SlabTrace]:
    """With a bulk request about fewer objects, which nobody speaks of any more then."""
    for position, request in enumerate(trace.requests):
        before, after = trace.requests[:position], trace.requests[position + 1 :]
        if request.op.verb is SlabVerb.ALLOC_BULK:
            for objects in _less(request.op.objects):
                op = request.op._replace(objects=objects)
                asked = request._replace(op=op, names=request.names[:objects])
                gone = set(request.names[objects:])
                yield replace(trace, requests=(*before, asked, *_without(after, gone)))
        if request.op.verb is SlabVerb.FREE_BULK:
            for some in _parts(request.places):
                kept = tuple(place for place in request.withheld if place in some)
                freed = request._replace(places=some, withheld=kept)
                yield replace(trace, requests=(*before, freed, *after))


def _less(number: int) -> Iterator[int]:
    """Numbers below it, those that are much smaller first."""
    yield from dict.fromkeys(
        less
        for less in (1, 2, 3, 4, number // 2, number * 3 // 4, number - 1)
        if 0 <= less < number
    )


def _parts(places: tuple[Place, ...]) -> Iterator[tuple[Place, ...]]:
    """Runs of places: halves and quarters, then all but one of few."""
    for size in (len(places) // 2, len(places) // 4):
        for first in range(0, len(places), size or max(1, len(places))):
            yield places[:first] + places[first + size :]
    if len(places) <= FEW:
        for first in range(len(places)):
            yield places[:first] + places[first + 1 :]


def _without(requests: tuple[SlabRequest, ...], names: set[str]) -> Iterator[SlabRequest]:
    """The requests without places behind objects of these names."""
    for request in requests:
        places = tuple(place for place in request.places if place.name not in names)
        withheld = tuple(place for place in request.withheld if place.name not in names)
        if places or not request.places:
            yield request._replace(places=places, withheld=withheld)


def simpler_requests(trace: SlabTrace) -> Iterator[SlabTrace]:
    """With one request put more simply."""
    for position, request in enumerate(trace.requests):
        before, after = trace.requests[:position], trace.requests[position + 1 :]
        for simpler in _simpler(request):
            if simpler != request:
                yield replace(trace, requests=(*before, simpler, *after))


def _simpler(request: SlabRequest) -> Iterator[SlabRequest]:
    op = request.op
    for simpler in _simpler_ops(op):
        yield request._replace(op=simpler)
    if op.verb is SlabVerb.ALLOC_BULK:
        one = SlabOp(SlabVerb.ALLOC, op.cpu, op.cache, group=op.group)
        yield request._replace(op=one, names=request.names[:1])
    if op.verb is SlabVerb.FREE_BULK and len(request.places) == 1:
        yield request._replace(op=SlabOp(SlabVerb.FREE, op.cpu))
    yield request._replace(withheld=())


def _simpler_ops(op: SlabOp) -> Iterator[SlabOp]:
    if op.verb in (SlabVerb.ALLOC, SlabVerb.ALLOC_BULK):
        yield op._replace(group=0)
    if op.verb is SlabVerb.FREE_BULK:
        yield op._replace(cache=0)
    for cpu in range(op.cpu):
        yield op._replace(cpu=cpu)
    if op.verb is SlabVerb.CREATE:
        for word in OPTIONAL:
            value = getattr(op, word)
            yield _with(op, word, None)
            for less in range(min(value or 0, 8)):
                yield _with(op, word, less)
        yield from (op._replace(size=size) for size in SIZES)
    elif op.order:
        yield from (op._replace(order=order) for order in range(op.order))
