"""The world of a scenario as everybody is about to begin, after what happens on its machine first.

It boots and works as the spec does, so that no law imports it.
"""

from pagespec.boot import boot
from pagespec.compaction import ops as compaction_ops
from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.state import Compaction
from pagespec.compaction.trace import CompactionNames, CompactionRequest
from pagespec.ops import perform
from pagespec.schedule.contexts import Context, Level, Place, Scenario, World, beside, placed
from pagespec.schedule.kinds import SETUP, disown, follow, learn
from pagespec.schedule.running import Engine
from pagespec.slab import ops as slab_ops
from pagespec.slab.machine import SlabMachine
from pagespec.slab.state import Slabs
from pagespec.slab.trace import SlabNames, SlabRequest
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
    if isinstance(scenario.machine, CompactionMachine | SlabMachine):
        return _of_kind(scenario, scenario.machine, contexts, engine)
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


def _of_kind(
    scenario: Scenario,
    machine: CompactionMachine | SlabMachine,
    contexts: list[Context],
    engine: Engine,
) -> World:
    """What works on a zone, after what was asked first; who asks says there where it works."""
    shared: Compaction | Slabs
    if isinstance(machine, CompactionMachine):
        shared = compaction_ops.start(machine)
        world = World(scenario, shared, contexts, engine, own_names=CompactionNames())
    else:
        shared = slab_ops.start(machine)
        world = World(scenario, shared, contexts, engine, own_names=SlabNames())
    for request in scenario.setup:
        if isinstance(request, SlabRequest):
            assert isinstance(world.own_names, SlabNames)
            assert isinstance(shared, Slabs)
            slab_op = world.own_names.op_of(request)
            if slab_op is None:
                continue
            for address in slab_op.addresses:
                disown(world, address)
            outcome = slab_ops.perform(shared, slab_op)
        else:
            assert isinstance(request, CompactionRequest)
            assert isinstance(shared, Compaction)
            assert isinstance(world.own_names, CompactionNames)
            op = world.own_names.op_of(request)
            if op is None:
                continue
            outcome = compaction_ops.perform(shared, op)
            follow(world)
        learn(world, SETUP, request, outcome)
    shared.zone.log.clear()
    world.placed = placed(shared.zone, beside(shared))[0]
    return world


def _counters_of(scenario: Scenario, machine: CounterMachine) -> Counters:
    counters = boot_counters(machine)
    for request in scenario.setup:
        assert isinstance(request, CounterRequest)
        counter_ops.perform(counters, request.op)
    return counters
