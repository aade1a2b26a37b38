"""A state has all that steps depend on, and the world can be made to stand as it was."""

from copy import deepcopy
from dataclasses import fields
from random import Random

import pytest
from tests.schedule.small import alloc, free, small, task

from pagefuzz.schedule.aspects import Holdings, Lists, Numbers, Pcps
from pagefuzz.schedule.counted import Cells, Settings
from pagefuzz.schedule.draw import random_scenario
from pagefuzz.schedule.frames import BY_FRAMES
from pagefuzz.schedule.frozen import Freezer
from pagefuzz.schedule.loops import groups_of, loop_in
from pagespec.era import ERAS
from pagespec.laws.law import LawBroken
from pagespec.schedule.contexts import Move
from pagespec.schedule.opening import opened
from pagespec.schedule.rules import moves
from pagespec.trace import Request
from pagespec.verbs import Verb
from pagespec.vmstat.counters import Counters
from pagespec.zone import Zone

NOT_STATE = {"machine", "on_cpu", "visited", "log"}
"""The fields that say who is at work and what was done, or never change."""


@pytest.mark.parametrize("era", ["2.6.11", "2.6.37", "4.11-rc", "6.12"])
def test_what_a_walk_changes_comes_back_with_the_state(era: str) -> None:
    rng = Random(era)
    compared = 0
    for _ in range(40):
        scenario = random_scenario(rng, ERAS[era])
        world = opened(scenario, BY_FRAMES)
        freezer = Freezer(world)
        state, shared = freezer.freeze(), deepcopy(world.shared)
        try:
            while nexts := moves(world):
                freezer.step(rng.choice(nexts))
                compared += 1
        except LawBroken:
            pass
        freezer.thaw(state)
        for field in fields(shared):
            if field.name not in NOT_STATE:
                now, was = getattr(world.shared, field.name), getattr(shared, field.name)
                assert now == was, field.name
        assert freezer.freeze() == state
        assert tuple(moves(world)) == freezer.moves_in(world)
    assert compared > 200


def test_what_may_happen_depends_on_the_cpus_that_run() -> None:
    """Two CPUs are to go, of which one must stay: who moves finds the one or the other."""
    gone = [task(cpu, Request(Verb.UNPLUG, cpu=1 - cpu)) for cpu in (0, 1)]
    world = opened(small("6.12", 2, *gone, task(0, alloc("a"), moves=True)), BY_FRAMES)
    freezer = Freezer(world)
    states = [freezer.freeze()]
    seen = set(states)
    while states:
        state = states.pop()
        freezer.thaw(state)
        nexts = freezer.moves_in(world)
        assert nexts == tuple(moves(world))
        for move in nexts:
            after = freezer.step_from(state, move)[1]
            states += [] if after in seen else [after]
            seen.add(after)
    assert len(seen) > 100


def test_lists_keep_their_order() -> None:
    scenario = small("6.12", 2, task(0, alloc("a"), free("a")), task(1, alloc("b")))
    world = opened(scenario, BY_FRAMES)
    freezer = Freezer(world)
    state = freezer.freeze()
    blocks = next(blocks for listed in world.zone.free_area for blocks in listed.values() if blocks)
    blocks[99] = None
    blocks.move_to_end(99, last=False)
    assert freezer.freeze() != state
    freezer.thaw(state)
    assert 99 not in blocks
    assert freezer.freeze() == state


SHARED = {
    Zone: (Lists, Pcps, Holdings, Numbers),
    Counters: (Cells, Settings),
}


@pytest.mark.parametrize("shared", SHARED)
def test_every_field_is_read_by_an_aspect(shared: type[Zone | Counters]) -> None:
    said = {
        name
        for aspect in SHARED[shared]
        for method in (aspect.__init__, aspect.look)
        for name in method.__code__.co_names
    }
    assert {field.name for field in fields(shared)} - NOT_STATE - {"places"} <= said


def reached(edges: list[list[tuple[int, Move]]], begin: int) -> set[int]:
    """All that can be come to."""
    found, queue = {begin}, [begin]
    while queue:
        for to, _ in edges[queue.pop()]:
            if to not in found:
                found.add(to)
                queue.append(to)
    return found


def test_groups_are_what_leads_to_each_other() -> None:
    rng = Random(1)
    loops = 0
    for _ in range(600):
        size = rng.randrange(1, 9)
        edges = [
            [
                (rng.randrange(size), Move(0, rng.choice((None, None, 1))))
                for _ in range(rng.choice((0, 1, 1, 2)))
            ]
            for _ in range(size)
        ]
        ways = [reached(edges, at) for at in range(size)]
        group = groups_of(edges)
        for one in range(size):
            for two in range(size):
                assert (group[one] == group[two]) == (one in ways[two] and two in ways[one])
        loop = loop_in(edges)
        steps = [
            (at, to)
            for at in range(size)
            for to, move in edges[at]
            if move.cpu is None and at in ways[to]
        ]
        assert (loop is None) == (not steps)
        if loop is not None:
            loops += 1
            at, path = loop
            assert path[0] in steps
            assert [at, *(to for _, to in path)] == [*(come for come, _ in path), at]
            assert all(to in [each for each, _ in edges[come]] for come, to in path)
    assert 100 < loops < 600
