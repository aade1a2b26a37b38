"""Random walks: at each step one of all that may happen next, by chance.

A walk is a pure function of its seed. It judges each step by the same laws as the other searches,
and ends in a scenario and a schedule that can be put again.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

from pagefuzz.coverage import Reached
from pagefuzz.schedule.draw import random_scenario
from pagefuzz.schedule.frozen import OF_COUNTERS, OF_ZONE
from pagefuzz.schedule.judging import Judge
from pagefuzz.schedule.meetings import meetings_of, stood
from pagespec.era import ERAS
from pagespec.laws.law import LawBroken
from pagespec.schedule.contexts import Scenario, World, opened
from pagespec.schedule.moments import moment_of
from pagespec.schedule.rules import Move, moves
from pagespec.schedule.running import BY_GENERATORS
from pagespec.zone import Zone

WALKED_ERAS = tuple(era for era in ERAS.values() if era.bounds == "zone")
"""The eras that were released."""

STEP = 4
"""How often a context goes on for each time that one moves or an interrupt comes."""

Choose: TypeAlias = Callable[[World, Sequence[Move]], Move]
"""Picks what happens next of what may."""


@dataclass(slots=True)
class Walked:
    """One run of a scenario: its schedule, the law that broke, and what was met on the way."""

    scenario: Scenario
    schedule: list[Move] = field(default_factory=list)
    broken: LawBroken | None = None
    reached: Reached = field(default_factory=Counter)

    @property
    def steps(self) -> int:
        """How many steps were taken."""
        return len(self.schedule)


def run(scenario: Scenario, choose: Choose) -> Walked:
    """Let a scenario happen to its end, or until a law breaks, as somebody chooses."""
    world = opened(scenario, BY_GENERATORS)
    walked, judge = Walked(scenario), Judge()
    shared = world.shared
    # So the laws about zones at rest are asked once of each.
    aspects = (
        [aspect(shared) for aspect in OF_ZONE]
        if isinstance(shared, Zone)
        else [aspect(shared) for aspect in OF_COUNTERS]
    )
    nexts: Sequence[Move] = moves(world)
    while nexts and walked.broken is None:
        move = choose(world, nexts)
        before = stood(world, move)
        walked.schedule.append(move)
        try:
            moment = moment_of(world, move)
        except LawBroken as stumbled:
            walked.broken = stumbled
            break
        nexts = moment.nexts
        walked.reached.update((meeting, 0) for meeting in meetings_of(before, moment))
        walked.broken = judge.broken(moment, tuple([aspect.freeze() for aspect in aspects]))
    return walked


def walk(seed: int | str, scenario: Scenario | None = None) -> Walked:
    """Walk at random through a scenario, which is drawn as well if none is given."""
    rng = Random(seed)
    if scenario is None:
        scenario = random_scenario(rng, rng.choice(WALKED_ERAS))
    return run(scenario, lambda world, nexts: rng.choices(nexts, weights(world, nexts))[0])


def weights(world: World, nexts: Sequence[Move]) -> list[int]:
    """How likely each move is: what is open all the time is less so, and comes at any time then."""
    return [
        1 if move.cpu is not None or not world.contexts[move.context].come else STEP
        for move in nexts
    ]
