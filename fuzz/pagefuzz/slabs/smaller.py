"""What may be smaller about a trace of slabs: a smaller machine, plainer requests."""

from collections.abc import Iterator
from dataclasses import replace

from pagefuzz.slabs.smaller_machines import smaller_slab_machines
from pagespec.slab.machine import SlabMachine
from pagespec.slab.trace import SlabRequest, SlabTrace
from pagespec.slab.verbs import SlabOp, SlabVerb

SIZES = (8, 256, 512, 1024, 2048, 4096)
"""The sizes of objects that are tried in place of others."""

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
        for objects in (*range(min(op.objects, 8)), op.objects // 2, op.objects - 1):
            if 0 <= objects < op.objects:
                yield request._replace(
                    op=op._replace(objects=objects), names=request.names[:objects]
                )
    if op.verb is SlabVerb.FREE_BULK and len(request.places) == 1:
        yield request._replace(op=SlabOp(SlabVerb.FREE, op.cpu))
    yield request._replace(withheld=())
    for at in range(len(request.places)):
        places = request.places[:at] + request.places[at + 1 :]
        kept = tuple(place for place in request.withheld if place in places)
        if places or op.verb is not SlabVerb.FREE:
            yield request._replace(places=places, withheld=kept)


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
