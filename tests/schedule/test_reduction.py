"""What is taken at once with the step before, nobody else can see: nothing is lost by it."""

from dataclasses import replace
from random import Random

import pytest
from tests.schedule.small import BROKEN, DRAIN_ALL, alloc, free, interrupt, small, task

from pagefuzz.schedule.draw import random_scenario
from pagefuzz.schedule.exhaust import exhaust
from pagefuzz.schedule.experiments import EXPERIMENTS
from pagefuzz.schedule.explored import Explored
from pagefuzz.schedule.following import started
from pagefuzz.schedule.reduction import Unseen
from pagefuzz.schedule.scenarios import SCENARIOS
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.schedule.contexts import Level, Move, Role, Scenario, Sizes

REDUCIBLE = [name for name, scenario in SCENARIOS.items() if Unseen(scenario).keeps]
REDUCIBLE_ERAS = [era for era in ERAS if any(name.endswith(f"-{era}") for name in REDUCIBLE)]
MOST = 800
"""States; what has more takes too long here."""


def small_enough(found: Explored) -> bool:
    return found.states < MOST


def same(scenario: Scenario, without: frozenset[str] = frozenset()) -> bool:
    """Whether a scenario comes to the same either way, as it must; False if it is too large."""
    whole = exhaust(scenario, reduced=False, without=without, told=small_enough)
    if not whole.exhausted and whole.broken is None:
        return False
    few = exhaust(scenario, without=without)
    assert (few.broken is None) == (whole.broken is None)
    if whole.broken is None:
        assert few.states <= whole.states
        assert few.steps <= whole.steps
        assert few.final == whole.final
        assert few.verdicts == whole.verdicts
        assert set(few.events) == set(whole.events)
    return True


@pytest.mark.parametrize("era", REDUCIBLE_ERAS)
def test_built_in_scenarios_come_to_the_same(era: str) -> None:
    names = [name for name in REDUCIBLE if name.endswith(f"-{era}")]
    assert sum(same(SCENARIOS[name]) for name in names) > 5


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_experiments_come_to_the_same(name: str) -> None:
    experiment = EXPERIMENTS[name]
    assert same(experiment.scenario)
    assert same(experiment.scenario, frozenset({"PCP-owner"}))


@pytest.mark.parametrize("name", BROKEN)
def test_broken_scenarios_come_to_the_same(name: str) -> None:
    assert same(BROKEN[name])
    assert same(BROKEN[name], frozenset({"PCP-owner"}))
    assert same(BROKEN[name], frozenset({"PCP-owner", "OUT-disjoint", "BUD-partition"}))


@pytest.mark.parametrize("era", ["4.11-rc", "6.1", "6.12"])
def test_random_scenarios_come_to_the_same(era: str) -> None:
    rng = Random(era)
    compared = 0
    for _ in range(400):
        scenario = random_scenario(rng, ERAS[era])
        if len(scenario.roles) < 3 and Unseen(scenario).keeps:
            compared += same(scenario)
        if compared == 3:
            break
    assert compared == 3


def test_others_do_the_same_before_and_behind_what_is_hidden() -> None:
    """Wherever a step is hidden, it commutes with whatever else may happen, one step or several."""
    hidden = 0
    for era in ("4.10", "6.1", "6.12"):
        setup = [alloc("x"), alloc("y"), free("y")]
        roles = (task(0, free("x")), interrupt(0, alloc("b")), task(1, DRAIN_ALL))
        hidden += commuting(small(era, 2, *roles, setup=setup))
    assert hidden > 300


def commuting(scenario: Scenario) -> int:
    """How many hidden steps were compared with others' steps."""
    course, start = started(scenario, reduced=False, bound=None, without=frozenset())
    freezer, unseen = course.freezer, Unseen(scenario)
    seen, queue, compared = {start.state}, [(start.state, start.nexts)], 0
    while queue:
        state, nexts = queue.pop()
        after = {}
        for move in nexts:
            freezer.thaw(state)
            moment, after[move] = freezer.step(move)
            if after[move] not in seen:
                seen.add(after[move])
                queue.append((after[move], moment.nexts))
        for move in nexts:
            freezer.thaw(state)
            before = freezer.world.contexts[move.context].holds
            if not unseen.hides(freezer.world, move.context):
                continue
            freezer.thaw(after[move])
            if unseen.shows(freezer.world.contexts[move.context], before):
                continue
            for other in nexts:
                if other.context == move.context:
                    continue
                freezer.thaw(after[move])
                assert other in freezer.moves_in(freezer.world)
                _, one_way = freezer.step(other)
                freezer.thaw(after[other])
                if move not in freezer.moves_in(freezer.world):
                    continue  # an interrupt is on top of it
                _, other_way = freezer.step(move)
                assert one_way == other_way
                compared += 1
    return compared


