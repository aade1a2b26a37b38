"""The search for an order: against histories written by hand, and against all orders there are."""

from collections.abc import Iterator
from itertools import permutations
from random import Random

import pytest

from pagefuzz.threads.abstract import Abstract, Holdings
from pagefuzz.threads.linear import Call, linearize
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.types import NO_MEMORY
from pagespec.verbs import Op, Verb
from pagespec.zone import Held

NOTHING: Holdings = frozenset()

FOUR = Machine(4, 2, ERAS["6.1"])


def call(
    thread: int, verb: Verb, outcome: int, invoked: int, returned: int, order: int = 0, pfn: int = 0
) -> Call[Op]:
    return Call(thread, Op(verb, order=order, pfn=pfn), outcome, invoked, returned)


LINEARIZABLE = {
    "nothing": [],
    "one takes all, the other nothing": [
        call(0, Verb.ALLOC, 0, 0, 3, order=2),
        call(1, Verb.ALLOC, NO_MEMORY, 1, 2),
    ],
    "the later one first": [
        call(0, Verb.ALLOC, 1, 0, 9),
        call(1, Verb.ALLOC, 0, 1, 2, order=0),
        call(1, Verb.FREE, 0, 3, 4),
        call(1, Verb.ALLOC, 0, 5, 6),
    ],
    "taken as soon as it is given back": [
        call(0, Verb.ALLOC, 0, 0, 1, order=2),
        call(0, Verb.FREE, 0, 2, 6, order=2),
        call(1, Verb.ALLOC, 0, 3, 4, order=2),
    ],
    "who holds the last reference frees": [
        call(0, Verb.ALLOC, 0, 0, 1),
        call(0, Verb.GET, 0, 2, 3),
        call(0, Verb.FREE, 0, 4, 7),
        call(1, Verb.PUT, 0, 5, 6),
        call(1, Verb.ALLOC, 0, 8, 9, order=2),
    ],
    "a split block is four": [
        call(0, Verb.ALLOC, 0, 0, 1, order=2),
        call(0, Verb.SPLIT, 0, 2, 3, order=2),
        call(1, Verb.FREE, 0, 4, 7, pfn=3),
        call(0, Verb.FREE, 0, 5, 6, pfn=2),
        call(0, Verb.ALLOC, 2, 8, 9, order=1),
    ],
}

NOT_LINEARIZABLE = {
    "two get one frame": [call(0, Verb.ALLOC, 0, 0, 3), call(1, Verb.ALLOC, 0, 1, 2)],
    "nothing, before anybody took anything": [
        call(1, Verb.ALLOC, NO_MEMORY, 0, 1),
        call(0, Verb.ALLOC, 0, 2, 3, order=2),
    ],
    "taken before it is given back": [
        call(0, Verb.ALLOC, 0, 0, 1, order=2),
        call(1, Verb.ALLOC, 0, 2, 3, order=2),
        call(0, Verb.FREE, 0, 4, 5, order=2),
    ],
    "misaligned": [call(0, Verb.ALLOC, 1, 0, 1, order=1)],
    "outside": [call(0, Verb.ALLOC, 4, 0, 1)],
    "freed twice": [
        call(0, Verb.ALLOC, 0, 0, 1),
        call(0, Verb.FREE, 0, 2, 5),
        call(1, Verb.FREE, 0, 3, 4),
    ],
    "a lost reference": [
        call(0, Verb.ALLOC, 0, 0, 1),
        call(0, Verb.GET, 0, 2, 5),
        call(1, Verb.GET, 0, 3, 4),
        call(0, Verb.PUT, 0, 6, 9),
        call(1, Verb.PUT, 0, 7, 8),
        call(0, Verb.ALLOC, 0, 10, 11),
    ],
}


@pytest.mark.parametrize("name", LINEARIZABLE)
def test_finds_an_order(name: str) -> None:
    """Each has one, which obeys the stamps."""
    calls = LINEARIZABLE[name]
    order = linearize(calls, NOTHING, Abstract(FOUR).after).order

    assert order is not None
    assert sorted(order) == list(range(len(calls)))
    assert explains(calls, order)


@pytest.mark.parametrize("name", NOT_LINEARIZABLE)
def test_finds_that_there_is_none(name: str) -> None:
    assert linearize(NOT_LINEARIZABLE[name], NOTHING, Abstract(FOUR).after).order is None


