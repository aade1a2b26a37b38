"""Every schedule is followed: the same ends as by brute force, and what is said of each law."""

from collections.abc import Hashable, Iterator
from dataclasses import replace
from itertools import count, pairwise

import pytest
from tests.schedule.shortest import shortest
from tests.schedule.small import BROKEN, NO_TEST, SMALL, alloc, free, small, task

from pagefuzz.schedule.exhaust import exhaust
from pagefuzz.schedule.fewest import Search, switches_of
from pagefuzz.schedule.following import started
from pagefuzz.schedule.frozen import Freezer
from pagefuzz.schedule.replay import follow
from pagefuzz.schedule.scenarios import SCENARIOS
from pagefuzz.schedule.search import is_symmetric
from pagespec.events import Kind
from pagespec.laws.law import LawBroken
from pagespec.ops import STEPS
from pagespec.schedule.contexts import Move, Scenario, World
from pagespec.schedule.moments import moment_of
from pagespec.schedule.opening import opened
from pagespec.schedule.rules import moves
from pagespec.schedule.running import BY_GENERATORS
from pagespec.steps import Step, Steps
from pagespec.trace import Request
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone


def ends_by_brute_force(scenario: Scenario) -> Iterator[tuple[Hashable, int]]:
    """The end of each schedule, and its steps, each schedule followed from the start."""
    ways: list[tuple[Move, ...]] = [()]
    while ways:
        way = ways.pop()
        world = opened(scenario, BY_GENERATORS)
        for move in way:
            moment_of(world, move)
        while nexts := moves(world):
            ways += [(*way, move) for move in nexts[1:]]
            moment_of(world, nexts[0])
            way = (*way, nexts[0])
        yield Freezer(world).final(), len(way)


TINY = [
    small("4.11-rc", 2, task(0, free("y")), task(1, free("x")), setup=[alloc("x"), alloc("y")]),
    small("6.1", 2, task(0, free("x")), task(1, free("y")), setup=[alloc("x"), alloc("y")]),
]


@pytest.mark.parametrize("scenario", TINY)
def test_ends_are_those_of_schedules_followed_one_by_one(scenario: Scenario) -> None:
    ends = list(ends_by_brute_force(scenario))
    for reduced in (False, True):
        found = exhaust(scenario, reduced=reduced)
        assert found.final == {final for final, _ in ends}
        assert found.depth == max(steps for _, steps in ends)
        assert found.exhausted
    tree = exhaust(scenario, hashed=False, reduced=False)
    assert tree.final == found.final
    assert tree.states > exhaust(scenario, reduced=False).states


@pytest.mark.parametrize("name", SMALL)
def test_states_that_are_met_again_lose_nothing(name: str) -> None:
    scenario = SMALL[name]
    hashed, tree = exhaust(scenario), exhaust(scenario, hashed=False)
    assert hashed.broken is None
    assert tree.broken is None
    assert hashed.final == tree.final
    assert hashed.depth <= tree.depth
    assert hashed.verdicts == tree.verdicts
    assert set(hashed.verdicts.values()) == {"exhausted"}
    assert hashed.states < tree.states
    assert set(hashed.events) == set(tree.events)


@pytest.mark.parametrize("name", BROKEN)
def test_broken_scenarios_are_broken_each_way(name: str) -> None:
    scenario = BROKEN[name]
    for hashed in (True, False):
        for reduced in (True, False):
            found = exhaust(scenario, hashed=hashed, reduced=reduced)
            assert found.broken is not None
            assert found.verdict("PCP-owner") == "broken"
            assert not found.exhausted
            broken = follow(scenario, found.schedule).broken
            assert broken is not None
            assert str(broken) == str(found.broken)


