"""Histories: of the spec's steps under a scheduler, and of the compiled twin on threads."""

from functools import partial
from random import Random

import pytest

from pagefuzz.threads.drivers import installed_driver
from pagefuzz.threads.exactly import Exactly
from pagefuzz.threads.faults import NO_LOCKS, NUMBERS
from pagefuzz.threads.forked import Told, forked
from pagefuzz.threads.histories import History, abstractly, most_kept, scheduled
from pagefuzz.threads.linear import Call, linearize
from pagefuzz.threads.stamped import Table, first_unexplained, random_table, take
from pagefuzz.threads.zones import SHARED_ERAS
from pagespec.era import ERAS, Era
from pagespec.machine import Machine
from pagespec.schedule.contexts import Level, Role, Scenario
from pagespec.trace import Operand, Request
from pagespec.types import NO_MEMORY
from pagespec.verbs import Op, Verb


def alloc(name: str, order: int = 0) -> Request:
    return Request(Verb.ALLOC, order, name)


def about(verb: Verb, name: str) -> Request:
    return Request(verb, operand=Operand(name, 0))


FIRST = (alloc("a"), about(Verb.FREE, "a"), alloc("c", 1))
SECOND = (alloc("b", 1), about(Verb.FREE, "b"), alloc("d"))

TASKS = (Role(Level.TASK, 0, FIRST), Role(Level.TASK, 0, SECOND))
CPUS = (Role(Level.TASK, 0, FIRST), Role(Level.TASK, 1, SECOND))
INTERRUPTED = (Role(Level.TASK, 0, FIRST), Role(Level.HARDIRQ, 0, SECOND))


def machine_of(era: Era, who: str) -> Machine:
    """A bare zone for tasks, or one with lists of two CPUs, or of one that is interrupted."""
    if who == "tasks":
        return Machine(4, 2, era)
    return Machine(16, 2, era, cpus=2 if who == "cpus" else 1, batch=1)


def scenario_of(era: Era, who: str) -> Scenario:
    """Two who ask for the like of each other."""
    roles = {"tasks": TASKS, "cpus": CPUS, "interrupt": INTERRUPTED}[who]
    return Scenario(machine_of(era, who), roles)


def overlapping(calls: History) -> bool:
    return any(
        one.thread != other.thread and one.invoked < other.returned and other.invoked < one.returned
        for one in calls
        for other in calls
    )


@pytest.mark.parametrize("who", ["tasks", "cpus", "interrupt"])
@pytest.mark.parametrize("era", SHARED_ERAS, ids=lambda era: era.name)
def test_the_spec_is_linearizable(era: Era, who: str) -> None:
    """Random schedules have an order; and exactly so where one lock or one CPU does all."""
    machine, scenario = machine_of(era, who), scenario_of(era, who)
    rng = Random(7)
    overlaps = 0
    for _ in range(25):
        _, calls = scheduled(scenario, rng.choice)
        overlaps += overlapping(calls)
        assert len(calls) >= 4
        assert abstractly(machine, calls).order is not None, calls
        if who != "cpus":
            exactly = Exactly(machine)
            assert linearize(calls, exactly.start, exactly.after).order is not None, calls

    assert overlaps > 5


def test_schedules_can_be_repeated() -> None:
    scenario = scenario_of(ERAS["6.12"], "cpus")

    one, other = (scheduled(scenario, Random(3).choice)[1] for _ in range(2))
    assert one == other


def test_a_torn_operation_is_found() -> None:
    """A frame that a task and an interrupt both got is in no order: the guard was missing."""
    machine = machine_of(ERAS["4.10"], "interrupt")
    _, calls = scheduled(scenario_of(ERAS["4.10"], "interrupt"), Random(1).choice)
    given = next(call for call in calls if call.request.verb is Verb.ALLOC)
    torn = [
        call._replace(outcome=given.outcome)
        if call.request.verb is Verb.ALLOC and call.thread != given.thread
        else call
        for call in calls[:2]
    ]
    doubled = [*torn, Call(9, Op(Verb.ALLOC), given.outcome, given.invoked, given.returned)]

    assert abstractly(machine, doubled).order is None


def test_exactly_tells_other_frames_apart() -> None:
    """The abstract specification takes any free frame; the exact one those of Linux."""
    machine = Machine(4, 2, ERAS["6.1"])
    for frame, same in ((0, True), (1, False)):
        calls = [Call(0, Op(Verb.ALLOC), frame, 0, 1)]
        exactly = Exactly(machine)
        assert abstractly(machine, calls).order is not None
        assert (linearize(calls, exactly.start, exactly.after).order is not None) == same


def tables_of(machine: Machine, trials: int, seed: int = 3) -> list[Table]:
    rng = Random(seed)
    cpus = (0, 1) if machine.cpus else (0, 0)
    return [random_table(rng, machine, cpu, 4, trials) for cpu in cpus]


@pytest.mark.parametrize("cpus", [0, 2])
@pytest.mark.parametrize("era", ["2.6.8", "4.10", "5.15", "6.1", "6.12"])
def test_the_twin_is_linearizable_on_threads(era: str, cpus: int) -> None:
    """Each of a few hundred histories has an order, and many of them need one to be looked for."""
    machine = Machine(4, 2, ERAS[era], cpus=cpus, batch=1 if cpus else None)
    taken = list(take(machine, tables_of(machine, 200), installed_driver()))

    assert len(taken) == 200
    assert any(call.outcome == NO_MEMORY for calls, _ in taken for call in calls)
    assert {call.request.verb for calls, _ in taken for call in calls} >= {
        *(Verb.ALLOC, Verb.FREE, Verb.GET, Verb.PUT, Verb.SPLIT)
    }
    for calls, held in taken:
        assert abstractly(machine, calls, held).order is not None, calls
        if not cpus:
            # One block of all frames: the lists are the same before each trial.
            exactly = Exactly(machine)
            borrowed = Call(9, Op(Verb.ALLOC, compound=True), min(held)[0], 0, 1)
            [start] = exactly.after(exactly.start, borrowed)
            assert linearize(calls, start, exactly.after).order is not None, calls


def test_histories_without_locks_have_no_order() -> None:
    """Of threads that take no lock some history is soon not to be explained."""
    machine = Machine(4, 2, ERAS["6.1"])
    driver = installed_driver()

    def look(seed: int) -> Told:
        tables = tables_of(machine, 300, seed)
        found, count = first_unexplained(machine, tables, driver, NUMBERS[NO_LOCKS])
        return [count, found is not None and overlapping(found)]

    # One that hangs or crashes says nothing about the search for an order.
    told = [forked(partial(look, seed), 10.0).told for seed in range(12)]
    assert any(one is not None and one[1] for one in told)


def test_what_cpus_may_keep_excuses() -> None:
    """It grows with the lists' sizes, and is nothing without lists."""
    bounds = [most_kept(Machine(64, 3, ERAS["4.10"], cpus=2, batch=2, high=h), 0) for h in (2, 9)]

    assert 0 < bounds[0] < bounds[1]
