"""Histories of a few operations of the spec's own steps under a scheduler: they can be repeated."""

from collections.abc import Callable, Sequence

from pagefuzz.threads.abstract import Abstract, Holdings
from pagefuzz.threads.linear import Call, Search, linearize
from pagespec.boot import boot
from pagespec.frames import SIZES
from pagespec.laws.owners import limit_of
from pagespec.machine import Machine
from pagespec.schedule.contexts import Level, Move, Scenario, World
from pagespec.schedule.opening import opened
from pagespec.schedule.rules import moves, take_step
from pagespec.schedule.running import BY_GENERATORS
from pagespec.trace import Request
from pagespec.types import Order
from pagespec.verbs import Op

Choose = Callable[[Sequence[Move]], Move]
"""Picks what happens next of what may."""

History = list[Call[Op]]


def scheduled(scenario: Scenario, choose: Choose) -> tuple[World, History]:
    """Let a scenario happen as somebody chooses, and return what it left and its history.

    A call is invoked with the first step of its request and returns with the last one. Raises
    whatever an operation raises that is no refusal.
    """
    world = opened(scenario, BY_GENERATORS)
    calls: History = []
    begun: dict[int, tuple[Op, int]] = {}
    clock = 0
    while nexts := moves(world):
        move = choose(nexts)
        context = world.contexts[move.context]
        if context.rest is None and move.cpu is None:
            op = _op_of(world, move.context)
            if op is not None:
                begun[move.context] = op, clock
        served = len(context.outcomes)
        take_step(world, move)
        clock += 2
        if len(context.outcomes) > served:
            op, invoked = begun.pop(move.context)
            # A call of one step still takes time: it is invoked before that step.
            calls.append(Call(move.context, op, context.outcomes[-1], invoked, clock - 1))
    return world, calls


def _op_of(world: World, number: int) -> Op | None:
    """The request that a context begins, as it will put it."""
    context = world.contexts[number]
    request = world.scenario.roles[number].requests[context.at]
    if not isinstance(request, Request):
        return None
    op = world.names.op_of(request)
    if op is None:
        return None
    return op._replace(cpu=context.place.cpu, irq=context.place.level > Level.TASK)


def most_kept(machine: Machine, top: Order) -> int:
    """How many frames all CPUs together may keep, where nobody asks for more than that order.

    As many as a free leaves there at most, and what a refill brings on top of that.
    """
    total = 0
    for pcps in boot(machine).pcps:
        for pcp in pcps:
            limit = limit_of(boot(machine), pcp.load)
            total += max(1, limit) + max(pcp.load.batch, 2 * SIZES[top])
    return total


def abstractly(machine: Machine, calls: Sequence[Call[Op]], held: Holdings = frozenset()) -> Search:
    """Whether the abstract specification explains a history that begins with those blocks held.

    Where CPUs keep frames, failures are excused by as many as they may keep.
    """
    top = max((call.request.order for call in calls), default=0)
    excused = most_kept(machine, top) if machine.cpus else 0
    return linearize(calls, held, Abstract(machine, excused).after)
