"""Threads on shared zones: the sound twin is not refuted, locks that are left out are noticed."""

import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from pagefuzz.museum.mutant import patches_of
from pagefuzz.schedule.twin.faults import TWIN_FAULTS
from pagefuzz.schedule.twin.runs import Runner
from pagefuzz.schedule.twin.scenes import MakeScene
from pagefuzz.schedule.twin.watch import Watch, watched_kernels
from pagefuzz.threads import churn
from pagefuzz.threads.drivers import installed_driver
from pagefuzz.threads.faults import FAULTS, IMPORTS, NO_LOCKS, NUMBERS
from pagefuzz.threads.handed import handed, scene_of
from pagefuzz.threads.hunt import hunt
from pagefuzz.threads.judging import judge, judge_end
from pagefuzz.threads.planted import caught
from pagefuzz.threads.record import NOT_REPEATABLE, failure_of, keep
from pagefuzz.threads.running import overlap, together
from pagefuzz.threads.team import Team
from pagefuzz.threads.zones import SHARED_ERAS, random_programs, random_zone
from pageimpl.allocator import Allocator
from pageimpl.layout import share
from pageimpl.memory import owner_of, set_owner, shift_of
from pageimpl.source import Patch, plain_modules
from pagespec.era import ERAS, Era
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.schedule.trace_reader import parse_schedule
from pagespec.verbs import Op, Verb


@pytest.mark.parametrize("era", SHARED_ERAS, ids=lambda era: era.name)
def test_the_twin_is_not_refuted(era: Era) -> None:
    """In a million requests of each era, in whose rounds threads work together."""
    hunted = hunt(4, operations=1_000_000, threads=2, era=era)

    assert hunted.failure is None, hunted.failure
    assert hunted.operations >= 1_000_000
    assert hunted.judged > hunted.zones > 4
    # Threads on counters do not wait for each other at the start.
    assert hunted.together > hunted.rounds // 2
    assert min(hunted.reached[what] for what in ("failed", "given", "lists", "no lists")) > 0


def test_more_threads_than_processors() -> None:
    """Then they take turns, and wait for each other at the start of each round all the same."""
    hunted = hunt(1, operations=60_000, threads=5)

    assert hunted.failure is None, hunted.failure


@pytest.mark.parametrize("threads", [1, 2])
def test_without_any_lock_threads_are_found_out(threads: int) -> None:
    """A zone that does not know that it is shared: two threads break it at once, one never does."""
    one = caught(installed_driver(), NO_LOCKS, 1, 6.0 if threads == 2 else 0.5, threads)

    assert (one.law is not None) == (threads == 2), one


def test_a_failure_is_kept_with_what_the_threads_asked_for(tmp_path: Path) -> None:
    """As text that says that it cannot be repeated, and as a scenario that a scheduler takes."""
    machine = Machine(24, 3, ERAS["6.12"], cpus=2, batch=2)
    team = Team(machine, random_programs(Random(3), machine, 2), installed_driver())
    team.run(200)
    judge(team)
    # A frame that somebody holds is given away a second time.
    block = next(block for number in (0, 1) for block in team.held_by(number))
    memory = team.allocator.memory
    set_owner(memory, block.pfn + shift_of(memory), owner_of(memory, 1) & 0)

    with pytest.raises(LawBroken) as caught_here:
        judge(team)
    failure = failure_of(0xA, 7, 2, team, caught_here.value, team.count(churn.SERVED))
    path = keep(failure, tmp_path)
    text = path.read_text()

    assert text.startswith(f"pagefuzz-threads 1\n# {NOT_REPEATABLE}\nseed a zone 7 round 2\n")
    assert "machine pages=24 top=3 era=6.12 cpus=2 batch=2" in text
    assert f"broken {caught_here.value.law_id}: {caught_here.value.complaint}" in text
    assert sum(line.startswith(("0: ", "1: ")) for line in text.splitlines()) == 48
    [scheduled] = tmp_path.glob("*.trace")
    scenario = parse_schedule(scheduled.read_text()).scenario
    assert scenario == failure.scenario
    assert [len(role.requests) for role in scenario.roles] == [4, 4]


