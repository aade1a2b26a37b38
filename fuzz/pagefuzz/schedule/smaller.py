"""What may be smaller about a trace of a schedule: candidates, each with one thing more simply.

Fewer contexts, requests and CPUs, plainer requests and interrupts, a smaller machine. What becomes
of the schedule is for others to find out: who puts a candidate again looks for one that fails.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from pagefuzz.counters import smaller as of_counters
from pagefuzz.schedule.spots import Requests, Spot, requests_of, with_requests
from pagefuzz.smaller import FEW, simpler_forms
from pagefuzz.smaller import smaller_machines as smaller_zones
from pagespec.compaction.machine import CompactionMachine
from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.schedule.contexts import Asked, Level, Move, Role, Scenario, Sizes
from pagespec.schedule.trace import ScheduleTrace
from pagespec.slab.machine import SlabMachine
from pagespec.trace import Request, Trace
from pagespec.vmstat.machine import CounterMachine
from pagespec.vmstat.trace import CounterRequest, CounterTrace


def fewer_contexts(trace: ScheduleTrace) -> Iterator[ScheduleTrace]:
    """Without one of those who work; the others move up."""
    roles = trace.scenario.roles
    for gone in reversed(range(len(roles)) if len(roles) > 1 else ()):
        kept = {
            Spot(spot.context - (spot.context > gone), spot.at): asked
            for spot, asked in requests_of(trace.scenario).items()
            if spot.context != gone
        }
        bare = replace(trace.scenario, roles=roles[:gone] + roles[gone + 1 :])
        schedule = tuple(
            move._replace(context=move.context - (move.context > gone))
            for move in trace.schedule
            if move.context != gone
        )
        yield replace(trace, scenario=with_requests(bare, kept), schedule=schedule)


def fewer_requests(trace: ScheduleTrace) -> Iterator[ScheduleTrace]:
    """Without a run of requests, long ones first, from the end on; of few, without any two."""
    requests = requests_of(trace.scenario)
    spots = list(requests)
    length = len(spots) // 2
    while length >= 1:
        for begin in range(len(spots) - length, -1, -length):
            yield _without(trace, requests, *spots[begin : begin + length])
        length //= 2
    if len(spots) <= FEW:
        for pair in combinations(spots, 2):
            yield _without(trace, requests, *pair)


def _without(trace: ScheduleTrace, requests: Requests, *gone: Spot) -> ScheduleTrace:
    kept = {spot: asked for spot, asked in requests.items() if spot not in gone}
    return replace(trace, scenario=with_requests(trace.scenario, kept))


def simpler_requests(trace: ScheduleTrace) -> Iterator[ScheduleTrace]:
    """With one request put more simply."""
    requests = requests_of(trace.scenario)
    for spot, asked in requests.items():
        for simpler in _simpler(trace.scenario.machine, asked):
            yield replace(trace, scenario=with_requests(trace.scenario, requests | {spot: simpler}))


def _simpler(machine: object, asked: Asked) -> Iterator[Asked]:
    if isinstance(asked, Request) and isinstance(machine, Machine):
        yield from simpler_forms(asked, SIZES[machine.isolation_order])
    elif isinstance(asked, CounterRequest):
        yield from (asked._replace(op=op) for op in of_counters.simpler_forms(asked.op))
    elif isinstance(asked, Sizes):
        # A batch above high is a fault by itself, with nobody in between.
        for batch in range(1, asked.batch + 1):
            yield from (Sizes(batch, high) for high in range(batch, asked.high + 1))


def simpler_contexts(trace: ScheduleTrace) -> Iterator[ScheduleTrace]:
    """With one context that is plainer, on a lower CPU, or as a kernel was really built."""
    scenario = trace.scenario
    for number, role in enumerate(scenario.roles):
        for plainer in _plainer(role):
            roles = (*scenario.roles[:number], plainer, *scenario.roles[number + 1 :])
            yield replace(trace, scenario=replace(scenario, roles=roles))
    for built in (
        replace(scenario, alone=False),
        replace(scenario, lock_irqs_on=False),
        replace(scenario, splits_adds=False),
    ):
        yield replace(trace, scenario=built)


def _plainer(role: Role) -> Iterator[Role]:
    if role.moves:
        yield role._replace(moves=False)
    for level in Level:
        if level < role.level:
            yield role._replace(level=level, moves=False)
    for cpu in range(role.cpu):
        yield role._replace(cpu=cpu)


def smaller_machines(trace: ScheduleTrace) -> Iterator[ScheduleTrace]:
    """On a machine with less: CPUs, marks, cells, frames, orders, types."""
    yield from _fewer_cpus(trace)
    scenario = trace.scenario
    requests = requests_of(scenario)
    if isinstance(scenario.machine, Machine):
        # Sizes are no request of a zone; they stay as they are.
        plain = {spot: asked for spot, asked in requests.items() if isinstance(asked, Request)}
        for zone in smaller_zones(Trace(scenario.machine, tuple(plain.values()))):
            if zone.machine.cpus == scenario.machine.cpus and len(zone.requests) == len(plain):
                less = requests | dict(zip(plain, zone.requests, strict=True))
                machine = replace(scenario, machine=zone.machine)
                yield replace(trace, scenario=with_requests(machine, less))
    elif isinstance(scenario.machine, CounterMachine):
        counted = {s: asked for s, asked in requests.items() if isinstance(asked, CounterRequest)}
        for each in of_counters.smaller_machines(
            CounterTrace(scenario.machine, tuple(counted.values()))
        ):
            same_cpus = len(each.machine.cpus) == len(scenario.machine.cpus)
            if same_cpus and len(each.requests) == len(counted):
                less = requests | dict(zip(counted, each.requests, strict=True))
                machine = replace(scenario, machine=each.machine)
                yield replace(trace, scenario=with_requests(machine, less))


def _fewer_cpus(trace: ScheduleTrace) -> Iterator[ScheduleTrace]:
    """Without the last CPU: what works there works on another, and nobody goes there."""
    scenario = trace.scenario
    last = scenario.cpus - 1
    if last == 0:
        return
    machine = _of_cpus(scenario, last)
    schedule = tuple(move for move in trace.schedule if move.cpu != last)
    for into in range(last):
        roles = tuple(
            role._replace(cpu=into) if role.cpu == last else role for role in scenario.roles
        )
        requests = {
            spot: _on_cpu(asked, last, into) for spot, asked in requests_of(scenario).items()
        }
        fewer = with_requests(replace(machine, roles=roles), requests)
        yield replace(trace, scenario=fewer, schedule=schedule)


def _of_cpus(scenario: Scenario, cpus: int) -> Scenario:
    machine = scenario.machine
    if isinstance(machine, CounterMachine):
        return replace(scenario, machine=replace(machine, cpus=machine.cpus[:cpus]))
    if isinstance(machine, CompactionMachine):
        return replace(scenario, machine=replace(machine, zone=replace(machine.zone, cpus=cpus)))
    if isinstance(machine, SlabMachine):
        zone = replace(machine.zone, cpus=min(machine.zone.cpus, cpus))
        return replace(scenario, machine=replace(machine, zone=zone, cpus=cpus))
    return replace(scenario, machine=replace(machine, cpus=cpus))


def _on_cpu(asked: Asked, gone: int, into: int) -> Asked:
    if isinstance(asked, Request) and asked.cpu == gone:
        return asked._replace(cpu=into)
    if isinstance(asked, CounterRequest) and asked.op.cpu == gone:
        return asked._replace(op=asked.op._replace(cpu=into))
    return asked


def shorter_schedules(trace: ScheduleTrace) -> Iterator[ScheduleTrace]:
    """Without a run of moves, or with a run some moves shorter."""
    schedule = trace.schedule
    for begin, end in runs_of(schedule):
        yield replace(trace, schedule=schedule[:begin] + schedule[end:])
    for begin, end in runs_of(schedule):
        for length in range(1, end - begin):
            yield replace(trace, schedule=schedule[: begin + length] + schedule[end:])


def runs_of(schedule: tuple[Move, ...]) -> Iterator[tuple[int, int]]:
    """Where each run of one context's moves begins and ends."""
    begin = 0
    for at in range(1, len(schedule) + 1):
        if at == len(schedule) or schedule[at] != schedule[begin]:
            yield begin, at
            begin = at
