"""Walks: they meet all that their era can meet and nothing else, and are repeatable."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from tests.fuzz.material import plan_of

from pagefuzz.campaign.floor import SELDOM, SERVES, floor_of
from pagefuzz.campaign.mix import random_mix, remember
from pagefuzz.campaign.plan import Result
from pagefuzz.campaign.requests import Known, random_op
from pagefuzz.campaign.verdict import Offer, exits_of, summary_of
from pagefuzz.campaign.walk import BEHAVIOURS, WALK_REQUESTS, large_machine, random_machine, walk
from pagefuzz.coverage import (
    BY_ORDER,
    OF_LISTS,
    Reached,
    events_in_crowd,
    events_of,
    is_crowded,
    verbs_served,
)
from pagefuzz.exits import Exit, worst
from pagefuzz.lockstep import Lockstep
from pagefuzz.target.builtin import Spec
from pagefuzz.undoing import enter, out_of_use
from pagespec.boot import boot
from pagespec.era import ERAS, Era
from pagespec.events import Kind
from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.migratetype import ISOLATE
from pagespec.ops import perform
from pagespec.verbs import BLOCK_VERBS, Op, Outcome, Verb

ALL = frozenset(Verb)
TOP = 3
GROUPED_ERAS = [eras[0] for eras in BEHAVIOURS if eras[0].numbering is not None]
WALKS = 400
"""So many walks meet an era's floor with certainty enough; usually about a hundred do."""


def reached_by(era: Era, walks: int, offered: frozenset[Verb] = ALL) -> Reached:
    """The events of so many walks, of the spec alone: as fast as walks can be."""
    reached: Reached = Counter()
    for number in range(walks):
        rng = Random(f"{era.name}/{number}")
        machine = random_machine(rng, era)
        zone, out = boot(machine), out_of_use(machine)
        mix = random_mix(rng, machine, offered)
        managed = sum(end - first for first, end in machine.managed)
        done: list[tuple[Op, Outcome]] = []
        for _ in range(WALK_REQUESTS):
            op = random_op(rng, Known(zone, out), mix)
            held = sum(SIZES[held.order] for held in zone.held.values()) + len(zone.poisoned)
            told = len(zone.log)
            done.append((op, perform(zone, op)))
            if is_crowded(managed, held):
                reached.update(events_in_crowd(done[-1][1], zone.log[told:]))
            enter(out, *done[-1])
            remember(mix, *done[-1])
        reached += events_of(zone.log) + verbs_served(done)
    return reached


@pytest.mark.parametrize("eras", BEHAVIOURS, ids=lambda eras: eras[0].name)
def test_walks_meet_the_floor_and_no_other_branch(eras: tuple[Era, ...]) -> None:
    """The floor is what the era can meet: walks meet all of it, and nothing that it leaves out."""
    floor = floor_of(eras[0], "exact", TOP, ALL)
    reached = reached_by(eras[0], WALKS)

    assert floor - reached.keys() == set()
    always = BY_ORDER | OF_LISTS | BLOCK_VERBS | {Kind.ZONE_LOCKED}
    branches = {event for event in reached if event[0] not in always}
    refusals = {event for event in reached if event[0] is Kind.REFUSE}
    seldom = {(kind, 0) for kind, meets in SELDOM.items() if meets(eras[0])}
    assert (branches | refusals) - floor - seldom == set()


@pytest.mark.parametrize("verb", SERVES, ids=lambda verb: verb.value)
def test_without_a_verb_a_run_is_vacuous(verb: Verb) -> None:
    """Who never asks for something has said nothing about it. The latest era serves every verb."""
    reached = reached_by(ERAS["6.12"], 60, ALL - {verb})
    plan = plan_of(Path(), eras=("6.12",), gears=("walk",))
    result = Result(0, "walk", "6.12", reached=reached)
    summary = summary_of(plan, Offer("exact", ALL, frozenset()), [result], [])

    assert (verb, 0) in summary.missing["6.12"]
    assert worst(exits_of(summary)) is Exit.INCONCLUSIVE


@pytest.mark.parametrize("era", GROUPED_ERAS, ids=lambda era: era.name)
def test_walks_are_judged_whole(era: Era) -> None:
    """The spec in lockstep with itself breaks no law, whatever a walk asks; one seed is one run."""
    runs = []
    for _ in range(2):
        done: list[tuple[Op, Outcome]] = []
        for number in range(6):
            rng = Random(f"{era.name}/{number}")
            lockstep = Lockstep(random_machine(rng, era), Spec, "exact")
            walk(lockstep, rng, WALK_REQUESTS)
            done += lockstep.done
        runs.append(done)

    assert runs[0] == runs[1]


@pytest.mark.parametrize("era", GROUPED_ERAS, ids=lambda era: era.name)
def test_machines_are_of_every_shape(era: Era) -> None:
    """With and without pageblocks, of every type, with holes, cut, of all relations to the top."""
    rng = Random(era.name)
    machines = [random_machine(rng, era) for _ in range(600)]
    grouped = [machine for machine in machines if machine.pageblock is not None]

    assert 300 < len(grouped) < 580
    assert {mt for machine in grouped for mt in machine.first_types} == set(era.types)
    assert {machine.top - (machine.pageblock or 0) for machine in grouped} >= {0, 1}
    assert any(machine.holes for machine in grouped)
    assert any(machine.start % 2 for machine in grouped)
    assert any(not machine.types for machine in grouped)
    assert any(machine.guard for machine in grouped) == era.guards
    assert any(ISOLATE in machine.types for machine in grouped)
    if era.reserve == "one-percent":
        assert any(machine.pages // 100 >= 2 ** (machine.pageblock or 0) for machine in grouped)


@pytest.mark.parametrize("draw", [random_machine, large_machine])
@pytest.mark.parametrize("eras", BEHAVIOURS, ids=lambda eras: eras[0].name)
def test_machines_have_lists_and_marks_of_every_kind(
    eras: tuple[Era, ...], draw: Callable[[Random, Era], Machine]
) -> None:
    """None to four CPUs; sizes that follow from the zone, and smaller ones; marks and none."""
    rng = Random(eras[0].name)
    machines = [draw(rng, eras[0]) for _ in range(300)]
    listed = [machine for machine in machines if machine.cpus]
    sized = eras[0].tuning != "pair"

    assert {machine.cpus for machine in machines} == {0, 1, 2, 3, 4}
    assert {machine.batch is None for machine in listed} == {False, True}
    assert {machine.high is None for machine in listed} == ({False, True} if sized else {True})
    assert {machine.min_free is None for machine in machines} == {False, True}
    assert any(machine.min_free is not None and not machine.cpus for machine in machines)
    assert all((machine.min_free or 0) <= max(8, machine.pages) for machine in machines)


@pytest.mark.parametrize("era", GROUPED_ERAS, ids=lambda era: era.name)
def test_large_machines_have_the_orders_of_real_ones(era: Era) -> None:
    """Blocks of order 10, and pageblocks of order 9 or 10, of several types."""
    rng = Random(era.name)
    machines = [large_machine(rng, era) for _ in range(60)]

    assert {machine.top for machine in machines} == {10}
    assert {machine.pageblock for machine in machines} == {None, 9, 10}
    assert any(len(set(machine.types)) > 2 for machine in machines)
