"""What may happen next, and what it does: interrupts, locks, preemption and moves between CPUs.

To take a lock is one step, and what follows is the next, so that others may come between. Where
nobody could notice that they do, both are one step (`is_fused`). What is released is released in
the step that comes to it.

Not modelled: tasks that keep softirqs off, which count as interrupts until they let them come;
softirqs that are put off to a task of their own; and CPUs that go while somebody is at work on
them, whom the kernel moves to others before.

Source: derived; include/linux/preempt.h and kernel/locking, and the guards' own sources.
"""

from collections.abc import Callable

from pagespec.guards import RULES
from pagespec.ops import STEPS
from pagespec.pcp.resize import retune
from pagespec.schedule.contexts import (
    OWN_CPU,
    Asked,
    Context,
    Hold,
    Level,
    Move,
    Place,
    Sizes,
    World,
    finished,
    zone_in,
)
from pagespec.schedule.kinds import OF_KINDS, begun, follow, is_known, learn, may_fail
from pagespec.schedule.running import AnySteps, Ended, Stopped
from pagespec.slab.state import Slabs
from pagespec.steps import Guard, Step, Visit
from pagespec.trace import Request
from pagespec.types import NO_MEMORY, Refused
from pagespec.verbs import Op, Outcome, Verb
from pagespec.vmstat.counters import Counters
from pagespec.vmstat.ops import COUNTER_STEPS
from pagespec.vmstat.trace import CounterRequest
from pagespec.vmstat.verbs import CounterOp, CounterVerb


def moves(world: World) -> list[Move]:
    """All that may happen next: a step of each context that can take one, and then ways to CPUs."""
    contexts = range(len(world.contexts))
    steps = [Move(number) for number in contexts if can_step(world, number)]
    if not steps:
        # Where nobody gets any further, he does not on another CPU either.
        return steps
    for number in contexts:
        if may_move(world, number):
            here = world.contexts[number].place.cpu
            steps += [Move(number, cpu) for cpu in running(world) if cpu != here]
    return steps


def running(world: World) -> list[int]:
    """The CPUs that run."""
    shared, cpus = world.shared, range(world.scenario.cpus)
    if isinstance(shared, Counters):
        return [cpu for cpu in cpus if cpu in shared.running]
    return [cpu for cpu in cpus if cpu not in world.zone.unplugged]


def may_move(world: World, number: int) -> bool:
    """Whether a context may go on on another CPU: a task that has begun and can be preempted.

    That it waits for a lock or a block is no hindrance, since it does not spin yet, and it may move
    between two requests. The workers that look after one CPU's lists and cells stay there.
    """
    role, context = world.scenario.roles[number], world.contexts[number]
    if not role.moves or role.level > Level.TASK or context.holds or context.back:
        return False
    if context.rest is None:
        return 0 < context.at < len(role.requests) and runs(world, number)
    return not is_bound(role.requests[context.at]) and runs(world, number)


def is_bound(request: Asked) -> bool:
    """Whether the request is the work of one CPU for itself."""
    if isinstance(request, CounterRequest):
        return request.op.verb is CounterVerb.REFRESH
    return isinstance(request, Request) and request.verb in BOUND


BOUND = (Verb.DRAIN, Verb.AGE, Verb.EXPIRE, Verb.REFRESH)
"""What a CPU does to its own lists and cells."""


def can_step(world: World, number: int) -> bool:
    """Whether a context can take a step: nothing keeps it from its CPU, and it need not wait."""
    context = world.contexts[number]
    if finished(world, number) or not runs(world, number):
        return False
    if context.rest is None:
        return is_named(world, world.scenario.roles[number].requests[context.at])
    stop = context.stop
    if context.ready or stop is None:
        return True
    if stop is Step.LOCK:
        return not taken(world, None)
    if isinstance(stop, Guard):
        return not (RULES[world.scenario.machine.era.guard].locks and taken(world, stop.cpu))
    if isinstance(stop, Visit):
        return may_enter(world, number, visit_of(world, stop.cpu))
    return True


def is_named(world: World, request: Asked) -> bool:
    """Whether the block that a request is about is there, or will never be."""
    if isinstance(request, OF_KINDS):
        return is_known(world, request)
    if not isinstance(request, Request) or request.operand is None or request.operand.name is None:
        return True
    name = request.operand.name
    return name in world.names.blocks or name in world.unnamed


def taken(world: World, lists: int | None) -> bool:
    """Whether somebody has the lock of those lists, or the zone's."""
    if world.scenario.alone:
        return False
    return any(
        hold.locks and hold.lists == lists for context in world.contexts for hold in context.holds
    )


