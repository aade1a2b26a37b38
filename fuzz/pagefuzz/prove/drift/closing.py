"""Every state of small counters, with no bound on the number of requests, and each bound's ends.

States come in the order of how many requests they need, so that the first that reaches the end of a
bound is reached by a shortest trace.
"""

from collections import deque
from typing import NamedTuple

from pagefuzz.prove.drift.claims import Claim, Judged, claims_about
from pagefuzz.prove.drift.requests import Asking, asked, change_by, requests_in
from pagefuzz.prove.drift.state import Small, State, booted, copy_of, frozen, thawed
from pagespec.laws.law import LawBroken
from pagespec.vmstat.counters import boot_counters
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


def close(machine: CounterMachine, asking: Asking) -> Closed:
    """Visit all states. Raises LawBroken for the first that is further off than is claimed."""
    boot = boot_counters(machine)
    first = booted(boot)
    came_from: dict[State, State | None] = {first: None}
    closed = Closed(came_from, 0, 0, set(), {}, {})
    todo = deque([first])
    steps = told = 0
    while todo:
        state = todo.popleft()
        for judged in claims_about(state, machine, asking):
            _hold(judged, state, closed)
        before = thawed(boot, state)
        for op in requests_in(asking, before):
            small = copy_of(before)
            after = after_request(asking, small, op)
            steps += 1
            told += small.counters.told_times > 0
            if after not in came_from:
                came_from[after] = state
                todo.append(after)
    return closed._replace(steps=steps, told=told)


def after_request(asking: Asking, small: Small, op: CounterOp) -> State:
    """The state that a request leads to. Raises LawBroken where something is lost on the way."""
    asked(asking, small, op)
    truth = [0 for _ in small.counters.machine.zones]
    truth[op.where] = change_by(op)
    return frozen(small, truth)


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
