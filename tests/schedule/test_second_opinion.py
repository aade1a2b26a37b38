"""Who may run when, asked twice: of the spec's rules, and of a plain machine that knows none."""

from collections.abc import Hashable, Iterable, Sized
from dataclasses import replace
from random import Random
from typing import cast

import pytest
from tests.schedule.plain_explorer import End, end_of, every_end
from tests.schedule.plain_machine import Machine, Move
from tests.schedule.small import SMALL

from pagefuzz.schedule.aspects import FrozenHoldings, FrozenLists, FrozenNumbers, FrozenPcps
from pagefuzz.schedule.counted import FrozenCells
from pagefuzz.schedule.draw import random_scenario
from pagefuzz.schedule.exhaust import exhaust
from pagefuzz.schedule.experiments import EXPERIMENTS
from pagefuzz.schedule.scenarios import SCENARIOS
from pagefuzz.schedule.scenarios_counters import counting
from pagefuzz.schedule.scenarios_said import hardirq, machine_of, scenario_of, task
from pagefuzz.schedule.symmetry import swaps_of
from pagespec.era import ERAS
from pagespec.schedule import contexts, rules
from pagespec.schedule.contexts import Context, Scenario
from pagespec.schedule.opening import opened
from pagespec.schedule.running import BY_GENERATORS
from pagespec.steps import Step
from pagespec.types import EndlessWalk

ON_ONE_CPU = [
    f"{topic}-{era}"
    for topic in ("interrupt", "interrupt-when-full", "interrupts-nested", "one-cpu-build")
    for era in ("2.6.11", "4.11-rc", "5.15", "6.12")
]
"""Those with so few schedules that each can be run from the start."""

ON_MORE = [
    name
    for name in sorted(SCENARIOS)
    if name not in ON_ONE_CPU and not name.startswith(("everybody", "cells", "cell-told"))
][::3]
"""A third of the others, but for those whose states are very many."""


def chosen(rng: Random, moves: list[Move], last: Move | None) -> Move:
    """Mostly whoever went last: else nobody ever comes far before another one begins."""
    on = [move for move in moves if last is not None and move == Move(last.context)]
    return on[0] if on and rng.random() < 0.7 else rng.choice(moves)


def drawn_end(scenario: Scenario, rng: Random) -> End:
    """The end of a schedule by chance."""
    last: Move | None = None

    def choose(moves: list[Move]) -> Move:
        nonlocal last
        last = chosen(rng, moves, last)
        return last

    return end_of(scenario, choose)


def ends_of(scenario: Scenario) -> set[Hashable]:
    """The ends that a search over states finds, as the plain machine tells them."""
    reduced = not any(True for _ in swaps_of(scenario))
    found = exhaust(scenario, hashed=True, reduced=reduced)
    assert found.exhausted
    assert found.broken is None
    return {told(cast(tuple[Hashable, ...], end)) for end in found.final}


def told(end: tuple[Hashable, ...]) -> Hashable:
    """An end of the search in the words of the plain machine."""
    parts = {type(part): part for part in end[:-1]}
    if FrozenCells in parts:
        cells = cast(FrozenCells, parts[FrozenCells])
        totals = tuple(total for _, total in cells.totals)
        return end[-1], (cells.told, cells.cells, totals)
    lists, pcps = cast(FrozenLists, parts[FrozenLists]), cast(FrozenPcps, parts[FrozenPcps])
    held = cast(FrozenHoldings, parts[FrozenHoldings]).held
    counts = cast(FrozenNumbers, parts[FrozenNumbers]).counts
    return end[-1], (lists.heads, pcps.lists, held, counts.pgallocs)


def plainly(ends: Iterable[End]) -> set[Hashable]:
    """What ends come to, none of them in trouble."""
    found = set(ends)
    assert {end.trouble for end in found} == {None}
    return {(end.outcomes, end.state) for end in found}


@pytest.mark.parametrize("name", ON_ONE_CPU)
def test_all_schedules_end_as_all_states_do(name: str) -> None:
    """Each schedule run from the start, with nothing met again and nothing taken at once."""
    ends = plainly(every_end(SCENARIOS[name]))
    assert ends == ends_of(SCENARIOS[name])


@pytest.mark.parametrize("name", ON_MORE)
def test_schedules_by_chance_end_as_some_state_does(name: str) -> None:
    """And most of the ends that are said to be possible are come to by chance."""
    rng = Random(name)
    ends = plainly(drawn_end(SCENARIOS[name], rng) for _ in range(150))
    possible = ends_of(SCENARIOS[name])

    assert ends <= possible
    assert 2 * len(ends) > len(possible)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_same_is_broken(name: str) -> None:
    """Somebody is at lists where he must not be, waits for ever, or sums are not as they were."""
    scenario, rng = EXPERIMENTS[name].scenario, Random(name)
    ends = {drawn_end(scenario, rng) for _ in range(300)}
    troubles = {end.trouble for end in ends} - {None}
    expected = {
        "PCP-owner": {"two at one CPU's lists"},
        "LIVE-ends": {"nobody can go on", "a drain goes round for ever"},
        "VM-conserve": set(),
        "EVT-count": set(),
        "PCP-off": set(),
    }
    (law,) = EXPERIMENTS[name].laws

    assert bool(troubles) is bool(expected[law])
    assert troubles <= expected[law]
    differs = keeps if law == "PCP-off" else sums
    assert len({differs(end) for end in ends}) > 1 or expected[law]


def keeps(end: End) -> bool:
    """Whether any list holds anything in the end."""
    return any(cast(tuple[Sized, ...], cast(tuple[Hashable, ...], end.state)[1]))


