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
from pagefuzz.schedule.kindjudge import judge_of
from pagefuzz.schedule.left_out import left_out
from pagefuzz.schedule.meetings import meetings_of, stood
from pagespec.era import ERAS
from pagespec.laws.law import LawBroken
from pagespec.schedule.contexts import Move, Scenario, World
from pagespec.schedule.opening import opened
from pagespec.schedule.rules import moves
from pagespec.schedule.running import BY_GENERATORS

WALKED_ERAS = tuple(era for era in ERAS.values() if era.bounds == "zone")
"""The eras that were released."""

SELDOM, OFTEN = 1, 4
"""How likely moves are."""

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
    walked, judged = Walked(scenario), judge_of(scenario)
    nexts: Sequence[Move] = moves(world)
    with left_out(scenario.without):
        while nexts and walked.broken is None:
            move = choose(world, nexts)
            before = stood(world, move)
            walked.schedule.append(move)
            try:
                moment, walked.broken = judged(world, move)
            except LawBroken as stumbled:
                walked.broken = stumbled
                break
            nexts = moment.nexts
            walked.reached.update((meeting, 0) for meeting in meetings_of(before, moment))
    return walked


def walk(seed: int | str, scenario: Scenario | None = None) -> Walked:
    """Walk at random through a scenario, which is drawn as well if none is given."""
    rng = Random(seed)
    if scenario is None:
        scenario = random_scenario(rng, rng.choice(WALKED_ERAS))
    return run(scenario, lambda world, nexts: rng.choices(nexts, weights(world, nexts))[0])


def weights(world: World, nexts: Sequence[Move]) -> list[int]:
    """How likely each move is, so that contexts meet where it matters.

    What is open all the time is less likely, and comes at any time then. While somebody holds a
    guard he goes on less often, and interrupts of his CPU are as likely as a step.
    """
    held = {
        context.place.cpu
        for context in world.contexts
        if any(hold.lists is not None for hold in context.holds)
    }
    return [_weight(world, move, held) for move in nexts]


def _weight(world: World, move: Move, held: set[int]) -> int:
    context = world.contexts[move.context]
    if move.cpu is not None or (not context.come and context.place.cpu not in held):
        return SELDOM
    return SELDOM if context.holds else OFTEN
