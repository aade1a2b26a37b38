"""Probabilistic concurrency testing: schedules by random priorities, with a bound on their luck.

Each of n threads has a random priority, and the highest that can go on does. At d-1 random ones of
k steps whoever took the step falls below all others. A fault that needs d ordered steps of certain
threads, and no more, is found by one run with a probability of at least 1 / (n * k**(d-1)),
however many other schedules there are.

Threads are the contexts, interrupts among them: one of high priority comes as soon as it can. So
are the ways of a task to CPUs: each is gone once, when its priority is the highest. k must be at
least the number of steps of a run; of a run with more the bound says nothing.

Source: Burckhardt, Kothari, Musuvathi and Nagarakatte, A randomized scheduler with probabilistic
guarantees of finding bugs, 2010.
"""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from pagefuzz.schedule.walk import Walked, run
from pagespec.schedule.contexts import Move, Scenario, World


class Odds(NamedTuple):
    """n threads, k steps at most, and faults of depth d: how likely one run is to find one."""

    threads: int
    steps: int
    depth: int

    @property
    def bound(self) -> float:
        """The least probability."""
        return float(1 / (self.threads * self.steps ** (self.depth - 1)))

    def __str__(self) -> str:
        return (
            f"n={self.threads} threads, k={self.steps} steps, depth d={self.depth}: a run finds a "
            f"fault of that depth with probability 1/(n*k^(d-1)) = {self.bound:.2g} or more"
        )


def threads_of(scenario: Scenario) -> list[Move]:
    """All that have a priority: the contexts, and the ways of those that may move."""
    roles, cpus = scenario.roles, range(scenario.cpus)
    ways = [Move(number, cpu) for number, role in enumerate(roles) if role.moves for cpu in cpus]
    return [*map(Move, range(len(roles))), *ways]


def odds_of(scenario: Scenario, steps: int, depth: int) -> Odds:
    """The odds of one run. steps: as many as a run of the scenario takes at most."""
    return Odds(len(threads_of(scenario)), steps, depth)


def pct(seed: int | str, scenario: Scenario, steps: int, depth: int) -> Walked:
    """One run by random priorities that change depth - 1 times within so many steps."""
    return run(scenario, Priorities(Random(seed), scenario, steps, depth))


class Priorities:
    """Picks the thread with the highest priority.

    changes: the steps after which whoever took them falls, each with its new priority.
    """

    def __init__(self, rng: Random, scenario: Scenario, steps: int, depth: int) -> None:
        threads = threads_of(scenario)
        ranks = rng.sample(range(depth, depth + len(threads)), k=len(threads))
        self.priorities = dict(zip(threads, ranks, strict=True))
        self.changes = {rng.randint(1, steps): rank for rank in range(1, depth)}
        self.taken = 0

    def __call__(self, world: World, nexts: Sequence[Move]) -> Move:
        """The next move."""
        open_ways = [move for move in nexts if move in self.priorities]
        move = max(open_ways, key=self.priorities.__getitem__)
        self.taken += 1
        if self.taken in self.changes:
            self.priorities[move] = self.changes[self.taken]
        if move.cpu is not None:
            # Gone once; a way that stays open would be gone for ever.
            del self.priorities[move]
        return move
