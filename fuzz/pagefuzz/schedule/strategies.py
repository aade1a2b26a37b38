"""Hypothesis strategies for scenarios and schedules; both shrink towards what is simple.

A scenario is drawn as walks draw theirs, but every number that it takes is Hypothesis's. A schedule
is a list of small numbers, one a step: 0 stays with the context that went last.
"""

from collections.abc import Iterator, Sequence

from hypothesis import strategies as st

from pagefuzz.schedule.draw import random_scenario
from pagespec.era import Era
from pagespec.schedule.contexts import Move, Scenario, World

PICKS = st.lists(st.integers(0, 7), min_size=30, max_size=120)
"""Schedules; behind the end of one everybody stays. Lists that may be shorter mostly are."""


def scenarios(eras: Sequence[Era]) -> st.SearchStrategy[Scenario]:
    """Scenarios of some eras."""
    return st.builds(random_scenario, st.randoms(use_true_random=False), st.sampled_from(eras))


class Picked:
    """Picks what happens next by numbers: of all that may, first who went last, then the others."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self.numbers: Iterator[int] = iter(numbers)
        self.last = -1

    def __call__(self, world: World, nexts: Sequence[Move]) -> Move:
        """The next move."""
        stay = Move(self.last)
        options = [stay, *(move for move in nexts if move != stay)] if stay in nexts else nexts
        move = options[next(self.numbers, 0) % len(options)]
        self.last = move.context
        return move