def test_bounds_leave_out_what_they_say() -> None:
    at_first = exhaust(NO_TEST, bound=0)
    assert at_first.verdict("PCP-owner") == "exhausted to bound 0"
    assert exhaust(NO_TEST, bound=1).verdict("PCP-owner") == "broken"
    scenario = SMALL["both-6.12"]
    whole = exhaust(scenario)
    states = [exhaust(scenario, bound=bound, reduced=False).final for bound in range(4)]
    assert all(few <= more for few, more in pairwise(states))
    enough = exhaust(scenario, bound=40)
    assert enough.verdicts == whole.verdicts
    assert enough.final == whole.final


def test_depth_is_counted_in_steps() -> None:
    scenario = SMALL["both-6.12"]
    whole = exhaust(scenario, reduced=False)
    few = exhaust(scenario, depth=4)
    assert few.depth == 4
    assert few.states < whole.states
    assert few.verdict("LIVE-ends") == "exhausted to depth 4"
    assert exhaust(scenario, depth=whole.depth).verdict("LIVE-ends") == "exhausted"
    both = exhaust(scenario, depth=4, bound=1)
    assert both.verdict("LIVE-ends") == "exhausted to bound 1 and depth 4"


def test_laws_that_are_not_asked_are_not_reached() -> None:
    found = exhaust(NO_TEST, without=frozenset({"PCP-owner"}))
    assert found.verdict("PCP-owner") == "not reached"
    assert found.broken is not None
    assert found.broken.law_id != "PCP-owner"


def test_laws_about_what_is_not_there_are_not_reached() -> None:
    of_counters = exhaust(SCENARIOS["hits-6.12"])
    assert of_counters.verdict("VM-cell") == "exhausted"
    assert of_counters.verdict("BUD-partition") == "not reached"
    of_a_zone = exhaust(SMALL["both-6.12"])
    assert of_a_zone.verdict("BUD-partition") == "exhausted"
    assert of_a_zone.verdict("VM-cell") == of_a_zone.verdict("VM-conserve") == "not reached"


SPOKEN_OF = {
    "CELL-sum": "cells",
    "CELL-width": "cells",
    "VM-conserve": "cells",
    "WM-formula": "marks",
    "MT-list": "pageblocks",
    "PCP-off": "disables",
    "PCP-unplugged": "unplugs",
    "EVT-count": "counts",
}
"""Per law, what there must be for it to say anything."""

WITH: dict[str, Scenario] = {
    what: replace(scenario, machine=replace(scenario.machine, **parts))
    for what, scenario, parts in (
        ("cells", small("5.15", 2, task(0, alloc("a"))), {"cells": True}),
        ("marks", small("5.15", 2, task(0, alloc("a"))), {"min_free": 4}),
        ("pageblocks", small("5.15", 2, task(0, alloc("a"))), {"pageblock": 2}),
        ("disables", small("5.15", 2, task(0, Request(Verb.DISABLE))), {}),
        ("unplugs", small("5.15", 2, task(0, Request(Verb.UNPLUG, cpu=1))), {}),
        ("counts", small("5.15", 2, task(0, alloc("a"))), {}),
    )
}
NOTHING = replace(small("5.15", 2, task(0, alloc("a"))), splits_adds=True)
"""A zone without any of them, whose events may be lost."""


@pytest.mark.parametrize("law", SPOKEN_OF)
def test_laws_about_what_a_zone_has_not_are_not_reached(law: str) -> None:
    """They would hold of it for nothing."""
    assert exhaust(NOTHING).verdict(law) == "not reached"
    assert exhaust(WITH[SPOKEN_OF[law]]).verdict(law) == "exhausted"


def test_a_search_that_is_broken_off_says_so() -> None:
    found = exhaust(SMALL["both-6.12"], told=lambda found: False)
    assert not found.exhausted
    assert found.verdict("LIVE-ends") == "not reached"


def test_events_tell_what_a_run_has_reached() -> None:
    events = exhaust(SMALL["drain-6.12"]).events
    assert events[Kind.PCPU_DRAIN] > 0
    assert events[Kind.ALLOC] == 0
    assert exhaust(SMALL["both-6.12"]).events[Kind.PCPU_DRAIN] == 0


