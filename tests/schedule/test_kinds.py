"""Slabs and compaction among several contexts: what is followed, and what breaks without a rule."""

from dataclasses import replace
from typing import Final

import pytest

from pagefuzz.explore import trials
from pagefuzz.explore.tasks import Reach, Task, run
from pagefuzz.schedule.fewest import switches_of
from pagefuzz.schedule.left_out import RULES_LEFT_OUT, Left, left_out
from pagefuzz.schedule.replay import follow
from pagefuzz.schedule.replayed import exhaust_kind
from pagefuzz.schedule.scenarios_kinds import (
    CACHE,
    IRQ,
    KIND_EXPERIMENTS,
    KIND_SCENARIOS,
    OTHER,
    TASK,
    compaction_of,
    filled,
    kind_of,
    slabs_of,
)
from pagefuzz.schedule.shrink import fewest, shrink_trace
from pagefuzz.schedule.still import Stiller
from pagefuzz.schedule.walk import walk
from pagespec.host_trace import parse_any
from pagespec.schedule.contexts import LEFT_OUT, Move
from pagespec.schedule.opening import opened
from pagespec.schedule.rules import moves, take_step
from pagespec.schedule.running import BY_GENERATORS
from pagespec.schedule.trace import ScheduleTrace, schedule_text_of
from pagespec.slab import slub
from pagespec.slab.state import Slabs
from pagespec.trace import TraceError


@pytest.mark.parametrize("name", KIND_EXPERIMENTS)
def test_a_rule_left_out_breaks_its_law_after_few_switches(name: str) -> None:
    """And the schedule shows it again, but not to a spec that has the rule."""
    trial = trials.try_out(name)

    assert trial.verdict == "as expected"
    assert trial.schedule is not None
    assert switches_of(trial.schedule) <= 3
    scenario = KIND_EXPERIMENTS[name].scenario
    again = follow(scenario, trial.schedule).broken
    assert again is not None
    assert again.law_id == trial.law
    assert follow(replace(scenario, without=""), trial.schedule).broken is None


def test_each_rule_that_can_be_left_out_is_tried() -> None:
    assert LEFT_OUT.keys() == RULES_LEFT_OUT.keys()
    assert {each.scenario.without for each in KIND_EXPERIMENTS.values()} == LEFT_OUT.keys()


def test_nobody_is_hurt_one_after_the_other() -> None:
    """What the experiments show needs somebody who comes between."""
    for name, each in KIND_EXPERIMENTS.items():
        assert exhaust_kind(each.scenario, switches=1).broken is None, name


AGREE: Final = [
    ("objects-and-an-interrupt-5.8", None),
    ("arrays-and-an-interrupt-5.15", None),
    ("capture-and-an-interrupt-5.15", None),
    ("two-cpus-free-to-one-slab-6.1", 2),
    ("partial-slabs-of-a-cpu-6.1", 2),
    ("scanner-and-a-fallback-2.6.37", 2),
]


@pytest.mark.parametrize(("name", "switches"), AGREE)
def test_hashing_loses_no_end_and_no_verdict(name: str, switches: int | None) -> None:
    scenario = KIND_SCENARIOS[name]
    hashed, every_way = (
        exhaust_kind(scenario, hashed=on, switches=switches) for on in (True, False)
    )

    assert hashed.broken is every_way.broken is None
    assert hashed.final == every_way.final
    assert hashed.asked == every_way.asked
    assert hashed.extent() == every_way.extent()
    assert hashed.steps < every_way.steps


@pytest.mark.parametrize("name", ["chain-read-twice", "scanner-trusts-the-frame"])
def test_hashing_hides_no_fault(name: str) -> None:
    scenario = KIND_EXPERIMENTS[name].scenario
    hashed, every_way = (exhaust_kind(scenario, hashed=on, switches=2) for on in (True, False))

    assert hashed.broken is not None
    assert every_way.broken is not None
    assert str(hashed.broken) == str(every_way.broken)
    assert switches_of(hashed.schedule) == switches_of(every_way.schedule) == 2


def test_bounds_are_told_and_leave_something_out() -> None:
    """No more is claimed than was looked at."""
    name = "two-cpus-free-to-one-slab-6.1"
    task = Task(name, KIND_SCENARIOS[name])
    found = [run(task._replace(reach=reach)) for reach in (Reach(1), Reach(None, 4), Reach())]

    assert [each.extent for each in found] == [
        "exhausted to bound 1",
        "exhausted to depth 4",
        "exhausted",
    ]
    assert found[0].counts.steps < found[2].counts.steps
    assert found[1].counts.depth == 4
    unfinished = exhaust_kind(KIND_SCENARIOS[name], told=lambda found: found.states < 20)
    assert not unfinished.exhausted
    assert unfinished.extent().startswith("not refuted in ")


def test_a_value_tells_what_is_shared_from_what_is_alike() -> None:
    """Two lists that are one change together."""
    one, other = [1], [1]

    assert Stiller().still([one, other]) == Stiller().still([[1], [1]])
    assert Stiller().still([one, one]) != Stiller().still([one, other])
    assert Stiller().still([[1]]) != Stiller().still([[2]])
    with pytest.raises(TypeError, match="object is not known"):
        Stiller().still([object()])


def test_a_value_tells_where_an_operation_stands() -> None:
    """Before and after a step that changes nothing but locals."""
    scenario = kind_of(slabs_of("5.15"), CACHE, "a = alloc cache=1", TASK, "b = alloc cache=1")
    world = opened(scenario, BY_GENERATORS)
    context = world.contexts[0]
    take_step(world, Move(0))
    before = Stiller().still(context.rest)
    same = Stiller().still(context.rest)

    take_step(world, Move(0))

    assert before == same
    assert context.at == 1
    assert Stiller().still(context.rest) != before


