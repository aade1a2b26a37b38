"""Every schedule of a scenario, by visiting every state that can be reached once.

A state is the zone, and where each context stands with all that it still needs. So two schedules
that lead to one state have one future, and only one of them is followed. States are visited in the
order of their depth: the first that breaks a law is the nearest.
"""

from collections import deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from pagefuzz.schedule.frames import BY_FRAMES
from pagefuzz.schedule.frozen import Freezer, Frozen
from pagefuzz.schedule.judging import Judge
from pagespec.laws.law import LawBroken
from pagespec.schedule.contexts import Scenario, opened
from pagespec.schedule.moments import moment_of
from pagespec.schedule.rules import Move, finished, moves


@dataclass(slots=True)
class Explored:
    """What came of it: how many states and steps between them, how many ends, and the deepest."""

    states: int = 0
    steps: int = 0
    ends: int = 0
    depth: int = 0
    broken: LawBroken | None = None
    schedule: tuple[Move, ...] = ()


def exhaust(scenario: Scenario) -> Explored:
    world = opened(scenario, BY_FRAMES)
    freezer, judge = Freezer(world), Judge()
    start = freezer.freeze()
    seen: dict[Hashable, int] = {start: 0}
    came: list[tuple[int, Move | None]] = [(-1, None)]
    depths = [0]
    queue: deque[Frozen] = deque([start])
    found = Explored(states=1)
    while queue:
        frozen = queue.popleft()
        here = seen[frozen]
        freezer.thaw(frozen)
        nexts = moves(world)
        if not nexts:
            found.ends += 1
        for number, move in enumerate(nexts):
            if number:
                freezer.thaw(frozen)
            found.steps += 1
            try:
                moment = moment_of(world, move)
                after = freezer.freeze()
                broken = judge.broken(moment, after[:4])
            except LawBroken as stumbled:
                broken = stumbled
                after = ()
            if broken is not None:
                found.broken = broken
                found.schedule = (*way(came, here), move)
                found.depth = depths[here] + 1
                return found
            if after not in seen:
                seen[after] = len(came)
                came.append((here, move))
                depths.append(depths[here] + 1)
                queue.append(after)
    found.states = len(came)
    found.depth = depths[-1]
    return found


def way(came: list[tuple[int, Move | None]], at: int) -> tuple[Move, ...]:
    path: list[Move] = []
    while at >= 0:
        at, move = came[at]
        if move is not None:
            path.append(move)
    return tuple(reversed(path))
