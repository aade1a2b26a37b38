"""What may be smaller about a trace of counters: fewer CPUs and zones, plainer requests."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations, product

from pagefuzz.smaller import FEW
from pagespec.types import DomainError
from pagespec.vmstat.machine import CountedZone, CounterMachine, Item
from pagespec.vmstat.trace import COUNTER_SHAPES, CounterTrace, scope_of
from pagespec.vmstat.verbs import CounterOp, CounterVerb

BY_CPU = frozenset(verb for verb, shape in COUNTER_SHAPES.items() if "cpu" in shape.may_have)
"""The verbs that name a CPU."""

PAGES = (1, 2, 8, 64, 500)
"""The frames of a zone that are tried in place of more."""


def smaller_machines(trace: CounterTrace) -> Iterator[CounterTrace]:
    """On a machine with less: CPUs, zones, nodes, marks, thresholds, frames."""
    for cpu in range(len(trace.machine.cpus)):
        yield from _without_cpu(trace, cpu)
    for zone in range(len(trace.machine.zones)):
        yield from _without_zone(trace, zone)
    for machine in _with_less(trace.machine):
        yield replace(trace, machine=machine)


def _without_cpu(trace: CounterTrace, cpu: int) -> Iterator[CounterTrace]:
    """Those behind it move up; what it did is left out, or done by the CPU in its place."""
    cpus = trace.machine.cpus
    if len(cpus) == 1:
        return
    machine = replace(trace.machine, cpus=cpus[:cpu] + cpus[cpu + 1 :])
    heir = max(0, cpu - 1)
    for inherited in (False, True):
        requests = []
        for request in trace.requests:
            op = request.op
            if op.verb in BY_CPU and op.cpu == cpu:
                if not inherited:
                    continue
                op = op._replace(cpu=heir)
            elif op.verb in BY_CPU and op.cpu > cpu:
                op = op._replace(cpu=op.cpu - 1)
            requests.append(request._replace(op=op))
        yield replace(trace, machine=machine, requests=tuple(requests))


def _without_zone(trace: CounterTrace, zone: int) -> Iterator[CounterTrace]:
    """Those behind it move up; what was about it is left out, or about the zone in its place."""
    zones = trace.machine.zones
    if len(zones) == 1:
        return
    left = zones[:zone] + zones[zone + 1 :]
    # With its share of min_free_kbytes gone as well, the marks of the others stay as they were.
    share = sum(each.pages for each in left) / sum(each.pages for each in zones)
    kbytes = round(trace.machine.min_free * share)
    for inherited, min_free in product(
        (False, True), dict.fromkeys((trace.machine.min_free, kbytes))
    ):
        machine = replace(trace.machine, zones=left, min_free=min_free)
        requests = []
        for request in trace.requests:
            op = request.op
            named = {op.where} if _is_of_zone(trace.machine, op) else set()
            named |= {op.preferred} if op.verb is CounterVerb.COUNT else set()
            if zone in named and not inherited:
                continue
            if _is_of_zone(trace.machine, op):
                op = op._replace(where=_moved(op.where, zone))
            if op.verb is CounterVerb.COUNT:
                op = op._replace(preferred=_moved(op.preferred, zone))
            requests.append(request._replace(op=op))
        yield replace(trace, machine=machine, requests=tuple(requests))


def _is_of_zone(machine: CounterMachine, op: CounterOp) -> bool:
    """Whether `where` is a zone's number."""
    about = COUNTER_SHAPES[op.verb].about
    return (scope_of(machine, op.item) if about == "counter" else about) == "zone"


def _moved(zone: int, gone: int) -> int:
    return max(0, zone - 1) if zone >= gone > 0 or zone > gone else zone


