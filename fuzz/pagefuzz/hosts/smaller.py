"""What may be smaller about the trace of a host: fewer zones, CPUs and frames, plainer requests."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from pagefuzz.smaller import FEW, simpler_forms
from pagespec.frames import SIZES
from pagespec.host import RATIOS, Host, Part
from pagespec.host_trace import HostTrace
from pagespec.machine import Machine
from pagespec.trace import Request
from pagespec.types import DomainError, Pfn, ZoneClass


def smaller_hosts(trace: HostTrace) -> Iterator[HostTrace]:
    """On a host with less: zones, CPUs, marks, or in each zone holes, types and frames."""
    for host in _smaller(trace.host):
        yield replace(trace, host=host)


def _smaller(host: Host) -> Iterator[Host]:
    for number in range(len(host.parts)):
        yield from _made(host, host.parts[:number] + host.parts[number + 1 :])
    for cpu in range(len(host.cpus)):
        yield from _made(host, host.parts, host.cpus[:cpu] + host.cpus[cpu + 1 :])
    try:
        yield replace(host, min_free=None, ratios=RATIOS)
        yield replace(host, ratios=RATIOS)
        yield replace(host, by_zone=False)
    except DomainError:
        return
    for parts in (_without_cells(host.parts), _plain(host.parts), _lower(host.parts)):
        yield from _made(host, parts)
    for number, part in enumerate(host.parts):
        for machine in _with_less(part.machine):
            changed = replace(part, machine=machine)
            yield from _made(host, (*host.parts[:number], changed, *host.parts[number + 1 :]))


def _made(
    host: Host, parts: tuple[Part, ...], cpus: tuple[int, ...] | None = None
) -> Iterator[Host]:
    """The host of these zones and CPUs, if there is such a one."""
    cpus = host.cpus if cpus is None else cpus
    try:
        remade = tuple(
            replace(part, machine=_for_cpus(part.machine, part.node, cpus)) for part in parts
        )
        yield replace(host, parts=remade, cpus=cpus)
    except DomainError:
        return


def _for_cpus(machine: Machine, node: int, cpus: tuple[int, ...]) -> Machine:
    far = frozenset(cpu for cpu, near in enumerate(cpus) if near != node)
    sizes = (machine.batch, machine.high) if cpus else (None, None)
    cells = machine.cells and bool(cpus)
    return replace(machine, cpus=len(cpus), far=far, batch=sizes[0], high=sizes[1], cells=cells)


def _without_cells(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """The zones with all CPUs telling at once what they count."""
    return tuple(replace(part, machine=replace(part.machine, cells=False)) for part in parts)


def _plain(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """The zones without pageblocks."""
    return tuple(
        replace(part, machine=replace(part.machine, pageblock=None, types=(), guard=0))
        for part in parts
    )


def _lower(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """The zones one behind the other from frame 0, without holes."""
    at: Pfn = 0
    lower = []
    for part in parts:
        machine = replace(part.machine, start=at, holes=(), types=())
        lower.append(replace(part, machine=machine))
        size = SIZES[machine.top]
        at = -(-machine.end // size) * size
    return tuple(lower)


def _with_less(machine: Machine) -> Iterator[Machine]:
    least = machine.holes[-1][1] - machine.start if machine.holes else 1
    lengths = (*range(least, 9), 16, 32, machine.pages // 2, machine.pages - 1)
    candidates = [
        partial(replace, machine, holes=()),
        partial(replace, machine, types=()),
        partial(replace, machine, guard=0),
        *(
            partial(replace, machine, pages=pages, types=())
            for pages in lengths
            if least <= pages < machine.pages
        ),
    ]
    for candidate in candidates:
        try:
            smaller = candidate()
        except DomainError:
            continue
        if smaller != machine:
            yield smaller


def simpler_requests(trace: HostTrace) -> Iterator[HostTrace]:
    """With one request put more simply."""
    step = SIZES[trace.host.parts[0].machine.isolation_order]
    for position, request in enumerate(trace.requests):
        before, after = trace.requests[:position], trace.requests[position + 1 :]
        for simpler in _simpler(request, step):
            if simpler != request:
                yield replace(trace, requests=(*before, simpler, *after))


def _simpler(request: Request, step: int) -> Iterator[Request]:
    yield from simpler_forms(request, step)
    yield request._replace(only_node=False)
    yield request._replace(highest=ZoneClass.NORMAL)
    for node in range(min(request.node, FEW)):
        yield request._replace(node=node)
