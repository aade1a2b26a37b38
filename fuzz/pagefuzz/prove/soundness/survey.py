"""What checks let pass in every state of a small machine, held against the closed form."""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple, TypeAlias, get_args

from pagefuzz.prove.soundness.bound import least_passed, mark_covers, needed
from pagefuzz.prove.soundness.space import Reached, Space, visit
from pagespec.laws.law import LawBroken
from pagespec.types import Order
from pagespec.vmstat.counters import Counters, Stage
from pagespec.vmstat.ops import perform
from pagespec.vmstat.verbs import CounterOp, CounterVerb, Level

LEVELS: tuple[Level, ...] = get_args(Level)
ORDERS: tuple[Order, ...] = (0, 1, 2)


class Question(NamedTuple):
    """A check: by reclaim or for a request, for a level and a block."""

    reclaim: bool
    level: Level
    order: Order


QUESTIONS = tuple(map(Question._make, product((True, False), LEVELS, ORDERS)))

Frames: TypeAlias = dict[Question, int]
"""Per question, a number of frames."""


class Promise(NamedTuple):
    """What is promised of a machine.

    kept: the most that one CPU keeps back at rest. unseen: the most that one update under way has
    yet to tell. misread: by how much a close look is too high for each update under way. sound:
    whether no check by reclaim that the drift mark covers passes a zone that is too low. above_min:
    whether all that passes low for one frame is above min.
    """

    kept: int
    unseen: int = 0
    misread: int = 0
    sound: bool = False
    above_min: bool = False


class Survey(NamedTuple):
    """What was found in so many states.

    short: per question, by how many frames the zone was at most too low when it passed. at_mark:
    the fewest free frames with a count at the drift mark or above, -1 for no such state.
    """

    states: int
    short: Frames
    at_mark: int


def survey(space: Space, promise: Promise) -> Survey:
    """Ask every question in every state.

    Raises LawBroken for the first check that passes with fewer frames than promised, and, at the
    end, if for some number of updates under way no state is found that has as few as that: then
    more could have been promised. So it does if the drift mark is not just what keeps a sound zone
    at high.
    """
    states, at_mark = 0, -1
    short: Frames = dict.fromkeys(QUESTIONS, 0)
    slack: dict[tuple[Question, int], int] = {}
    for at in visit(space):
        states += 1
        counters = at.counters
        if 0 < counters.drift_marks[0] <= counters.told[0]:
            at_mark = at.truth if at_mark < 0 else min(at.truth, at_mark)
        for question in passing(at.counters):
            exact = needed(getattr(at.counters.marks[0], question.level), question.order)
            promised = promised_of(at.counters, question, promise)
            over = at.truth - promised
            if at.truth < max(promised, also_promised(at.counters, question, promise)):
                raise LawBroken("VM-sound", complaint_of(at, question))
            short[question] = max(exact - at.truth, short[question])
            key = question, under_way(counters)
            slack[key] = min(over, slack.get(key, over))
    for question, updates in product(QUESTIONS, range(space.most_updates + 1)):
        least = slack.get((question, updates))
        if least != 0:
            never = f"no state has as few frames as promised: {least} more at least"
            raise LawBroken("VM-sound", f"{question}, {updates} updates under way: {never}")
    high = at.counters.marks[0].high
    if promise.sound and at_mark != high:
        raise LawBroken("VM-sound", f"at the drift mark {at_mark} frames are free, high is {high}")
    return Survey(states, short, at_mark)


def passing(counters: Counters) -> Iterator[Question]:
    """The questions that are answered by yes."""
    for question in QUESTIONS:
        reclaim, level, order = question
        if perform(
            counters, CounterOp(CounterVerb.CHECK, level=level, order=order, reclaim=reclaim)
        ):
            yield question


def promised_of(counters: Counters, question: Question, promise: Promise) -> int:
    """The fewest free frames with which a question may be answered by yes."""
    updates = under_way(counters)
    return least_passed(
        needed(getattr(counters.marks[0], question.level), question.order),
        counters.drift_marks[0] if looks(counters, question) else 0,
        kept=len(counters.running) * promise.kept,
        unseen=updates * promise.unseen,
        misread=updates * promise.misread,
    )


def under_way(counters: Counters) -> int:
    """How many updates have not told the zone yet, or not written their cell."""
    return sum(
        update.stage is Stage.PLACE or update.left is not None for update in counters.updates
    )


def also_promised(counters: Counters, question: Question, promise: Promise) -> int:
    """The same by what is said of the machine as a whole, in words that a user can rely on."""
    marks = counters.marks[0]
    exact = needed(getattr(marks, question.level), question.order)
    if promise.sound and is_covered(counters, question):
        return exact
    if promise.above_min and question.level == "low" and question.order == 0:
        return needed(marks.min, 0)
    return 0


def looks(counters: Counters, question: Question) -> bool:
    """Whether who asks looks closely below the drift mark."""
    if counters.machine.era.close_reads == "while-reclaiming":
        return bool(counters.reclaiming)
    return question.reclaim


def is_covered(counters: Counters, question: Question) -> bool:
    """Whether the drift mark is there for such a question."""
    marks = counters.marks[0]
    gap = marks.high - getattr(marks, question.level)
    return looks(counters, question) and mark_covers(gap, question.order)


def complaint_of(at: Reached, question: Question) -> str:
    """What passed, and in which state."""
    counters = at.counters
    cells = [cells[0] for cells in counters.cells]
    asker = "reclaim" if question.reclaim else "a request"
    return (
        f"{asker} passes {question.level} for order {question.order} with {at.truth} frames free, "
        f"expected more; told {counters.told[0]}, cells {cells}, "
        f"{counters.marks[0]}, drift mark {counters.drift_marks[0]}, updates {counters.updates}"
    )
