"""How far a schedule goes from letting each context run on: by its preemptions, or its switches."""

from collections.abc import Sequence

from pagespec.schedule.contexts import Level, Scenario, World
from pagespec.schedule.rules import Move, finished


def preempts(world: World, nexts: Sequence[Move], last: int | None, move: Move) -> bool:
    """Whether a move is a preemption, before it is taken.

    It is if an interrupt comes, if a context goes to another CPU, or if somebody else goes on
    although the last one could. last: who took the step before; None at the start.
    """
    if comes(world, move) or move.cpu is not None:
        return True
    return (
        last is not None and last != move.context and any(other.context == last for other in nexts)
    )


def comes(world: World, move: Move) -> bool:
    """Whether an interrupt comes by this move."""
    return not world.contexts[move.context].come


def switches(world: World, last: int | None, move: Move) -> bool:
    """Whether a move counts among the switches and interrupts of a schedule, before it is taken.

    Every change of who runs does, but for an interrupt's return to what it has interrupted.
    """
    if comes(world, move) or move.cpu is not None:
        return True
    if last is None or last == move.context:
        return False
    return not (is_interrupt(world.scenario, last) and finished(world, last))


def is_interrupt(scenario: Scenario, number: int) -> bool:
    """Whether a context is an interrupt."""
    return scenario.roles[number].level > Level.TASK