def runs(world: World, number: int) -> bool:
    """Whether the context may run on its CPU just now.

    It may not while another is there at a higher level, or pinned there at the same. An interrupt
    that has not come yet needs a CPU that lets it in.
    """
    context = world.contexts[number]
    if not context.come:
        return may_enter(world, number, context.place)
    cpu, level = context.place
    for other in on_cpu(world, cpu, but=number):
        if other.place.level > level or (other.place.level == level and is_pinned(other)):
            return False
    return level > Level.TASK or not is_waited_on(world, cpu, but=number)


def is_waited_on(world: World, cpu: int, *, but: int) -> bool:
    """Whether somebody there waits for an interrupt that he sent to another CPU.

    He does not leave his CPU meanwhile, so no other task runs there; interrupts do. Who waits for a
    worker sleeps.
    """
    if world.scenario.machine.era.visits != "interrupt":
        return False
    return any(
        place.cpu == cpu
        for number, context in enumerate(world.contexts)
        for place in context.back
        if number != but
    )


def on_cpu(world: World, cpu: int, *, but: int) -> list[Context]:
    """The contexts that are at work on a CPU: tasks in the middle of something, and interrupts."""
    return [
        context
        for number, context in enumerate(world.contexts)
        if number != but and context.come and context.place.cpu == cpu and is_busy(world, number)
    ]


def is_busy(world: World, number: int) -> bool:
    """Whether a context is where it is: an interrupt until it is done, a task within a request."""
    context = world.contexts[number]
    if context.place.level is Level.TASK:
        return context.rest is not None
    return not finished(world, number)


def is_pinned(context: Context) -> bool:
    """Whether nothing at its own level may take the CPU from a context: who holds is not preempted,
    and interrupts of one kind come one after the other."""
    return bool(context.holds) or context.place.level > Level.TASK


def may_enter(world: World, number: int, place: Place) -> bool:
    """Whether a CPU would let a context in at that level.

    It lets no interrupt in while interrupts are off there, but for NMIs; and none while another of
    its level or above is under way.
    """
    for other in on_cpu(world, place.cpu, but=number):
        if other.place.level >= place.level and is_pinned(other):
            return False
        off = any(hold.irqs_off for hold in other.holds)
        if off and Level.TASK < place.level < Level.NMI:
            return False
    return True


def visit_of(world: World, cpu: int) -> Place:
    """Where an operation goes on that visits a CPU: in an interrupt there, or as a worker."""
    by_interrupt = world.scenario.machine.era.visits == "interrupt"
    return Place(cpu, Level.HARDIRQ if by_interrupt else Level.TASK)


def take_step(world: World, move: Move) -> None:
    """Let it happen. What the contexts broke by it, the laws say.

    Raises whatever the operation itself raises that is no refusal.
    """
    context = world.contexts[move.context]
    if move.cpu is not None:
        context.place = context.place._replace(cpu=move.cpu)
        return
    context.come = True
    if context.rest is None:
        _begin(world, move.context)
        return
    if not context.ready:
        _acquire(world, context)
        if not is_fused(world, context):
            return
    _go_on(world, move.context)


def is_fused(world: World, context: Context) -> bool:
    """Whether what was taken is used in the same step: nobody could see that it was taken.

    A guard that was lost is none. Who wants the zone's lock waits for it, and no interrupt comes
    while it is held; only NMIs do. So what is done under it is one step for those who read without
    it, too. Who holds up its own CPU alone is seen by nobody else.
    """
    if context.stop in ALONE:
        return True
    if context.stop is Step.LOCK:
        scenario = world.scenario
        nmi = any(role.level is Level.NMI for role in scenario.roles)
        return not (nmi or scenario.lock_irqs_on)
    return context.lost or isinstance(context.stop, Visit)


def _begin(world: World, number: int) -> None:
    context = world.contexts[number]
    request = world.scenario.roles[number].requests[context.at]
    if isinstance(request, Sizes):
        _start(world, number, retune(world.zone, *request))
    elif isinstance(request, CounterRequest):
        counted = placed_counter_op(world, context.place, request.op)
        _start(world, number, COUNTER_STEPS[counted.verb](world.counters, counted))
    elif isinstance(request, OF_KINDS):
        steps = begun(world, context.place, request)
        if steps is None:
            context.at += 1
            return
        _start(world, number, steps)
    else:
        op = world.names.op_of(request)
        if op is None:
            context.at += 1
            return
        op = placed_op(context.place, op)
        _start(world, number, STEPS[op.verb](world.zone, op))


def placed_op(place: Place, op: Op) -> Op:
    """The request as its context asks: on the CPU where it is, unless it is about another one."""
    cpu = op.cpu if op.verb in (Verb.UNPLUG, Verb.PLUG) else place.cpu
    return op._replace(cpu=cpu, irq=place.level > Level.TASK)


