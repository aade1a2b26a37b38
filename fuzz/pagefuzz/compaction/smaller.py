"""What may be smaller about a trace of compaction: a smaller zone, plainer requests."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from pagespec.compaction.laws.legal import COMPACTING
from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.trace import CompactionRequest, CompactionTrace
from pagespec.compaction.verbs import CompactionOp, CompactionVerb
from pagespec.machine import Machine
from pagespec.migratetype import MOVABLE, UNMOVABLE
from pagespec.types import DomainError

PAGES = (4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64)
"""The frames of a zone that are tried in place of more."""


def smaller_machines(trace: CompactionTrace) -> Iterator[CompactionTrace]:
    """On a machine with one thing said more simply, as far as there are such machines.

    A CPU that is no more hands over to the last one.
    """
    machine = trace.machine
    for candidate in (*_ways(machine), *(_over(machine, zone) for zone in _zones(machine.zone))):
        try:
            smaller = candidate()
        except DomainError:
            continue
        if smaller != machine:
            most = max(0, smaller.zone.cpus - 1)
            requests = tuple(
                request._replace(op=request.op._replace(cpu=min(request.op.cpu, most)))
                for request in trace.requests
            )
            yield replace(trace, machine=smaller, requests=requests)


Candidate = Callable[[], CompactionMachine]


def _ways(machine: CompactionMachine) -> Iterator[Candidate]:
    yield partial(replace, machine, scan=None)


def _over(machine: CompactionMachine, zone: Callable[[], Machine]) -> Candidate:
    return lambda: replace(machine, zone=zone())


def _zones(zone: Machine) -> Iterator[Callable[[], Machine]]:
    yield partial(replace, zone, cpus=0, batch=None)
    yield from (partial(replace, zone, cpus=cpus) for cpus in range(1, zone.cpus))
    yield from (partial(replace, zone, min_free=size) for size in (None, 8, 16, 40))
    yield partial(replace, zone, batch=None)
    yield partial(replace, zone, batch=1)
    yield partial(replace, zone, holes=())
    yield partial(replace, zone, types=())
    for pages in (*PAGES, zone.pages // 2, zone.pages - 1):
        if 0 < pages < zone.pages:
            yield partial(_with_pages, zone, pages)
            yield partial(_with_pages, replace(zone, holes=()), pages)
    for top in range(1, zone.top):
        for pageblock in {top, min(top, zone.pageblock or 0)}:
            yield partial(_reshaped, zone, top, pageblock)
    for pageblock in range(1, zone.pageblock or 0):
        yield partial(_reshaped, zone, zone.top, pageblock)
    yield partial(_at_zero, zone)


def _with_pages(zone: Machine, pages: int) -> Machine:
    bare = replace(zone, types=(), pages=pages)
    return replace(bare, types=zone.types[: bare.pageblocks])


def _reshaped(zone: Machine, top: int, pageblock: int) -> Machine:
    return replace(zone, types=(), top=top, pageblock=pageblock)


def _at_zero(zone: Machine) -> Machine:
    holes = tuple((first - zone.start, end - zone.start) for first, end in zone.holes)
    return replace(zone, types=(), start=0, holes=holes)


def halved(trace: CompactionTrace) -> Iterator[CompactionTrace]:
    """Half as large in everything: what happens between orders 5 and 6 happens between 4 and 5."""
    zone = trace.machine.zone
    try:
        half = replace(
            zone,
            pages=zone.pages // 2,
            start=zone.start // 2,
            top=zone.top - 1,
            pageblock=(zone.pageblock or 0) - 1,
            holes=(),
            types=(),
        )
        machine = replace(trace.machine, zone=half)
    except DomainError:
        return
    for step in (1, 0):
        requests = tuple(
            request._replace(op=request.op._replace(order=max(0, request.op.order - step)))
            for request in trace.requests
        )
        yield replace(trace, machine=machine, requests=requests)


def merged_allocations(trace: CompactionTrace) -> Iterator[CompactionTrace]:
    """With one block of twice the size in place of two that follow one another, or of four."""
    requests = trace.requests
    allocations = [
        at for at, request in enumerate(requests) if request.op.verb is CompactionVerb.ALLOC
    ]
    for count in (3, 1):
        for place, at in enumerate(allocations):
            gone = set(allocations[place + 1 : place + 1 + count])
            op = requests[at].op
            order = op.order + (2 if count == 3 else 1)
            if len(gone) == count and order <= trace.machine.zone.top:
                for mt in {op.mt, UNMOVABLE}:
                    larger = requests[at]._replace(op=op._replace(order=order, mt=mt))
                    kept = [
                        larger if number == at else request
                        for number, request in enumerate(requests)
                        if number not in gone
                    ]
                    yield replace(trace, requests=tuple(kept))


def simpler_requests(trace: CompactionTrace) -> Iterator[CompactionTrace]:
    """With one request put more simply."""
    for position, request in enumerate(trace.requests):
        before, after = trace.requests[:position], trace.requests[position + 1 :]
        for simpler in _simpler(request):
            if simpler != request:
                yield replace(trace, requests=(*before, simpler, *after))


def _simpler(request: CompactionRequest) -> Iterator[CompactionRequest]:
    op = request.op
    for simpler in _simpler_ops(op):
        yield request._replace(op=simpler)
    if op.verb in COMPACTING:
        yield request._replace(op=CompactionOp(CompactionVerb.COMPACT, whole=True), name=None)
    if op.verb is CompactionVerb.DIRECT:
        yield request._replace(op=op._replace(verb=CompactionVerb.ALLOC, mode="sync", whole=False))
    yield request._replace(sized=False)


def _simpler_ops(op: CompactionOp) -> Iterator[CompactionOp]:
    yield from (op._replace(cpu=cpu) for cpu in range(op.cpu))
    yield from (op._replace(order=order) for order in range(min(op.order, 16)))
    yield from (op._replace(pages=pages) for pages in range(1, op.pages))
    yield op._replace(mt=MOVABLE)
    yield op._replace(lru=True)
    yield op._replace(mode="sync")
    yield op._replace(killed=False)
    yield op._replace(whole=False)
    yield op._replace(irq=False)
    if op.verb is CompactionVerb.COMPACT and op.whole:
        yield op._replace(order=0)
    if op.verb is CompactionVerb.CLAIM:
        yield from (op._replace(pfn=pfn) for pfn in range(min(op.pfn, 32)))