def test_the_spec_is_whole_again_behind_what_leaves_a_rule_out() -> None:
    """Also if it ends early."""
    code = slub.take.__code__

    def ends_early() -> None:
        with left_out("number-compared"):
            assert slub.take.__code__ is not code
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        ends_early()
    assert slub.take.__code__ is code


def test_a_rule_that_is_not_there_any_more_cannot_be_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else an experiment would try nothing."""
    gone = Left(slub.take, "no such line", "")
    monkeypatch.setitem(RULES_LEFT_OUT, "number-compared", (gone,))
    with pytest.raises(ValueError, match="take has no such lines"), left_out("number-compared"):
        pass


def test_who_frees_waits_for_the_name_of_what_another_allocates() -> None:
    scenario = kind_of(slabs_of("5.15", cpus=2), CACHE, TASK, "a = alloc cache=1", OTHER, "free a")
    world = opened(scenario, BY_GENERATORS)
    assert moves(world) == [Move(0)]

    followed = follow(scenario, [Move(1)])

    assert followed.broken is None
    assert {move.context for move in followed.taken} == {0, 1}
    assert follow(scenario, []).taken == followed.taken


def test_objects_have_the_owners_that_they_were_given_to() -> None:
    scenario = kind_of(
        slabs_of("5.15"),
        *(CACHE, "a,b = allocbulk cache=1 objects=2"),
        *(TASK, "free a", "c,d = allocbulk cache=1 objects=2"),
    )
    world = opened(scenario, BY_GENERATORS)
    assert list(world.owners.values()) == [(-1,), (-1,)]

    while following := moves(world):
        take_step(world, following[0])

    assert isinstance(world.shared, Slabs)
    assert world.owners.keys() == world.shared.held.keys()
    assert sorted(world.owners.values()) == [(-1,), (0,), (0,)]


def test_names_go_along_with_blocks_that_are_moved() -> None:
    """Who frees a block by its name frees it where it is by then."""
    lines = filled("2.6.39", 0, 2, 12, 13)
    # The frame beside the two that are free at first goes to one of the upper two.
    scenario = kind_of(compaction_of("2.6.39"), *lines, TASK, "compact whole=1", "free xj")
    world = opened(scenario, BY_GENERATORS)
    assert 1 in world.zone.held

    while following := moves(world):
        take_step(world, following[0])

    assert world.contexts[0].outcomes[1] == 0
    assert 1 not in world.zone.held
    assert len(world.zone.held) == 11


@pytest.mark.parametrize("name", ["chain-read-twice", "objects-without-the-number"])
def test_traces_of_these_kinds_are_made_small(name: str) -> None:
    """What is not needed goes, and the same law breaks."""
    trial = trials.try_out(name)
    trace = trials.trace_of(trial)
    wordy = schedule_text_of(trace).replace("task cpu=0\n", "task cpu=0\nzz = alloc cache=1\n", 1)
    parsed = parse_any(wordy.partition("schedule")[0] + f"expect {trace.expect}\n")
    assert isinstance(parsed, ScheduleTrace)
    assert trial.law is not None
    schedule = fewest(parsed.scenario, trial.law, states=600, switches=3)
    assert schedule is not None

    small = shrink_trace(replace(parsed, schedule=schedule))

    assert small.expect == trace.expect
    assert len(small.requests) <= len(trace.requests)
    assert switches_of(small.schedule) <= 3


def test_walks_by_chance_find_an_interrupt_that_takes_the_same_object() -> None:
    scenario = KIND_EXPERIMENTS["objects-without-the-number"].scenario
    laws = {walked.broken.law_id for seed in range(20) if (walked := walk(seed, scenario)).broken}

    assert laws == {"OUT-disjoint"}
    sound = replace(scenario, without="")
    assert not any(walk(seed, sound).broken for seed in range(20))


BAD: Final = [
    (slabs_of("5.15"), "vary without=recheck-of-frames", "task cpu=0", 3, "expected a rule that"),
    (slabs_of("5.15"), "vary without=all", "task cpu=0", 3, "without=all: expected one of"),
    (slabs_of("5.15"), TASK, "release cpu=0", 4, "expected no word cpu="),
    (slabs_of("5.15"), TASK, "free a", 4, "got 'a'"),
    (slabs_of("5.15"), TASK, "sizes batch=1 high=1", 4, "expected a request to slabs"),
    (slabs_of("5.15"), OTHER, "release", 3, "cpu=1: expected a CPU of the machine, 0 to 0"),
    (slabs_of("5.15"), TASK, "a = alloc cache=1\nexpect CMP-rest", 5, "a law about slab schedules"),
    (compaction_of("5.15"), IRQ, "free pfn=1 order=0 irq=1", 4, "expected no word irq="),
    (compaction_of("5.15"), TASK, "rest\nexpect SLB-place", 5, "about compaction schedules"),
    (compaction_of("5.15"), TASK, "a = alloc order=0\na = alloc order=0", 5, "expected a new name"),
]


@pytest.mark.parametrize(("machine", "first", "then", "line", "sentence"), BAD)
def test_bad_lines_get_one_sentence(
    machine: str, first: str, then: str, line: int, sentence: str
) -> None:
    with pytest.raises(TraceError, match=sentence) as fault:
        parse_any(f"pagefuzz-trace 1\n{machine}\n{first}\n{then}\n")

    assert str(fault.value).startswith(f"line {line}: ")
