"""Whether a history of operations that overlap can be told as one after the other.

A history is linearizable if its operations have an order in which a sequential specification gives
the very outcomes that there were, and in which nothing comes before what had ended when it began.

Source: Wing and Gong, Testing and verifying concurrent objects (1993), with what Lowe added: of two
ways to the same operations and the same state, only one is gone on from.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar

State = TypeVar("State", bound=Hashable)
Request = TypeVar("Request")


class Call(NamedTuple, Generic[Request]):
    """One operation of a history.

    outcome: what it returned. invoked, returned: stamps of a clock that all share; an operation
    that returned before another was invoked came before it.
    """

    thread: int
    request: Request
    outcome: int
    invoked: int
    returned: int


After = Callable[[State, Call[Request]], Iterable[State]]
"""A sequential specification: the states in which the operation may leave that state with the
outcome that it had, none if it may not have it there. It may look at the stamps of no call."""


class Search(NamedTuple):
    """What came of looking for an order.

    order: the numbers of the calls in it, or None if there is none. looked: partial orders that
    were looked at.
    """

    order: tuple[int, ...] | None
    looked: int


def linearize(calls: Sequence[Call[Request]], start: State, after: After[State, Request]) -> Search:
    """Look for an order in which the specification gives these outcomes.

    Its cost grows with how many operations overlap, not with how many there are. Raises ValueError
    for a call that returned before it was invoked.
    """
    for call in calls:
        if call.returned <= call.invoked:
            raise ValueError(
                f"{call}: returned at {call.returned}, expected a stamp after {call.invoked}"
            )
    before = [
        sum(1 << other for other, call in enumerate(calls) if call.returned < mine.invoked)
        for mine in calls
    ]
    everything = (1 << len(calls)) - 1
    seen: set[tuple[int, State]] = {(0, start)}
    # Depth first: the ways that are still to be gone on from, each with how it came about.
    ways: list[tuple[int, State, tuple[int, ...]]] = [(0, start, ())]
    while ways:
        done, state, order = ways.pop()
        if done == everything:
            return Search(order, len(seen))
        for number, call in enumerate(calls):
            if done >> number & 1 or before[number] & ~done:
                continue
            then = done | 1 << number
            for left in after(state, call):
                if (then, left) not in seen:
                    seen.add((then, left))
                    ways.append((then, left, (*order, number)))
    return Search(None, len(seen))
