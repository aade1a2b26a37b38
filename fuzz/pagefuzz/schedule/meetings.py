"""How contexts met: which steps of a run came between what others were doing.

A run in which nobody ever came between has said nothing about interleavings: it is vacuous.
"""

from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from pagespec.events import Kind
from pagespec.schedule.contexts import Level, Move, World
from pagespec.schedule.moment import Moment
from pagespec.steps import Guard, Step, Stop, Visit


class Meeting(Enum):
    """What can happen between contexts."""

    __hash__ = object.__hash__

    LOST = "guard lost to another context"
    BARRED = "interrupt kept off the lists by itself"
    WITHIN = "interrupt within a guard"
    NESTED = "interrupt within an interrupt"
    DRAIN_WAITS = "drain from elsewhere while a guard is held"
    REFILLED = "list refilled in the middle of another's request"
    DRAINED = "list drained in the middle of another's request"
    VISITED = "CPU visited by a drain"
    MOVED = "task moved to another CPU"
    PREEMPTED = "task preempted by another"
    IN_FLIGHT = "step while another has frames in flight"
    HALF_STORED = "step between two stores of lists' sizes"


class Before(NamedTuple):
    """How a context stood before it took a step.

    moves: whether the step takes it to another CPU. away: whether it was on a visit already.
    """

    stop: Stop | None
    come: bool
    moves: bool
    away: bool


def stood(world: World, move: Move) -> Before:
    """How the context stands that takes the step."""
    context = world.contexts[move.context]
    return Before(context.stop, context.come, move.cpu is not None, bool(context.back))


def meetings_of(before: Before, moment: Moment) -> Iterator[Meeting]:
    """Whom the step came between."""
    if before.moves:
        yield Meeting.MOVED
        return
    context, role = moment.context, moment.world.scenario.roles[moment.mover]
    others = [
        (other, moment.world.scenario.roles[number])
        for number, other in enumerate(moment.world.contexts)
        if number != moment.mover
    ]
    kinds = {event.kind for event in moment.log}
    here = [other for other, _ in others if other.place.cpu == context.place.cpu]
    if Kind.BARRED in kinds:
        yield Meeting.LOST if before.stop is Step.GUARD else Meeting.BARRED
    if not before.come:
        if any(hold.lists is not None for other in here for hold in other.holds):
            yield Meeting.WITHIN
        if any(
            other.come and other.rest is not None and other_role.level > Level.TASK
            for other, other_role in others
            if other.place.cpu == context.place.cpu
        ):
            yield Meeting.NESTED
    amid = any(other.rest is not None for other, _ in others)
    if amid and Kind.REFILL in kinds:
        yield Meeting.REFILLED
    if amid and Kind.PCPU_DRAIN in kinds:
        yield Meeting.DRAINED
    if context.back and not before.away:
        yield Meeting.VISITED
    cpu = _would_drain(context.stop) if not context.ready else None
    if cpu is not None and any(hold.lists == cpu for other, _ in others for hold in other.holds):
        yield Meeting.DRAIN_WAITS
    if role.level is Level.TASK and any(
        other.rest is not None and other_role.level is Level.TASK
        for other, other_role in others
        if other.place == context.place
    ):
        yield Meeting.PREEMPTED
    if any(other.flight for other, _ in others):
        yield Meeting.IN_FLIGHT
    if any(other.stop is Step.STORE for other, _ in others):
        yield Meeting.HALF_STORED


def _would_drain(stop: Stop | None) -> int | None:
    return stop.cpu if isinstance(stop, Guard | Visit) else None
