"""Random priorities: the bound is what the literature says, and faults are found as often."""

from dataclasses import replace
from math import comb

import pytest

from pagefuzz.schedule.experiments import EXPERIMENTS
from pagefuzz.schedule.pct import Odds, odds_of, pct, threads_of
from pagespec.schedule.contexts import Move, Scenario

RUNS, DOUBT = 600, 0.001
"""Runs of each fault. If its real rate were the bound, so few finds would have this chance."""

FAULTS = ("without-the-test", "one-cpu-trylock", "batch-before-high")
"""Those that two ordered steps are enough for: each is found in no run without a change."""


def chance_of_at_most(found: int, runs: int, rate: float) -> float:
    """The chance of so few finds or fewer in so many runs."""
    return sum(
        comb(runs, count) * rate**count * (1 - rate) ** (runs - count) for count in range(found + 1)
    )


def found_in(scenario: Scenario, steps: int, depth: int) -> int:
    """How many runs break a law; none takes more steps than the bound is for."""
    runs = [pct(f"{depth}/{number}", scenario, steps, depth) for number in range(RUNS)]
    assert max(run.steps for run in runs) <= steps
    return sum(run.broken is not None for run in runs)


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_found_as_often_as_is_said(name: str) -> None:
    """Not less often than the bound, as far as can be told with a confidence of 99.9 %."""
    scenario = EXPERIMENTS[name].scenario
    steps = 13
    odds = odds_of(scenario, steps, 2)

    assert chance_of_at_most(found_in(scenario, steps, 2), RUNS, odds.bound) > DOUBT


@pytest.mark.parametrize("name", FAULTS)
def test_without_changes_nothing_is_found(name: str) -> None:
    """Their depth is two: one after the other, in whatever order, is no fault."""
    assert found_in(EXPERIMENTS[name].scenario, 13, 1) == 0


def test_the_chance_tells_a_rate_below_the_bound() -> None:
    """Half the rate would be noticed."""
    assert chance_of_at_most(6, RUNS, 1 / 26) < DOUBT < chance_of_at_most(14, RUNS, 1 / 26)


def test_the_bound_is_printed_with_all_it_follows_from() -> None:
    """Ten threads, a hundred steps, depth three."""
    odds = Odds(10, 100, 3)

    assert odds.bound == pytest.approx(1e-5)
    assert str(odds) == (
        "n=10 threads, k=100 steps, depth d=3: a run finds a fault of that depth with probability "
        "1/(n*k^(d-1)) = 1e-05 or more"
    )


def test_interrupts_and_ways_to_cpus_have_priorities() -> None:
    """A task that may move has one for its steps and one for each CPU."""
    scenario = EXPERIMENTS["drain-by-interrupt"].scenario
    roles = (scenario.roles[0]._replace(moves=True), *scenario.roles[1:])
    moving = replace(scenario, roles=roles)

    assert threads_of(moving) == [Move(0), Move(1), Move(0, 0), Move(0, 1)]
    assert any(
        move.cpu is not None for run in range(9) for move in pct(run, moving, 20, 2).schedule
    )


def test_one_seed_is_one_run() -> None:
    """The same priorities and changes."""
    scenario = EXPERIMENTS["batch-before-high"].scenario

    assert [pct(5, scenario, 13, 3).schedule for _ in range(2)] == [
        pct(5, scenario, 13, 3).schedule
    ] * 2
    assert len({tuple(pct(seed, scenario, 13, 3).schedule) for seed in range(20)}) > 5