@pytest.mark.parametrize("name", BROKEN)
def test_the_shortest_schedule_breaks_the_law_in_few_switches(name: str) -> None:
    scenario = BROKEN[name]
    schedule = shortest(scenario, "PCP-owner")
    assert schedule is not None
    followed = follow(scenario, schedule)
    assert isinstance(followed.broken, LawBroken)
    assert followed.broken.law_id == "PCP-owner"
    few = Search(scenario, "PCP-owner").fewest(switches=3, states=10_000)
    assert few is not None
    assert switches_of(schedule) == switches_of(few) <= 1
    assert len(schedule) <= len(few)


def test_there_is_no_shortest_schedule_of_a_law_that_holds() -> None:
    assert shortest(SMALL["interrupt-6.12"], "PCP-owner") is None


def spins(zone: Zone, op: Op) -> Steps[None]:
    """Looks again and again whether somebody has put frames on the list."""
    while not zone.pcps[0][0].count:
        yield Step.EDIT


def spin_forever(monkeypatch: pytest.MonkeyPatch) -> Scenario:
    monkeypatch.setitem(STEPS, Verb.DRAIN, spins)
    setup = [alloc("x", 3), alloc("y", 3)]
    return small("6.12", 1, task(0, Request(Verb.DRAIN)), task(0, free("x")), setup=setup)


@pytest.mark.parametrize("hashed", [True, False])
def test_who_goes_round_for_ever_breaks_a_law(
    monkeypatch: pytest.MonkeyPatch, hashed: bool
) -> None:
    scenario = spin_forever(monkeypatch)
    found = exhaust(scenario, hashed=hashed)
    assert found.verdict("LIVE-ends") == "broken"
    world = opened(scenario, BY_GENERATORS)
    states = [shown(world)]
    for move in found.schedule:
        moment_of(world, move)
        states.append(shown(world))
    assert states[-1] in states[:-1]
    assert shortest(scenario, "LIVE-ends") == exhaust(scenario).schedule


def outdoes(zone: Zone, op: Op) -> Steps[None]:
    """Goes on as soon as its CPU is ahead, and until then puts it ahead of the other."""
    while zone.pgallocs[op.cpu] <= 0:
        zone.pgallocs[op.cpu], zone.pgallocs[1 - op.cpu] = 1, -1
        yield Step.EDIT


def test_those_who_outdo_each_other_for_ever_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Either may end when it goes on alone; one state stands for both of them being ahead."""
    monkeypatch.setitem(STEPS, Verb.ALLOC, outdoes)
    scenario = small("6.12", 2, task(0, alloc("a")), task(1, alloc("b")))
    course, _ = started(scenario, reduced=True, bound=None, without=frozenset())
    assert is_symmetric(course)

    found = exhaust(scenario)
    assert (
        str(found.broken)
        == "LIVE-ends: context 0 and context 1 can go round for ever, 2 steps a turn"
    )
    world = opened(scenario, BY_GENERATORS)
    states = [shown(world)]
    for move in found.schedule:
        assert move in moves(world)
        moment_of(world, move)
        states.append(shown(world))
    assert states[-1] == states[-3]
    assert states[-1] != states[-2]


def test_a_loop_that_is_not_looked_for_again_names_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """The schedule comes to where it begins."""
    monkeypatch.setitem(STEPS, Verb.ALLOC, outdoes)
    scenario = small("6.12", 2, task(0, alloc("a")), task(1, alloc("b")))
    calls = count()
    found = exhaust(scenario, told=lambda found: next(calls) == 0)
    assert str(found.broken) == "LIVE-ends: somebody can go round for ever"
    assert follow(scenario, found.schedule).broken is None


def shown(world: World) -> object:
    return Freezer(world).freeze_values(), [str(context.stop) for context in world.contexts]


def test_tasks_that_are_sent_to_and_fro_do_not_go_round() -> None:
    found = exhaust(SMALL["migration-6.12"])
    assert found.broken is None
    assert found.final == exhaust(SMALL["migration-6.12"], reduced=False).final
