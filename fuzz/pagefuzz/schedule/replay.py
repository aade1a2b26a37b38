"""Following a schedule: the moves that it says, and then whoever can go on, until all have ended.

A schedule need only say the switches. A move that cannot happen is passed over, so a part of a
schedule is one too; behind its end whoever went on last goes on as long as possible, and then the
first that can.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pagefuzz.schedule.kindjudge import judge_of
from pagefuzz.schedule.left_out import left_out
from pagespec.laws.law import LawBroken
from pagespec.schedule.contexts import Move, Scenario, World
from pagespec.schedule.moment import Moment
from pagespec.schedule.opening import opened
from pagespec.schedule.rules import moves
from pagespec.schedule.running import BY_GENERATORS, Engine


class Taken(NamedTuple):
    """A move that happened.

    moment: what came of it; None if the operation did not get through. broken: the law it broke.
    """

    move: Move
    moment: Moment | None
    broken: LawBroken | None


class Followed(NamedTuple):
    """What came of a schedule.

    broken: the law that broke, or None. moments: how often the laws were asked. taken: the moves
    that happened; if a law broke, the last one broke it.
    """

    broken: LawBroken | None
    moments: int
    taken: tuple[Move, ...]


def follow(
    scenario: Scenario, schedule: Iterable[Move], engine: Engine = BY_GENERATORS
) -> Followed:
    """Take the moves of the schedule and go on, until all have ended or a law breaks."""
    broken: LawBroken | None = None
    taken: list[Move] = []
    for step in steps_of(opened(scenario, engine), schedule):
        taken.append(step.move)
        broken = step.broken
    return Followed(broken, len(taken), tuple(taken))


def steps_of(world: World, schedule: Iterable[Move]) -> Iterator[Taken]:
    """The moves as they happen to the world, each judged; none behind one that breaks a law."""
    judged = judge_of(world.scenario)
    with left_out(world.scenario.without):
        for move in _moves(world, schedule):
            try:
                moment, broken = judged(world, move)
            except LawBroken as stumbled:
                yield Taken(move, None, stumbled)
                return
            yield Taken(move, moment, broken)
            if broken is not None:
                return


def _moves(world: World, schedule: Iterable[Move]) -> Iterator[Move]:
    """What happens next, asked again when it has happened."""
    last = -1
    for move in schedule:
        if move in moves(world):
            last = move.context
            yield move
    while ready := [move.context for move in moves(world) if move.cpu is None]:
        last = last if last in ready else ready[0]
        yield Move(last)
