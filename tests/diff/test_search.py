"""The search: nothing shorter exists, nothing is lost by visiting a pair of states once."""

from dataclasses import replace
from random import Random
from typing import NamedTuple

import pytest

from pagefuzz.diff.difference import Aspect
from pagefuzz.diff.era_side import EraSide
from pagefuzz.diff.machines import random_machine
from pagefuzz.diff.parting import Group, parting_of
from pagefuzz.diff.search import Found, booted, longer_by, search, served
from pagefuzz.diff.seen import Path, Side
from pagefuzz.diff.state import frozen, thawed
from pagefuzz.diff.telling import trace_of
from pagefuzz.diff.vocabulary import vocabulary
from pagefuzz.diff.walks import follow, shrunk, walk
from pagespec.boot import boot
from pagespec.era import ERAS, Era
from pagespec.machine import Machine
from pagespec.migratetype import MOVABLE, UNMOVABLE
from pagespec.ops import perform
from pagespec.types import DomainError
from pagespec.verbs import Verb
from pagespec.zone import STATE

TINY = Machine(pages=4, top=1, era=ERAS["4.10"], pageblock=1, types=(UNMOVABLE, MOVABLE))
TYPED = Machine(pages=8, top=2, era=ERAS["4.10"], pageblock=2, types=(UNMOVABLE, MOVABLE))


def sides_of(machine: Machine, one: Era, other: Era) -> tuple[Side, Side]:
    return EraSide(replace(machine, era=one)), EraSide(replace(machine, era=other))


def every_trace(sides: tuple[Side, Side], bound: int) -> dict[Group, int]:
    """The least length of each group, by all traces one by one, none left out."""
    lengths: dict[Group, int] = {}

    def go_on(path: Path, length: int) -> None:
        machines = sides[0].machine, sides[1].machine
        for op in vocabulary(machines, frozenset(Verb), path.states[0]):
            seen = served(sides, path, op)
            parting = parting_of(sides, path, op, seen)
            if parting is not None:
                lengths[parting.group] = min(lengths.get(parting.group, length), length)
            elif length < bound:
                go_on(longer_by(path, op, seen), length + 1)

    start = booted(sides, frozenset())
    assert isinstance(start, Path)
    go_on(start, 1)
    return lengths


@pytest.mark.parametrize(("one", "other"), [("4.10", "5.15"), ("5.15", "6.1"), ("6.1", "6.12")])
def test_no_trace_is_shorter_and_no_group_is_lost(one: str, other: str) -> None:
    """All traces, one by one, find the same groups at the same lengths."""
    sides = sides_of(TINY, ERAS[one], ERAS[other])
    found = Found()
    search(sides, 3, found)

    assert {group: parting.length for group, parting in found.first.items()} == every_trace(
        sides, 3
    )
    assert found.first


def test_eras_that_differ_by_name_alone_never_part() -> None:
    """A search of thousands of steps, tracepoints included, and as many walks find nothing."""
    sides = sides_of(TYPED, ERAS["4.10"], ERAS["4.11-rc"])
    found = Found()
    search(sides, 3, found)

    assert found.first == {}
    assert found.steps > 5000
    assert all(walk(sides, Random(seed), frozenset(), set()) is None for seed in range(20))


def test_every_step_is_told() -> None:
    """However slow an allocator is, a step is the longest silence."""
    sides = sides_of(TINY, ERAS["4.10"], ERAS["5.15"])
    found, told = Found(), list[str]()
    search(sides, 2, found, tell=told.append)

    assert len(told) == found.steps > 0
    assert told[-1] == f"length 2 of 2: {found.steps:,} steps, {len(found.first)} groups"


class Choice(NamedTuple):
    """5.15 with one other choice, how soon that is seen, and as what."""

    era: Era
    length: int
    aspect: Aspect
    verb: Verb | None


CHOICES = {
    "boot_to_tail": Choice(
        replace(ERAS["5.15"], name="x", boot_to_tail=False), 0, "place in a list", None
    ),
    "takes_poisoned": Choice(
        replace(ERAS["5.15"], name="x", takes_poisoned=False), 1, "refusal", Verb.POISON
    ),
    "moved_to_tail": Choice(
        replace(ERAS["5.15"], name="x", moved_to_tail=False), 2, "place in a list", Verb.ISOLATE
    ),
    "nofragment": Choice(
        replace(ERAS["5.15"], name="x", nofragment=False), 3, "success", Verb.ALLOC
    ),
    "zone_locked": Choice(
        replace(ERAS["5.15"], name="x", zone_locked="attempt"), 3, "tracepoints", Verb.ALLOC
    ),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_one_choice_of_an_era_is_found_and_named(choice: str) -> None:
    """An era with one other choice parts from itself, in what that choice is about."""
    era, length, aspect, verb = CHOICES[choice]
    types = () if choice == "boot_to_tail" else TYPED.types
    found = Found()
    search(sides_of(replace(TYPED, types=types), ERAS["5.15"], era), length, found)

    assert (aspect, verb, length) in {
        (group.aspect, group.verb, parting.length) for group, parting in found.first.items()
    }


def test_what_is_ignored_is_looked_past() -> None:
    """Tracepoints alone part 6.1 and 6.12 at the first request; without them they go on."""
    sides = sides_of(Machine(8, 3, ERAS["6.1"], pageblock=2), ERAS["6.1"], ERAS["6.12"])
    seen, past = Found(), Found()
    search(sides, 2, seen)
    search(sides, 2, past, frozenset[Aspect]({"tracepoints"}))

    assert "tracepoints" in {group.aspect for group in seen.first}
    assert "tracepoints" not in {group.aspect for group in past.first}
    assert past.states > seen.states


def test_a_frozen_state_is_a_state() -> None:
    """What is thawed is what was frozen, in every field but for what only illegal requests tell."""
    steps = 0
    for seed in range(30):
        rng = Random(seed)
        era = rng.choice([era for era in ERAS.values() if era.bounds == "zone"])
        machine = random_machine(rng, (era, era))
        zone = boot(machine)
        for _ in range(30):
            ops = vocabulary((machine, machine), frozenset(Verb), frozen(zone))
            perform(zone, rng.choice(ops))
            again = thawed(machine, frozen(zone))
            for name in STATE:
                if name != "given":
                    assert getattr(again, name) == getattr(zone, name), name
            assert [list(map(list, lists.values())) for lists in again.free_area] == [
                list(map(list, lists.values())) for lists in zone.free_area
            ]
            steps += 1

    assert steps == 900


def test_a_walk_is_shrunk_to_the_same_kind_of_parting() -> None:
    """What walks find gets shorter, parts again when it is followed, and in the same way."""
    shorter = 0
    for seed in range(20):
        rng = Random(seed)
        try:
            sides = sides_of(random_machine(rng, (ERAS["6.1"],) * 2), ERAS["6.1"], ERAS["6.12"])
        except DomainError:
            continue
        parting = walk(sides, rng, frozenset(), set())
        if parting is None:
            continue
        small = shrunk(parting, frozenset())
        again = follow(sides, trace_of(small).requests)

        assert again is not None
        assert (again.group, again.length) == (parting.group, small.length)
        shorter += small.length < parting.length

    assert shorter > 0