def placed_counter_op(world: World, place: Place, op: CounterOp) -> CounterOp:
    """The same of counters. Whether interrupts are on where allocations are counted, the era's
    guard of page lists says, within which it is done."""
    about_another = op.verb in (CounterVerb.UNPLUG, CounterVerb.PLUG)
    op = op._replace(cpu=op.cpu if about_another else place.cpu)
    if op.verb is not CounterVerb.COUNT:
        return op
    rule = RULES[world.scenario.machine.era.guard]
    barred = rule.bars_interrupts and place.level > Level.TASK
    return op._replace(irqs_on=not (barred or rule.irqs_off or rule.locks))


def _start(world: World, number: int, steps: AnySteps) -> None:
    context = world.contexts[number]
    context.rest = world.engine.started(steps)
    context.stop, context.ready, context.lost = None, True, False
    _go_on(world, number)


def _acquire(world: World, context: Context) -> None:
    scenario = world.scenario
    rule = RULES[scenario.machine.era.guard]
    context.ready, context.lost = True, False
    if context.stop is Step.LOCK:
        hold = Hold(None, locks=True, irqs_off=not scenario.lock_irqs_on)
    elif context.stop is Step.GUARD:
        cpu = context.place.cpu
        context.lost = rule.locks and taken(world, cpu)
        if context.lost:
            return
        off = rule.irqs_off or (scenario.alone and rule.irqs_off_alone)
        hold = Hold(cpu, rule.locks, off)
    elif context.stop in ALONE:
        off = context.stop is Step.IRQS_OFF
        hold = Hold(OWN_CPU, locks=False, irqs_off=off)
    elif isinstance(context.stop, Guard):
        # On machines built for one CPU as well: there an interrupt comes to lists that are drained.
        hold = Hold(context.stop.cpu, rule.locks, rule.drains_irqs_off)
    else:
        assert isinstance(context.stop, Visit)
        context.back = (*context.back, context.place)
        context.place = visit_of(world, context.stop.cpu)
        return
    context.holds = (*context.holds, hold)


ALONE = (Step.IRQS_OFF, Step.PREEMPT_OFF)
"""The stops before something that concerns nobody but the own CPU."""

NEEDS = (Step.LOCK, Step.GUARD, *ALONE)
"""The stops before something that must be had, besides guards and visits of certain CPUs."""

RELEASES: dict[Step, Callable[[Hold], bool]] = {
    Step.UNLOCK: lambda hold: hold.lists is None,
    Step.UNGUARD: lambda hold: hold.lists is not None and hold.lists != OWN_CPU,
    Step.IRQS_ON: lambda hold: hold.lists == OWN_CPU and hold.irqs_off,
    Step.PREEMPT_ON: lambda hold: hold.lists == OWN_CPU and not hold.irqs_off,
}
"""Per stop behind a release, what has been released: the last of these."""


def without_last(holds: tuple[Hold, ...], stop: Step) -> tuple[Hold, ...]:
    """What is held still when what the stop says has been released."""
    is_released = RELEASES[stop]
    for at in range(len(holds) - 1, -1, -1):
        if is_released(holds[at]):
            return holds[:at] + holds[at + 1 :]
    return holds


def _go_on(world: World, number: int) -> None:
    context = world.contexts[number]
    cpu = context.place.cpu
    at_work = zone_in(world.shared) or world.counters
    # Objects are asked for by more CPUs than there are in a zone that keeps no lists for them.
    kept_for = not isinstance(world.shared, Slabs) or world.zone.machine.cpus > 0
    at_work.on_cpu = cpu if kept_for else 0
    splits = world.scenario.splits_adds
    try:
        came = world.engine.resumed(context.rest, context.lost)
        while isinstance(came, Stopped) and came.stop is Step.ADD and not splits:
            came = world.engine.resumed(came.rest, False)
    except Refused as refused:
        came = Ended(refused.refusal)
    context.lost = False
    follow(world)
    if isinstance(came, Ended):
        context.rest = context.stop = None
        _end(world, number, came.value)
        return
    context.rest, context.stop = came
    stop = came.stop
    context.ready = not (stop in NEEDS or isinstance(stop, Guard | Visit))
    if stop is Step.BACK:
        *visited, context.place = context.back
        context.back = tuple(visited)
    elif isinstance(stop, Step) and stop in RELEASES:
        context.holds = without_last(context.holds, stop)


def _end(world: World, number: int, value: object) -> None:
    context = world.contexts[number]
    request = world.scenario.roles[number].requests[context.at]
    outcome = outcome_of(request, value)
    if isinstance(request, Request):
        world.names.learn(request, outcome, world.zone.slots)
        if request.name is not None and outcome < 0:
            world.unnamed |= {request.name}
    if isinstance(request, OF_KINDS):
        learn(world, number, request, outcome)
    context.outcomes = (*context.outcomes, outcome)
    context.at += 1


def outcome_of(request: Asked, value: object) -> Outcome:
    """What came of a request, as a number."""
    if value is None:
        failed = may_fail(request)
        return NO_MEMORY if failed else 0
    assert isinstance(value, int)
    return value