def test_hidden_steps_make_fewer_states() -> None:
    scenario = small("6.12", 2, task(0, alloc("a"), free("a")), task(1, alloc("b"), free("b")))
    assert exhaust(scenario).states * 3 < exhaust(scenario, reduced=False).states


def symmetric(scenario: Scenario) -> int:
    """How many ways there are to change places."""
    course, _ = started(scenario, reduced=True, bound=None, without=frozenset())
    assert course.symmetry is not None
    return len(course.symmetry.swappings)


def pair(name: str, cpu: int, *, moves: bool = False) -> Role:
    return task(cpu, alloc(name), free(name), moves=moves)


SYMMETRIC = {
    "two-cpus": (small("6.12", 2, pair("a", 0), pair("b", 1)), 1),
    "one-cpu": (small("4.11-rc", 1, pair("a", 0), pair("b", 0)), 1),
    "sent": (small("6.1", 2, pair("a", 0, moves=True), pair("b", 1, moves=True)), 1),
    "interrupts": (
        small("6.12", 1, task(0, alloc("a")), interrupt(0, alloc("b")), interrupt(0, alloc("c"))),
        1,
    ),
    "three": (small("5.15", 3, *(task(cpu, alloc("abc"[cpu])) for cpu in range(3))), 5),
    "shared": (
        small("4.10", 2, task(0, free("x")), task(1, free("y")), setup=[alloc("x"), alloc("y")]),
        0,
    ),
    "unequal-order": (small("6.12", 2, task(0, alloc("a")), task(1, alloc("b", 1))), 0),
    "unequal-level": (small("6.12", 1, task(0, alloc("a")), interrupt(0, alloc("b"))), 0),
    "told-apart": (small("6.12", 2, pair("a", 0), pair("b", 1), setup=[alloc("x")]), 0),
    "drains": (small("4.10", 2, task(0, DRAIN_ALL), task(1, DRAIN_ALL)), 0),
    "splits-adds": (replace(small("4.10", 1, pair("a", 0), pair("b", 0)), splits_adds=True), 0),
}
"""Scenarios, each with the ways to change places in it."""


@pytest.mark.parametrize("name", SYMMETRIC)
def test_contexts_that_may_change_places_come_to_the_same(name: str) -> None:
    scenario, ways = SYMMETRIC[name]
    assert symmetric(scenario) == ways
    whole, few = exhaust(scenario, reduced=False), exhaust(scenario)
    assert few.final == whole.final
    assert few.verdicts == whole.verdicts
    bounded, few = exhaust(scenario, reduced=False, bound=2), exhaust(scenario, bound=2)
    assert few.final == bounded.final
    assert few.verdicts == bounded.verdicts


def test_every_state_with_places_changed_is_a_state() -> None:
    scenario, _ = SYMMETRIC["sent"]
    course, start = started(scenario, reduced=True, bound=None, without=frozenset())
    freezer, symmetry = course.freezer, course.symmetry
    assert symmetry is not None
    swapping = symmetry.swappings[0]
    seen, queue = {start.state}, [start.state]
    while queue:
        state = queue.pop()
        freezer.thaw(state)
        for move in freezer.moves_in(freezer.world):
            freezer.thaw(state)
            _, after = freezer.step(move)
            if after not in seen:
                seen.add(after)
                queue.append(after)
    assert {swapping.state(state) for state in seen} == seen
    assert all(swapping.state(swapping.state(state)) == state for state in seen)
    assert sum(swapping.state(state) != state for state in seen) > len(seen) // 2


def test_nothing_is_hidden_where_the_argument_does_not_hold() -> None:
    scenario = small("6.12", 2, task(0, alloc("a")), task(1, alloc("b")))
    assert Unseen(scenario).keeps
    machine = scenario.machine
    assert isinstance(machine, Machine)
    others = (
        replace(scenario, lock_irqs_on=True),
        replace(scenario, splits_adds=True),
        replace(scenario, roles=(*scenario.roles, interrupt(0, free("a"), level=Level.NMI))),
        replace(scenario, roles=(*scenario.roles, task(0, Sizes(1, 1)))),
        replace(scenario, machine=replace(machine, min_free=4)),
        replace(scenario, machine=replace(machine, cells=True)),
        replace(scenario, machine=replace(machine, pageblock=2)),
    )
    for other in others:
        assert not Unseen(other).keeps
        course, start = started(other, reduced=True, bound=None, without=frozenset())
        assert start.nexts[0] == Move(0)
        assert not Unseen(other).hides(course.freezer.world, 0)