def sums(end: End) -> Hashable:
    """What was counted in all."""
    state = cast(tuple[Hashable, ...], end.state)
    if len(state) == 4:
        return sum(cast(tuple[int, ...], state[3]))
    told_pages, cells = cast(tuple[tuple[int, ...], tuple[tuple[int, ...], ...]], state[:2])
    return tuple(sum(kept) for kept in zip(told_pages, *cells, strict=True))


# --- step by step ------------------------------------------------------------------------------


def follow_both(scenario: Scenario, rng: Random) -> int:
    """Take a schedule by chance in both: the same may happen next, and the same comes of it.

    The spec takes and uses at once what nobody could see to be taken only; the plain machine goes
    on until it stands there as well. Returns how often there was a choice.
    """
    world, machine = opened(scenario, BY_GENERATORS), Machine(scenario)
    last: Move | None = None
    choices = 0
    while True:
        here = sorted(machine.moves(), key=str)
        there = sorted((Move(*move) for move in rules.moves(world)), key=str)
        assert here == there
        if not here:
            return choices
        choices += len(here) > 1
        last = chosen(rng, here, last)
        try:
            rules.take_step(world, contexts.Move(*last))
        except EndlessWalk:
            with pytest.raises(EndlessWalk):
                take_both(machine, last, world.contexts[last.context])
            return choices
        take_both(machine, last, world.contexts[last.context])
        assert machine.shared == world.shared
        assert [worker.outcomes for worker in machine.workers] == [
            list(context.outcomes) for context in world.contexts
        ]


def take_both(machine: Machine, move: Move, context: Context) -> None:
    """Take the move, and go on to where the context stands."""
    worker = machine.workers[move.context]
    machine.take(move)
    while worker.had and (worker.lost or worker.stop is Step.LOCK):
        if context.stop is Step.LOCK and context.ready:
            return
        assert machine.may_step(worker)
        machine.take(move)


@pytest.mark.parametrize("some", range(5))
def test_built_in_scenarios_step_by_step(some: int) -> None:
    """At each state of a schedule of every scenario and experiment."""
    scenarios = [*SCENARIOS.values(), *(each.scenario for each in EXPERIMENTS.values())]
    scenarios += SMALL.values()
    choices = [follow_both(scenario, Random(some)) for scenario in scenarios[some::5]]
    assert min(choices) > 0


@pytest.mark.parametrize("era", ["2.6.11", "2.6.37", "4.10", "4.11-rc", "5.15", "6.1", "6.12"])
def test_drawn_scenarios_step_by_step(era: str) -> None:
    """Also of scenarios that nobody has thought of."""
    rng = Random(era)
    choices = [follow_both(random_scenario(rng, ERAS[era]), rng) for _ in range(40)]
    assert sum(choices) > 200


# --- where they differed -----------------------------------------------------------------------


def test_tasks_move_between_requests() -> None:
    """What needs no stop on one CPU is followed by what is done on another."""
    scenario = counting("4.10", "task cpu=0 moves=1\n" + 2 * "mod free zone=0 by=1 irqs_on=1\n")
    ends = cast(set[tuple[FrozenCells]], exhaust(scenario).final)
    assert {tuple(kept[0] for kept in end[0].cells) for end in ends} == {(2, 0), (1, 1)}


def stepped(scenario: Scenario, *numbers: int) -> list[contexts.Move]:
    """What may happen when these contexts have taken a step each."""
    world = opened(scenario, BY_GENERATORS)
    for number in numbers:
        rules.take_step(world, contexts.Move(number))
    return rules.moves(world)


def test_tasks_that_wait_for_a_lock_may_move() -> None:
    """Who does not spin yet is preempted as anybody is, and need not wait where he is."""
    roles = task(0, "drainall", moves=True), task(1, "b = alloc order=0")
    scenario = scenario_of(machine_of(ERAS["6.12"], 2), roles)
    # The second has the guard of its lists when the first has drained its own and comes there.
    assert stepped(scenario, 1, 1, 0, 0, 0, 0) == [contexts.Move(1), contexts.Move(0, 1)]


def test_nobody_moves_to_a_cpu_that_is_gone() -> None:
    """It runs nothing."""
    roles = task(0, "a = alloc order=0", moves=True), task(0, "unplug cpu=1")
    scenario = scenario_of(machine_of(ERAS["6.12"], 2), roles)
    assert contexts.Move(0, 1) in stepped(scenario, 0)
    assert contexts.Move(0, 1) not in stepped(scenario, 0, 1)


@pytest.mark.parametrize("request_", ["drainall", "drain", "expire"])
def test_drains_of_a_build_for_one_cpu_leave_interrupts_on(request_: str) -> None:
    """Until 2026 only requests turned them off where a lock keeps nobody off: drains did not."""
    roles = task(0, request_), hardirq(0, "b = alloc order=0")
    setup = "p = alloc order=0", "free p"
    scenario = scenario_of(machine_of(ERAS["6.12"], 1), roles, setup, alone=True)

    broken = exhaust(scenario).broken
    assert broken is not None
    assert broken.law_id == "PCP-owner"
    assert exhaust(replace(scenario, alone=False)).broken is None


def test_who_counts_where_interrupts_are_on_loses() -> None:
    """Also without the test for interrupts, which makes the lists theirs and the counts as well."""
    scenario = counting(
        "4.11-rc",
        "count zone=0 preferred=0 times=2\ntask cpu=0\ncount zone=0 preferred=0\n"
        "interrupt cpu=0 level=hardirq\ncount zone=0 preferred=0\n",
        "guard=preempt-off",
    )
    broken = exhaust(scenario).broken
    assert broken is not None
    assert broken.law_id == "VM-conserve"
