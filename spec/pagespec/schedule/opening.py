"""The world of a scenario as everybody is about to begin, after what happens on its machine first.

It boots and works as the spec does, so that no law imports it.
"""

from pagespec.boot import boot
from pagespec.ops import perform
from pagespec.schedule.contexts import Context, Level, Place, Scenario, World, placed
from pagespec.schedule.running import Engine
from pagespec.trace import Names, Request
from pagespec.vmstat import ops as counter_ops
from pagespec.vmstat.counters import Counters, boot_counters
from pagespec.vmstat.machine import CounterMachine
from pagespec.vmstat.trace import CounterRequest


def opened(scenario: Scenario, engine: Engine) -> World:
    """The world of a scenario as everybody is about to begin."""
    contexts = [
        Context(Place(role.cpu, role.level), come=role.level is Level.TASK)
        for role in scenario.roles
    ]
    if isinstance(scenario.machine, CounterMachine):
        return World(scenario, _counters_of(scenario, scenario.machine), contexts, engine)
    zone, names, unnamed = boot(scenario.machine), Names(), set()
    for request in scenario.setup:
        assert isinstance(request, Request)
        op = names.op_of(request)
        if op is not None:
            names.learn(request, perform(zone, op), zone.slots)
        if request.name is not None and request.name not in names.blocks:
            unnamed.add(request.name)
    zone.log.clear()
    return World(scenario, zone, contexts, engine, names, frozenset(unnamed), placed(zone)[0])


def _counters_of(scenario: Scenario, machine: CounterMachine) -> Counters:
    counters = boot_counters(machine)
    for request in scenario.setup:
        assert isinstance(request, CounterRequest)
        counter_ops.perform(counters, request.op)
    return counters
