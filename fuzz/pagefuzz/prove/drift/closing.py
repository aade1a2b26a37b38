"""Every state of small counters, with no bound on the number of requests, and each bound's ends.

States come in the order of how many requests they need, so that the first that reaches the end of a
bound is reached by a shortest trace.
"""

from collections import deque
from copy import deepcopy
from typing import NamedTuple

from pagefuzz.prove.drift.claims import Claim, Judged, claims_about
from pagefuzz.prove.drift.requests import Asking, asked, requests_in
from pagefuzz.prove.drift.state import Small, State, booted, copy_of, frozen
from pagespec.laws.law import LawBroken
from pagespec.vmstat.laws.book import CounterBook, book_of
from pagespec.vmstat.laws.judge import judge_counters
from pagespec.vmstat.laws.step import CounterStep
from pagespec.vmstat.machine import CounterMachine
from pagespec.vmstat.verbs import CounterOp


class End(NamedTuple):
    """One end of a claim: the number that is not passed, upwards or downwards."""

    claim: Claim
    pages: int
    upwards: bool


class Closed(NamedTuple):
    """What was found.

    came_from: of every state, the one before it on a shortest way. steps: requests that were put.
    told: of these, how many told a zone. ends: of all claims that spoke of a state. reached: for an
    end, the first state there. fallen: the same where a cell is beyond a threshold that fell.
    """

    came_from: dict[State, State | None]
    steps: int
    told: int
    ends: set[End]
    reached: dict[End, State]
    fallen: dict[End, State]


class Standing(NamedTuple):
    """A state, and counters that are in it. book: of the laws, where they judge."""

    state: State
    small: Small
    book: CounterBook | None


def close(machine: CounterMachine, asking: Asking, *, by_laws: bool = False) -> Closed:
    """Visit all states. Raises LawBroken for the first that is further off than is claimed.

    by_laws: whether the laws about counters judge each step, too.
    """
    small = booted(machine)
    first = Standing(frozen(small), small, book_of(machine) if by_laws else None)
    closed = Closed({first.state: None}, 0, 0, set(), {}, {})
    todo = deque([first])
    steps = told = 0
    while todo:
        at = todo.popleft()
        for judged in claims_about(at.state, machine, asking):
            _hold(judged, at.state, closed)
        for op in requests_in(asking, at.small):
            after = served(asking, at, op)
            steps += 1
            told += after.small.counters.told_times > at.small.counters.told_times
            if after.state not in closed.came_from:
                closed.came_from[after.state] = at.state
                todo.append(after)
    return closed._replace(steps=steps, told=told)


def served(asking: Asking, at: Standing, op: CounterOp) -> Standing:
    """What a request leads to. Raises LawBroken where something is lost on the way."""
    small, book = copy_of(at.small), deepcopy(at.book)
    outcome = asked(asking, small, op)
    if book is not None:
        judge_counters(CounterStep(at.small.counters, op, outcome, small.counters, book))
    return Standing(frozen(small), small, book)


def _hold(judged: Judged, state: State, closed: Closed) -> None:
    claim, least, most, found = judged
    if found > most or (least is not None and found < least):
        raise LawBroken("VM-drift", f"{claim}: {found} is not within {least} and {most}: {state}")
    sides = [(most, True)] if least is None else [(most, True), (least, False)]
    for pages, upwards in sides:
        end = End(claim, pages, upwards)
        closed.ends.add(end)
        if found == pages:
            closed.reached.setdefault(end, state)
            if has_fallen(state):
                closed.fallen.setdefault(end, state)


def has_fallen(state: State) -> bool:
    """Whether a cell is beyond a threshold that fell."""
    return any(
        most > now
        for kept in state.cpus
        for most, now in zip(kept.most, state.thresholds, strict=True)
    )