def test_what_is_kept_names_each_block_once(tmp_path: Path) -> None:
    """Of any zone and programs, the scenario can be written and read."""
    read = 0
    for seed in range(12):
        rng = Random(seed)
        machine = random_zone(rng, rng.choice(SHARED_ERAS), 2)
        team = Team(machine, random_programs(rng, machine, 2), installed_driver())
        team.run(300)
        failure = failure_of(seed, 0, 0, team, LawBroken("OUT-disjoint", "made up"), 1)
        keep(failure, tmp_path / str(seed))
        for path in (tmp_path / str(seed)).glob("*.trace"):
            assert parse_schedule(path.read_text()).scenario == failure.scenario
            read += 1

    assert read > 6


def test_a_zone_that_keeps_something_is_found_out() -> None:
    """What is held when all has come back, or is counted as given, is noticed."""
    machine = Machine(16, 2, ERAS["4.10"])
    team = Team(machine, random_programs(Random(1), machine, 2), installed_driver())
    team.run(500)
    team.release_all()
    judge_end(team)
    assert team.allocator.perform(Op(Verb.ALLOC)) >= 0

    with pytest.raises(LawBroken, match="BUD-partition"):
        judge_end(team)


def test_who_does_not_come_back_is_named() -> None:
    """The others are not waited for beyond the time either."""
    hangs = threading.Event()
    with pytest.raises(LawBroken, match="LIVE-ends: thread 1 has not come back after 0 seconds"):
        together([hangs.is_set, lambda: hangs.wait(20)], object(), 0.2)
    hangs.set()


def test_what_a_thread_raises_is_raised() -> None:
    def fails() -> None:
        raise KeyError("here")

    with pytest.raises(KeyError, match="here"):
        together([fails], object())


def test_work_of_one_moment_overlaps() -> None:
    barrier = threading.Barrier(2)

    assert overlap(together([barrier.wait] * 2, object()))


def test_planted_faults_are_in_the_text() -> None:
    """Each changes one place; with none chosen, the kernels are the sound ones."""
    edits = [*(fault.edit for fault in FAULTS.values()), *IMPORTS]
    kernels = plain_modules(patches_of(edits))
    machine = Machine(24, 3, ERAS["6.12"], cpus=2, batch=2)
    sound, faulty = Allocator(machine, jit=False), Allocator(machine, modules=kernels)
    for allocator in (sound, faulty):
        share(allocator.memory)
    for order in (0, 1, 0, 2, 0):
        assert sound.alloc(order) == faulty.alloc(order)
    assert (sound.memory.array == faulty.memory.array).all()
    assert len(set(NUMBERS.values())) == len(FAULTS) + 2


def test_hunts_end() -> None:
    with pytest.raises(ValueError, match="a hunt has no end"):
        hunt(1)
    with pytest.raises(ValueError, match="threads=0: expected 1 or more"):
        hunt(1, seconds=1, threads=0)
    assert hunt(1, seconds=0.2, threads=1, era=replace(ERAS["6.1"])).seconds < 20


def test_what_is_kept_goes_to_the_scheduled_twin() -> None:
    """The same requests under a scheduler: a missing lock shows there, and can be repeated."""
    machine = Machine(8, 2, ERAS["6.1"])
    words = {churn.TOP: 0, churn.ENTRIES: 4, churn.ODDS_SPLIT: 0, churn.ODDS_RARE: 0}
    programs = [
        one._replace(words=tuple(sorted((dict(one.words) | words).items())))
        for one in random_programs(Random(3), machine, 2)
    ]
    team = Team(machine, programs, installed_driver())
    team.run(100)
    scenario = handed(machine, [0, 0], [team.latest(0), team.latest(1)])
    assert scenario is not None
    sound, faulty = (
        first_broken(scene_of(scenario, machine), patches)
        for patches in ({}, TWIN_FAULTS["unlocked-alloc"].patches)
    )

    assert sound is None
    assert faulty is not None


def first_broken(scene: MakeScene, patches: Mapping[str, Patch]) -> LawBroken | None:
    """The law that one of a few drawn schedules breaks."""
    watch = Watch()
    runner = Runner(scene(watched_kernels(watch, patches)), watch)
    rng = Random(1)
    for _ in range(60):
        ended = runner.run(lambda stop: rng.choice(stop.enabled))
        watch.points |= watch.new_points()
        if ended.broken is not None:
            return ended.broken
    return None