def explains(calls: list[Call[Op]], order: tuple[int, ...]) -> bool:
    """Whether that order agrees with the stamps and the specification allows it, step by step."""
    for at, number in enumerate(order):
        if any(calls[later].returned < calls[number].invoked for later in order[at + 1 :]):
            return False
    states: set[Holdings] = {frozenset()}
    for number in order:
        states = {after for state in states for after in Abstract(FOUR).after(state, calls[number])}
    return bool(states)


def random_history(rng: Random) -> list[Call[Op]]:
    """A few calls of three threads that had an order, half of them with one outcome changed."""
    points = sorted(rng.sample(range(1, 20), 6))
    ends = dict.fromkeys(range(3), 0)
    state: Holdings = frozenset()
    calls: list[Call[Op]] = []
    for point in points:
        idle = [one for one, end in ends.items() if end < 10 * point - 1]
        if not idle:
            continue
        thread = rng.choice(idle)
        invoked = rng.randint(ends[thread] + 1, 10 * point - 1)
        ends[thread] = 10 * point + rng.randint(1, 60)
        verb = rng.choice((Verb.ALLOC, Verb.ALLOC, Verb.FREE, Verb.GET, Verb.PUT))
        order = rng.choice((0, 0, 1)) if verb is Verb.ALLOC else 0
        op = Op(verb, order=order, pfn=rng.choice((0, 0, 1)))
        outcomes = rng.sample((-1, 0, 1, 2, 3), 5) if verb is Verb.ALLOC else [0]
        for outcome in outcomes:
            one = Call(thread, op, outcome, invoked, ends[thread])
            left = next(Abstract(FOUR).after(state, one), None)
            if left is not None:
                state = left
                calls.append(one)
                break
    if calls and rng.random() < 0.5:
        at = rng.randrange(len(calls))
        calls[at] = calls[at]._replace(outcome=rng.choice((-1, 0, 1, 2)))
    return calls


def test_agrees_with_all_orders() -> None:
    """On small random histories the verdict is that of trying each order that there is."""
    rng = Random(5)
    verdicts = {True: 0, False: 0}
    for _ in range(600):
        calls = random_history(rng)
        found = linearize(calls, NOTHING, Abstract(FOUR).after).order is not None
        assert found == any(explains(calls, order) for order in permutations(range(len(calls))))
        verdicts[found] += 1

    assert min(verdicts.values()) > 100


def test_a_failure_is_excused_by_what_others_may_keep() -> None:
    """With one frame out of reach one of two allocations of half a zone may fail, not both."""
    halves = [
        call(0, Verb.ALLOC, NO_MEMORY, 0, 1, order=1),
        call(0, Verb.ALLOC, 0, 2, 3, order=1),
        call(0, Verb.ALLOC, NO_MEMORY, 4, 5, order=1),
    ]

    assert linearize(halves[1:], NOTHING, Abstract(FOUR, 0).after).order is None
    assert linearize(halves[1:], NOTHING, Abstract(FOUR, 1).after).order is not None
    assert linearize(halves, NOTHING, Abstract(FOUR, 1).after).order is None


def test_blocks_held_before_are_part_of_the_state() -> None:
    held = frozenset({(0, Held(0, 2, True))})
    calls = [call(0, Verb.PUT, 0, 0, 3), call(1, Verb.PUT, 0, 1, 2), call(0, Verb.ALLOC, 0, 4, 5)]

    assert linearize(calls, held, Abstract(FOUR).after).order is not None
    assert linearize(calls[:1] + calls[2:], held, Abstract(FOUR).after).order is None


def test_stamps_must_rise() -> None:
    with pytest.raises(ValueError, match="returned at 1, expected a stamp after 1"):
        linearize([call(0, Verb.ALLOC, 0, 1, 1)], NOTHING, Abstract(FOUR).after)


def test_all_orders_are_those_of_the_stamps() -> None:
    """A chain of calls has one order, calls that all overlap have every one."""
    chain = [call(0, Verb.DRAIN, 0, 2 * at, 2 * at + 1) for at in range(8)]
    heap = [call(at, Verb.DRAIN, 0, at, 20 + at) for at in range(8)]

    def states(state: frozenset[int], one: Call[Op]) -> Iterator[frozenset[int]]:
        # The state says who came already, so each order of the heap is another way.
        yield state | {one.invoked}

    assert linearize(chain, frozenset[int](), states).looked == 9
    assert linearize(heap, frozenset[int](), states).looked <= 2**8
