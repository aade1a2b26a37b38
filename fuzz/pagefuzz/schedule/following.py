"""Following one move of a search: what the bounds allow of it, what it leads to, what laws say."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from pagefuzz.schedule.bounds import preempts
from pagefuzz.schedule.frames import BY_FRAMES
from pagefuzz.schedule.frozen import Freezer, State
from pagefuzz.schedule.judging import Judge
from pagefuzz.schedule.reduction import Unseen
from pagefuzz.schedule.swapping import Symmetry
from pagespec.events import Kind
from pagespec.laws.law import LawBroken
from pagespec.schedule.contexts import Hold, Move, Scenario
from pagespec.schedule.opening import opened

LONGEST = 100
"""The most steps that are taken as one, so that endless loops are seen as such."""


class Node(NamedTuple):
    """A state that was found: from which one, by which move, taken how often in a row.

    nexts: what may happen next. depth: the steps to it. last, left: with a bound, who took the last
    of them, and the preemptions that are left.
    """

    state: State
    nexts: tuple[Move, ...]
    parent: int
    move: Move | None
    steps: int
    depth: int
    last: int = -1
    left: int = 0


@dataclass(slots=True)
class Course:
    """What a search goes by.

    unseen: says which steps are taken as one with the step before; symmetry: which states are one.
    stopped: the law that broke, and how often the move had been taken then. kinds: the events since
    the last time that they were counted.
    """

    freezer: Freezer
    judge: Judge
    unseen: Unseen | None
    symmetry: Symmetry | None
    bound: int | None
    stopped: tuple[LawBroken, int] | None = None
    steps: int = 0
    kinds: Counter[Kind] = field(default_factory=Counter)


def started(
    scenario: Scenario, *, reduced: bool, bound: int | None, without: frozenset[str]
) -> tuple[Course, Node]:
    """A search's course, and where it starts."""
    world = opened(scenario, BY_FRAMES)
    freezer = Freezer(world)
    state = freezer.freeze()
    unseen = Unseen(scenario) if reduced else None
    symmetry = Symmetry(scenario, freezer, state) if reduced else None
    course = Course(freezer, Judge(without), unseen, symmetry, bound)
    return course, Node(state, freezer.moves_in(world), -1, None, 0, 0, left=bound or 0)


def followed(course: Course, here: Node, at: int, move: Move) -> Node | None:
    """The node that a move leads to from one, whose number is said.

    None if it would be a preemption too many, or a law broke, which the course then says.
    """
    freezer = course.freezer
    last, left = budget(course, here, move)
    if left < 0:
        return None
    steps = 0
    on, state, nexts = move, here.state, here.nexts
    holds: tuple[Hold, ...] = ()
    try:
        while True:
            moment, after, again = freezer.step_from(state, on)
            if steps and course.unseen is not None and course.unseen.shows(moment.context, holds):
                # Somebody may want what it has released: that step is one by itself.
                freezer.thaw(state)
                break
            state, nexts = after, moment.nexts
            steps += 1
            course.steps += 1
            for event in moment.log:
                course.kinds[event.kind] += 1
            broken = course.judge.broken(
                moment, freezer.shared_in(state), freezer.contexts_in(state), again=again
            )
            if broken is not None:
                # Whoever goes on with other schedules must judge that step again.
                freezer.steps.clear()
                course.stopped = broken, steps
                return None
            if course.unseen is None or steps == LONGEST:
                break
            if not course.unseen.hides(freezer.world, move.context):
                break
            on, holds = Move(move.context), moment.context.holds
    except LawBroken as stumbled:
        course.steps += 1
        course.stopped = stumbled, steps + 1
        return None
    return Node(state, nexts, at, move, steps, here.depth + steps, last, left)


def budget(course: Course, here: Node, move: Move) -> tuple[int, int]:
    """Who will have taken the last step, and the preemptions that are left then, with a bound."""
    if course.bound is None:
        return -1, 0
    course.freezer.thaw(here.state)
    preempted = preempts(course.freezer.world, here.nexts, here.last, move)
    return move.context, here.left - preempted


def remade(course: Course, here: Node, at: int, move: Move, steps: int) -> Node:
    """The node that a move leads to, taken so often, which was found and judged before."""
    last, left = budget(course, here, move)
    moment, state, _ = course.freezer.step_from(here.state, move)
    for _ in range(steps - 1):
        moment, state, _ = course.freezer.step_from(state, Move(move.context))
    return Node(state, moment.nexts, at, move, steps, here.depth + steps, last, left)
