"""Every schedule of compaction or slabs, up to so many switches, by replaying what led there.

Their parts are made and thrown away as they work, so that no state can be put back; but an
operation does the same again if the same has happened before. Schedules are followed in the order
of their switches: the first that breaks a law has the fewest.
"""

from collections import deque
from collections.abc import Callable, Hashable
from typing import TypeAlias

from pagefuzz.schedule.explored import Explored
from pagefuzz.schedule.kindjudge import KindJudge
from pagefuzz.schedule.left_out import left_out
from pagefuzz.schedule.still import still
from pagespec.laws.law import LawBroken
from pagespec.schedule.contexts import Move, Scenario, World
from pagespec.schedule.moments import moment_of
from pagespec.schedule.opening import opened
from pagespec.schedule.rules import moves
from pagespec.schedule.running import BY_GENERATORS

Branch: TypeAlias = tuple[tuple[Move, ...], Move]
"""A schedule, and what may happen then."""


def exhaust_kind(
    scenario: Scenario,
    *,
    hashed: bool = True,
    switches: int | None = None,
    depth: int | None = None,
    told: Callable[[Explored], bool] | None = None,
) -> Explored:
    """Follow every schedule, or every one with so many switches or steps at most.

    It ends where a law breaks, which no schedule with fewer switches does.

    hashed: whether schedules that meet in one state go on as one. told: is told now and then how
    far it is; if it answers False, the search ends unfinished.
    """
    with left_out(scenario.without):
        search = _Search(scenario, Explored(bound=switches, deepest=depth), hashed=hashed)
        return search.follow(told)


class _Search:
    """A search. seen: the states met, with who went on last; without hashing none is kept."""

    def __init__(self, scenario: Scenario, found: Explored, *, hashed: bool) -> None:
        self.scenario, self.found, self.hashed = scenario, found, hashed
        self.judge = KindJudge(scenario)
        self.seen: set[Hashable] = set()
        self.states: set[Hashable] = set()

    def follow(self, told: Callable[[Explored], bool] | None) -> Explored:
        """Follow all, those with fewer switches first."""
        world = opened(self.scenario, BY_GENERATORS)
        near: deque[Branch] = deque(((), move) for move in moves(world))
        far: deque[Branch] = deque()
        found, switched = self.found, 0
        finished = True
        while near and found.broken is None:
            if told is not None and not told(found):
                finished = False
                break
            schedule, move = near.popleft()
            far.extend(self.run_on(schedule, move))
            if not near and far:
                if switched == found.bound:
                    found.cut = True
                    break
                near, far, switched = far, deque(), switched + 1
        found.ends = len(found.final)
        found.asked = frozenset(self.judge.asked)
        found.exhausted = finished and found.broken is None
        return found

    def run_on(self, schedule: tuple[Move, ...], move: Move) -> list[Branch]:
        """Let one go on as long as it can; the switches there are on its way."""
        world = self.replayed(schedule)
        found, switches = self.found, list[Branch]()
        way = [*schedule]
        while True:
            way.append(move)
            found.steps += 1
            try:
                moment, found.broken = self.judge.step(world, move)
            except LawBroken as stumbled:
                found.broken = stumbled
            if found.broken is not None:
                found.schedule = tuple(way)
                return []
            for event in moment.log:
                found.events[event.kind] += 1
            found.depth = max(found.depth, len(way))
            if self.is_old(world, move.context, len(way)):
                return switches
            if not moment.nexts:
                found.final.add(still(world))
                return switches
            if len(way) == found.deepest:
                found.cut = True
                return switches
            own = None
            so_far = tuple(way)
            for each in moment.nexts:
                if each.context == move.context and each.cpu is None:
                    own = each
                else:
                    switches.append((so_far, each))
            if own is None:
                return switches
            move = own

    def is_old(self, world: World, last: int, steps: int) -> bool:
        """Whether this state was met before by a step of the same context.

        Where steps are bounded, by as many: who came there later had fewer left. Switches need no
        such care, since schedules with fewer come first.
        """
        if not self.hashed:
            self.found.states += 1
            return False
        state = still(world)
        key = state, last, 0 if self.found.deepest is None else steps
        if key in self.seen:
            return True
        self.seen.add(key)
        self.states.add(state)
        self.found.states = 1 + len(self.states)
        return False

    def replayed(self, schedule: tuple[Move, ...]) -> World:
        """The world after a schedule that breaks nothing."""
        world = opened(self.scenario, BY_GENERATORS)
        for move in schedule:
            moment_of(world, move)
        return world
