"""What may be smaller about a trace: candidates for shrinking, each with one thing put more simply.

Whether a candidate still fails is for others to find out; here it only has to be a trace.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from pagefuzz.smaller_lists import smaller_lists
from pagespec.compaction.trace import CompactionTrace
from pagespec.frames import SIZES
from pagespec.host_trace import HostTrace
from pagespec.machine import Machine
from pagespec.migratetype import MOVABLE, RECLAIMABLE, UNMOVABLE, MigrateType
from pagespec.slab.trace import SlabTrace
from pagespec.trace import SIZED_BY_NAME, Operand, Request, Trace
from pagespec.types import DomainError, Order, Pfn
from pagespec.verbs import Verb
from pagespec.vmstat.trace import CounterTrace

FEW = 16
"""Requests up to which every pair is tried; beyond, the number of pairs is too large."""

OfAny = TypeVar("OfAny", Trace, HostTrace, CounterTrace, SlabTrace, CompactionTrace)
"""A trace of one zone, of a host of several, of counters, of slabs, or of compaction."""

PLAINEST = (MOVABLE, UNMOVABLE, RECLAIMABLE)
"""The types of pageblocks that need no explanation, the plainest first."""


def without_two(trace: OfAny) -> Iterator[OfAny]:
    """Without two requests at once: often an allocation and a free that only make room."""
    requests = trace.requests
    if len(requests) > FEW:
        return
    for first in range(len(requests)):
        for second in range(first + 1, len(requests)):
            kept = requests[:first] + requests[first + 1 : second] + requests[second + 1 :]
            yield replace(trace, requests=kept)


def fewer_requests(trace: OfAny) -> Iterator[OfAny]:
    """Without a run of requests, long ones first, from the end on; of few, without any two."""
    requests = trace.requests
    length = len(requests) // 2
    while length >= 1:
        for begin in range(len(requests) - length, -1, -max(1, length)):
            yield replace(trace, requests=requests[:begin] + requests[begin + length :])
        length //= 2
    yield from without_two(trace)


# --- machines ----------------------------------------------------------------------------------


def smaller_machines(trace: Trace) -> Iterator[Trace]:
    """On a machine with less: CPUs, marks, holes, frames, orders, types, guards, frames below."""
    machine = trace.machine
    yield from smaller_lists(trace)
    for smaller in (*_without_holes(machine), *_with_less(machine), *_shorter(machine)):
        if smaller is not None:
            yield replace(trace, machine=smaller)
    for other in (_halved(trace), *_lower(trace), *_without_runs(trace), *_emptier(trace)):
        if other is not None:
            yield other


def _remade(
    machine: Machine,
    *,
    start: Pfn | None = None,
    pages: int | None = None,
    top: Order | None = None,
    pageblock: Order | None = None,
    holes: tuple[tuple[Pfn, Pfn], ...] | None = None,
) -> Machine | None:
    """The machine with another shape, if there is such a one; each frame keeps its type.

    Frames are told apart by how far they lie behind the zone's start.
    """
    bare = replace(machine, pageblock=None, types=(), guard=min(machine.guard, top or 0))
    try:
        other = replace(
            bare,
            start=machine.start if start is None else start,
            pages=machine.pages if pages is None else pages,
            top=machine.top if top is None else top,
            holes=machine.holes if holes is None else holes,
            guard=min(machine.guard, machine.top if top is None else top),
        )
        if machine.pageblock is None:
            return other
        order = min(other.top, machine.pageblock if pageblock is None else pageblock)
        other = replace(other, pageblock=order)
        firsts = range(other.start // SIZES[order] * SIZES[order], other.end, SIZES[order])
        shift = machine.start - other.start
        types = [_type_at(machine, max(first, other.start) + shift) for first in firsts]
        return replace(other, types=_plain(types))
    except DomainError:
        return None


def _type_at(machine: Machine, pfn: Pfn) -> MigrateType:
    return machine.first_types[machine.pageblock_number(min(pfn, machine.end - 1))]


def _plain(types: list[MigrateType]) -> tuple[MigrateType, ...]:
    """The types as a machine describes them: none if all are what they are without a word."""
    return () if all(mt is MOVABLE for mt in types) else tuple(types)


def _without_holes(machine: Machine) -> Iterator[Machine | None]:
    for hole in machine.holes:
        yield _remade(machine, holes=tuple(other for other in machine.holes if other != hole))


def _with_less(machine: Machine) -> Iterator[Machine | None]:
    """With no pageblocks, smaller ones, fewer types, or fewer guards."""
    if machine.pageblock is not None:
        yield replace(machine, pageblock=None, types=())
        yield replace(machine, types=())
        for mt in sorted(set(machine.types) - {MOVABLE}):
            yield _retyped(machine, [MOVABLE if had is mt else had for had in machine.types])
        for number, mt in enumerate(machine.types):
            for plainer in PLAINEST[: PLAINEST.index(mt)] if mt in PLAINEST else PLAINEST:
                types = [*machine.types]
                types[number] = plainer
                yield _retyped(machine, types)
        for order in range(1, machine.pageblock):
            yield _remade(machine, pageblock=order)
    for guard in range(machine.guard):
        yield replace(machine, guard=guard)


def _retyped(machine: Machine, types: list[MigrateType]) -> Machine | None:
    try:
        return replace(machine, types=_plain(types))
    except DomainError:
        return None


def _shorter(machine: Machine) -> Iterator[Machine | None]:
    """With fewer frames at the end, or a lower top order."""
    least = machine.holes[-1][1] - machine.start if machine.holes else 1
    shares = (machine.pages // 2, machine.pages * 3 // 4, machine.pages * 7 // 8)
    for pages in (*range(least, 20), 32, 64, 256, *shares, machine.pages - 1):
        if least <= pages < machine.pages:
            yield _remade(machine, pages=pages)
    for top in range(machine.top):
        yield _remade(machine, top=top)
        if machine.pageblock is not None:
            yield _remade(machine, top=top, pageblock=top - 1)


def _halved(trace: Trace) -> Trace | None:
    """Half as large in everything: what happens between orders 9 and 10 happens between 8 and 9."""
    machine = trace.machine
    try:
        half = replace(
            machine,
            pages=machine.pages // 2,
            top=machine.top - 1,
            start=machine.start // 2,
            holes=(),
            pageblock=None if machine.pageblock is None else machine.pageblock - 1,
            types=(),
            guard=max(0, machine.guard - 1),
            min_free=None if machine.min_free is None else machine.min_free // 2,
        )
        if machine.types:
            more = half.pageblocks - len(machine.types)
            types = [*machine.types[: half.pageblocks], *[machine.types[-1]] * more]
            half = replace(half, types=_plain(types))
    except DomainError:
        return None
    requests = tuple(
        request._replace(
            order=max(0, request.order - 1) if request.order is not None else None,
            operand=Operand(request.operand.name, request.operand.offset // 2)
            if request.operand is not None
            else None,
            pages=-(-request.pages // 2),
        )
        for request in trace.requests
    )
    return replace(trace, machine=half, requests=requests)


def _lower(trace: Trace) -> Iterator[Trace | None]:
    """The same zone from a lower frame on."""
    machine = trace.machine
    for start in (0, 1, 2, 4, machine.start // 2, machine.start - 1):
        if 0 <= start < machine.start:
            shift = machine.start - start
            holes = tuple((first - shift, end - shift) for first, end in machine.holes)
            lower = _remade(machine, start=start, holes=holes)
            yield None if lower is None else _moved(replace(trace, machine=lower), shift)


def _without_runs(trace: Trace) -> Iterator[Trace | None]:
    """Without a pageblock, or as many frames as a largest block has; what lies above moves down.

    Without pageblocks it makes no difference which of them goes, so only the lowest does.
    """
    machine = trace.machine
    for size in sorted({SIZES[machine.top], SIZES[machine.pageblock or machine.top]}, reverse=True):
        lowest = -(-machine.start // size) * size
        runs = range(lowest, machine.end - size + 1, size)
        for first in runs[: FEW if machine.pageblock is not None else 1]:
            yield _without_run(trace, first, size)


def _without_run(trace: Trace, first: Pfn, size: int) -> Trace | None:
    machine = trace.machine
    if machine.pages <= size or any(low < first + size for low, _ in machine.holes):
        return None
    types = machine.types
    if types:
        number = machine.pageblock_number(first)
        types = types[:number] + types[number + size // SIZES[machine.pageblock or 0] :]
    holes = tuple((low - size, high - size) for low, high in machine.holes)
    try:
        less = replace(machine, pages=machine.pages - size, holes=holes, types=_plain([*types]))
    except DomainError:
        return None
    return _moved(replace(trace, machine=less), size, above=first + size)


def _emptier(trace: Trace) -> Iterator[Trace | None]:
    """Without allocations that only fill the zone, and with as many frames less at its end.

    Neither alone would do where a fault needs a full zone.
    """
    used = {request.operand.name for request in trace.requests if request.operand is not None}
    fillers = [
        at
        for at, request in enumerate(trace.requests)
        if request.verb is Verb.ALLOC and request.name not in used
    ]
    for gone in ({*fillers}, {*fillers[1::2]}, *({at} for at in fillers[:FEW])):
        kept = [request for at, request in enumerate(trace.requests) if at not in gone]
        size = sum(SIZES[min(trace.requests[at].order or 0, trace.machine.top)] for at in gone)
        pages = trace.machine.pages - size
        if gone and pages > 0:
            less = _remade(trace.machine, pages=pages)
            yield None if less is None else replace(trace, machine=less, requests=tuple(kept))


def _moved(trace: Trace, shift: int, above: Pfn = 0) -> Trace:
    """The trace with frames that are given by number so much lower, as far as they lie above."""
    requests = tuple(
        request._replace(operand=Operand(None, max(0, request.operand.offset - shift)))
        if request.operand is not None
        and request.operand.name is None
        and request.operand.offset >= above
        else request
        for request in trace.requests
    )
    return replace(trace, requests=requests)


# --- requests ----------------------------------------------------------------------------------


def simpler_requests(trace: Trace) -> Iterator[Trace]:
    """With one request put more simply."""
    for position, request in enumerate(trace.requests):
        for simpler in simpler_forms(request, SIZES[trace.machine.isolation_order]):
            before, after = trace.requests[:position], trace.requests[position + 1 :]
            yield replace(trace, requests=(*before, simpler, *after))


def simpler_forms(request: Request, step: int) -> Iterator[Request]:
    """The request with one thing put more simply.

    step: how many frames a range that is asked for comes in.
    """
    for without in (
        request._replace(compound=False),
        request._replace(atomic=False),
        request._replace(nofragment=False),
        request._replace(force=False),
        request._replace(emergency=False),
        request._replace(irq=False),
        request._replace(contended=False),
        request._replace(cold=False),
        request._replace(cpu=0),
    ):
        if without != request:
            yield without
    for mt in (UNMOVABLE, MOVABLE):
        if mt < request.mt:
            yield request._replace(mt=mt)
    named = request.operand is not None and request.operand.name is not None
    sized = named or request.slot is not None
    if request.verb in SIZED_BY_NAME and request.order is not None and sized:
        yield request._replace(order=None)
    for order in range(request.order or 0):
        yield request._replace(order=order)
    for pages in _below(request.pages, 1, step):
        yield request._replace(pages=pages)
    for cpu in range(1, min(request.cpu, FEW)):
        yield request._replace(cpu=cpu)
    for slot in range(min(request.slot or 0, FEW)):
        yield request._replace(slot=slot)
    if request.operand is not None:
        name, offset = request.operand
        for smaller in _below(offset, 0, step):
            yield request._replace(operand=Operand(name, smaller))


def _below(number: int, least: int, step: int) -> Iterator[int]:
    """Some smaller numbers, the smallest first."""
    candidates = {least, 1, step, number // 2, number - step, number - 1}
    yield from sorted(below for below in candidates if least <= below < number)