def _with_less(machine: CounterMachine) -> Iterator[CounterMachine]:
    """What there is of the machine with one thing said more simply."""
    plain = tuple(zone._replace(node=0) for zone in machine.zones)
    sizes = (machine.normal, machine.pressure, machine.numa_threshold)
    normal, pressure, own = sizes
    candidates = [
        partial(replace, machine, cpus=tuple(0 for _ in machine.cpus), zones=plain),
        partial(replace, machine, cpus=tuple(0 for _ in machine.cpus)),
        partial(replace, machine, numa=None, numa_threshold=None),
        partial(replace, machine, numa=None),
        partial(replace, machine, normal=None, pressure=None, numa_threshold=None),
        partial(replace, machine, normal=None, pressure=None),
        partial(replace, machine, pressure=None),
        partial(replace, machine, numa_threshold=None),
        *(partial(replace, machine, normal=size) for size in range(normal or 0)),
        *(partial(replace, machine, pressure=size) for size in range(pressure or 0)),
        *(partial(replace, machine, numa_threshold=size) for size in range(own or 0)),
        *(partial(replace, machine, min_free=size) for size in _less(machine.min_free)),
        *(
            partial(replace, machine, zones=_with_pages(machine, number, pages))
            for number, zone in enumerate(machine.zones)
            for pages in (*PAGES, zone.pages // 2)
            if 1 <= pages < zone.pages
        ),
    ]
    for candidate in candidates:
        try:
            smaller = candidate()
        except DomainError:
            continue
        if smaller != machine:
            yield smaller


def _with_pages(machine: CounterMachine, number: int, pages: int) -> tuple[CountedZone, ...]:
    zones = list(machine.zones)
    zones[number] = zones[number]._replace(pages=pages)
    return tuple(zones)


def _less(number: int) -> Iterator[int]:
    """Numbers nearer to 0, of the same sign or without; the nearest first."""
    sign = 1 if number > 0 else -1
    size = abs(number)
    steps = [size - (size >> shift) for shift in range(2, size.bit_length())]
    for less in dict.fromkeys((0, 1, 2, 3, 4, 8, 16, size // 4, size // 2, *steps)):
        if less < size:
            yield sign * less


def merged_requests(trace: CounterTrace) -> Iterator[CounterTrace]:
    """With two changes of one counter on one CPU as one, in the place of either."""
    requests = trace.requests
    if len(requests) > FEW:
        return
    changes = [_change_of(request.op) for request in requests]
    for first, second in combinations(range(len(requests)), 2):
        one, other = changes[first], changes[second]
        if one is None or other is None or one._replace(by=0) != other._replace(by=0):
            continue
        merged = requests[first]._replace(op=one._replace(by=one.by + other.by))
        between, after = requests[first + 1 : second], requests[second + 1 :]
        yield replace(trace, requests=(*requests[:first], merged, *between, *after))
        yield replace(trace, requests=(*requests[:first], *between, merged, *after))


def _change_of(op: CounterOp) -> CounterOp | None:
    """The change that a request makes, as a plain one of any amount; None if it makes none."""
    by = {
        CounterVerb.MOD: op.by,
        CounterVerb.INC: op.times,
        CounterVerb.DEC: -op.times,
        CounterVerb.TAKE: -(2**op.order),
    }.get(op.verb)
    if by is None or op.open:
        return None
    return CounterOp(CounterVerb.MOD, op.cpu, op.item, op.where, by=by)


def simpler_requests(trace: CounterTrace) -> Iterator[CounterTrace]:
    """With one request put more simply."""
    for position, request in enumerate(trace.requests):
        before, after = trace.requests[:position], trace.requests[position + 1 :]
        for op in simpler_forms(request.op):
            if op != request.op:
                yield replace(trace, requests=(*before, request._replace(op=op), *after))


def simpler_forms(op: CounterOp) -> Iterator[CounterOp]:
    """The request with one thing put more simply; some are no simpler than it is."""
    yield op._replace(irqs_on=False)
    yield op._replace(open=False)
    yield op._replace(close=False, reclaim=False, interleave=False, silent=False)
    if op.verb is CounterVerb.MOD and op.by < 0:
        yield op._replace(by=-op.by)
    yield from (op._replace(by=by) for by in _less(op.by))
    yield from (op._replace(times=times) for times in _less(op.times) if times > 0)
    yield from (op._replace(pages=pages) for pages in _less(op.pages))
    yield from (op._replace(order=order) for order in _less(op.order))
    if op.item is not Item.FREE:
        yield op._replace(item=Item.FREE, where=0)
    yield op._replace(level="min")
    yield from (op._replace(cpu=cpu) for cpu in range(op.cpu))
    yield from (op._replace(where=where) for where in range(op.where))
    yield from (op._replace(preferred=zone) for zone in range(op.preferred))
    yield from (op._replace(number=number) for number in range(op.number))
