"""What may be smaller about CPUs' lists and watermarks: candidates for shrinking a trace."""

from collections.abc import Iterator
from dataclasses import replace

from pagespec.machine import Machine
from pagespec.trace import Request, Trace

MOST_CPUS = 6
"""CPUs up to which every pair is merged; beyond, the number of pairs is too large."""


def smaller_lists(trace: Trace) -> Iterator[Trace]:
    """Without cells, watermarks or CPUs, or with two of these as one, and with smaller sizes."""
    machine = trace.machine
    if machine.cells:
        yield replace(trace, machine=replace(machine, cells=False))
    if machine.min_free is not None:
        yield replace(trace, machine=replace(machine, min_free=None))
    if machine.cpus:
        alone = replace(machine, cpus=0, batch=None, high=None, cells=False)
        requests = tuple(request._replace(cpu=0) for request in trace.requests)
        yield replace(trace, machine=alone, requests=requests)
        yield from _with_fewer_cpus(trace)
    for smaller in _with_smaller_sizes(machine):
        yield replace(trace, machine=smaller)


def _with_fewer_cpus(trace: Trace) -> Iterator[Trace]:
    cpus = trace.machine.cpus
    if cpus == 1:
        return
    fewer = replace(trace.machine, cpus=cpus - 1)
    for gone in reversed(range(cpus)):
        for into in range(gone) if cpus <= MOST_CPUS else (0,):
            requests = tuple(_merged(request, gone, into) for request in trace.requests)
            yield replace(trace, machine=fewer, requests=requests)


def _merged(request: Request, gone: int, into: int) -> Request:
    """The request with one CPU for another, and with those above moved down by one."""
    if request.cpu == gone:
        return request._replace(cpu=into)
    return request._replace(cpu=request.cpu - 1) if request.cpu > gone else request


def _with_smaller_sizes(machine: Machine) -> Iterator[Machine]:
    """What follows from the zone's size comes first: it need not be said."""
    if machine.batch is not None:
        yield from (replace(machine, batch=batch) for batch in (None, *_below(machine.batch)))
    if machine.high is not None:
        yield from (replace(machine, high=high) for high in (None, *_below(machine.high)))
    if machine.min_free is not None:
        yield from (replace(machine, min_free=kbytes) for kbytes in _below(machine.min_free))


def _below(size: int) -> Iterator[int]:
    """Some smaller sizes, the smallest first; four KiB are a frame."""
    candidates = {0, 1, 2, 4, size // 2, size - 4, size - 1}
    yield from sorted(below for below in candidates if 0 <= below < size)
