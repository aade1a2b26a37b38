"""Taking a step and seeing what came of it: which frames moved, and who has them in flight."""

from collections.abc import Callable, Sequence

from pagespec.laws.law import LawBroken
from pagespec.schedule.contexts import World, placed
from pagespec.schedule.laws import Moment
from pagespec.schedule.rules import Move, moves, take_step
from pagespec.types import EndlessWalk
from pagespec.zone import Zone


def moment_of(
    world: World,
    move: Move,
    placed: Callable[[Zone], tuple[int, int]] = placed,
    moves: Callable[[World], Sequence[Move]] = moves,
) -> Moment:
    """Let a step happen, and return what the laws at every step are asked of.

    placed, moves: whoever has seen the same before may remember what they said.

    Raises LawBroken if the operation itself does not get through the step: it would walk without
    end, or stumbles over what others left.
    """
    context = world.contexts[move.context]
    flight, before = context.flight, world.placed
    world.zone.log.clear()
    try:
        take_step(world, move)
    except EndlessWalk as endless:
        raise LawBroken("LIVE-ends", str(endless)) from endless
    except (LookupError, AssertionError) as fault:
        complaint = f"context {move.context} stumbles: {type(fault).__name__} {fault}"
        raise LawBroken("OUT-fault", complaint) from fault
    log = tuple(world.zone.log)
    world.zone.log.clear()
    world.placed, twice = placed(world.zone)
    context.flight = (flight | (before & ~world.placed)) & ~world.placed
    nexts = tuple(moves(world))
    return Moment(world, move.context, before, world.placed, twice, flight, log, nexts)
