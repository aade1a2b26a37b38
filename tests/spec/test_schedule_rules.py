"""What may come where: interrupts, locks, preemption and ways between CPUs, as the kernel has it.

Source: include/linux/preempt.h, Documentation/locking/spinlocks.rst, kernel/smp.c
(on_each_cpu_mask), kernel/workqueue.c (work that is queued on a CPU), and mm/page_alloc.c.
"""

from itertools import product

import pytest
from tests.spec.worlds import alloc, free, interrupt, steps_of, task, zone_scenario

from pagespec.schedule.contexts import OWN_CPU, Hold, Level, Move, Place, Role, Scenario, World
from pagespec.schedule.opening import opened
from pagespec.schedule.rules import moves, placed_op
from pagespec.schedule.running import BY_GENERATORS
from pagespec.steps import Step
from pagespec.trace import Request
from pagespec.verbs import Op, Verb

LOCK = Hold(None, locks=True, irqs_off=True)
IRQS_OFF = Hold(OWN_CPU, locks=False, irqs_off=True)
PREEMPT_OFF = Hold(OWN_CPU, locks=False, irqs_off=False)
DRAIN_ALL = Request(Verb.DRAIN_ALL)


def world(scenario: Scenario) -> World:
    return opened(scenario, BY_GENERATORS)


def busy(first: Level, *holds: Hold, second: Level, cpu: int = 0) -> World:
    """Somebody is in the middle of a request and holds something; another has not begun."""
    one = Role(first, 0, (alloc("a"),))
    two = Role(second, cpu, (alloc("b"),))
    made = world(zone_scenario("4.10", one, two, cpus=2))
    steps_of(made, 0, 1)
    made.contexts[0].holds = holds
    return made


def goes(made: World, number: int) -> bool:
    """Whether a context may take a step now."""
    return Move(number) in moves(made)


def until(made: World, number: int, stop: Step) -> None:
    """Let a context go on to that stop."""
    while made.contexts[number].stop is not stop:
        steps_of(made, number, 1)


@pytest.mark.parametrize(("first", "second"), list(product(Level, Level)))
def test_who_interrupts_whom(first: Level, second: Level) -> None:
    """Softirqs are interrupted by hardirqs, both by NMIs, tasks by all; none by its own kind.

    Whoever has been interrupted waits until the other is done. Of two tasks either may go on.
    """
    made = busy(first, second=second)

    assert goes(made, 1) is (second > first or first is second is Level.TASK)
    assert goes(made, 0)
    if second > first:
        steps_of(made, 1, 1)
        assert not goes(made, 0)


@pytest.mark.parametrize(("hold", "second"), list(product((LOCK, IRQS_OFF, PREEMPT_OFF), Level)))
def test_what_a_task_keeps_off_its_cpu(hold: Hold, second: Level) -> None:
    """With interrupts off only NMIs come; with preemption off all interrupts do, and no task."""
    comes = second is Level.NMI if hold.irqs_off else second is not Level.TASK

    assert goes(busy(Level.TASK, hold, second=second), 1) is comes


@pytest.mark.parametrize("hold", [LOCK, IRQS_OFF, PREEMPT_OFF])
def test_interrupts_are_off_on_one_cpu_alone(hold: Hold) -> None:
    """Another CPU takes its interrupts, and runs its tasks."""
    for second in Level:
        assert goes(busy(Level.TASK, hold, second=second, cpu=1), 1)


def test_the_innermost_hold_is_released() -> None:
    """Each release gives back what it is about, and leaves interrupts off where that was before."""
    scenario = zone_scenario("4.10", task(alloc("a")), interrupt(alloc("b")))
    made = world(scenario)
    steps_of(made, 0, 1)
    context = made.contexts[0]
    until(made, 0, Step.GUARD)
    steps_of(made, 0, 1)
    assert [hold.lists for hold in context.holds] == [0]
    until(made, 0, Step.LOCK)
    until(made, 0, Step.UNLOCK)
    assert [hold.lists for hold in context.holds] == [0]
    assert not goes(made, 1)
    until(made, 0, Step.UNGUARD)
    assert context.holds == ()
    assert goes(made, 1)


def test_who_waits_for_a_lock_is_not_in_its_way() -> None:
    """Two CPUs, one lock: the second goes on when the first has released it."""
    made = world(zone_scenario("6.12", task(alloc("a", 1)), task(alloc("b", 1), cpu=1), cpus=2))
    for number in (0, 1):
        until(made, number, Step.LOCK)
    made.contexts[0].holds = (*made.contexts[0].holds, LOCK)
    assert not goes(made, 1)
    made.contexts[0].holds = made.contexts[0].holds[:-1]
    assert goes(made, 1)


def test_a_lock_of_a_kernel_for_one_cpu_keeps_nobody_out() -> None:
    """There it is nothing but interrupts off, so that an NMI finds it free."""
    for alone in (False, True):
        roles = task(alloc("a", 3)), interrupt(alloc("b", 3), level=Level.NMI)
        made = world(zone_scenario("4.10", *roles, alone=alone))
        until(made, 0, Step.LOCK)
        steps_of(made, 0, 1)
        assert [hold.lists for hold in made.contexts[0].holds] == [None]
        until(made, 1, Step.LOCK)
        assert goes(made, 1) is alone


@pytest.mark.parametrize("hold", [LOCK, IRQS_OFF, PREEMPT_OFF])
def test_only_tasks_that_can_be_preempted_move(hold: Hold) -> None:
    """Neither who holds anything, nor an interrupt; nor who has not begun anything."""
    moving = zone_scenario("6.12", task(alloc("a"), moves=True), cpus=3)
    made = world(moving)
    assert moves(made) == [Move(0)]
    steps_of(made, 0, 1)
    assert moves(made) == [Move(0), Move(0, 1), Move(0, 2)]
    made.contexts[0].holds = (hold,)
    assert moves(made) == [Move(0)]
    role = interrupt(alloc("a"))._replace(moves=True)
    made = world(zone_scenario("6.12", role, cpus=3))
    steps_of(made, 0, 1)
    assert moves(made) == [Move(0)]


@pytest.mark.parametrize("verb", [Verb.DRAIN, Verb.REFRESH])
def test_a_cpus_own_worker_stays_there(verb: Verb) -> None:
    """What a CPU does to its own lists and cells is queued there."""
    role = task(Request(verb), moves=True)
    made = world(zone_scenario("6.12", role, cpus=2, cells=True, setup=(alloc("a"),)))
    steps_of(made, 0, 1)

    assert made.contexts[0].stop is not None
    assert moves(made) == [Move(0)]


def test_the_lists_are_those_of_the_cpu_where_the_task_is_pinned() -> None:
    """A number of a CPU that was read before may be that of a CPU which the task has left."""
    made = world(zone_scenario("6.12", task(alloc("a"), moves=True), cpus=2))
    steps_of(made, 0, 1)
    assert made.contexts[0].stop is Step.GUARD
    made.contexts[0].place = Place(1, Level.TASK)
    steps_of(made, 0, 2)

    assert {hold.lists for hold in made.contexts[0].holds} == {1}
    while made.contexts[0].rest is not None:
        steps_of(made, 0, 1)
    assert [pcps[0].count > 0 for pcps in made.zone.pcps] == [False, True]


VISITS = {"4.10": Level.HARDIRQ, "4.11-rc": Level.TASK, "5.8": Level.TASK, "5.15": Level.TASK}


@pytest.mark.parametrize("era", VISITS)
def test_how_another_cpu_is_reached(era: str) -> None:
    """In an interrupt, which needs interrupts on there; or by a worker, which needs preemption on.

    Who sends an interrupt waits on his CPU, where no other task runs meanwhile; interrupts do.
    """
    roles = (
        task(DRAIN_ALL),
        task(alloc("b"), cpu=1),
        task(alloc("c")),
        interrupt(alloc("d")),
    )
    made = world(zone_scenario(era, *roles, cpus=2))
    drainer = made.contexts[0]
    while drainer.place.cpu != 1:
        steps_of(made, 0, 1)

    by_interrupt = VISITS[era] is Level.HARDIRQ
    assert drainer.place == Place(1, VISITS[era])
    assert goes(made, 1) is not by_interrupt
    assert goes(made, 2) is not by_interrupt
    assert goes(made, 3)
    while drainer.back:
        steps_of(made, 0, 1)
    assert drainer.place == Place(0, Level.TASK)
    assert goes(made, 2)


@pytest.mark.parametrize("hold", [IRQS_OFF, PREEMPT_OFF])
@pytest.mark.parametrize("era", VISITS)
def test_what_keeps_visitors_off(era: str, hold: Hold) -> None:
    """Interrupts off keep an interrupt off, and both a worker."""
    made = world(zone_scenario(era, task(DRAIN_ALL, cpu=1), task(alloc("b"), cpu=0), cpus=2))
    steps_of(made, 1, 1)
    made.contexts[1].holds = (hold,)
    while goes(made, 0) and made.contexts[0].place.cpu != 0:
        steps_of(made, 0, 1)

    reached = made.contexts[0].place.cpu == 0
    assert reached is (VISITS[era] is Level.HARDIRQ and not hold.irqs_off)


def test_a_trylock_that_somebody_holds_is_lost_and_a_drain_waits() -> None:
    """Requests go to the buddy then; drains have nowhere else to go."""
    setup = (alloc("a"), free("a"))
    roles = task(alloc("b")), task(Request(Verb.DRAIN_ALL), cpu=1)
    made = world(zone_scenario("6.12", *roles, cpus=2, setup=setup))
    held = Hold(0, locks=True, irqs_off=False)
    steps_of(made, 1, 1)
    made.contexts[1].holds = (held,)
    steps_of(made, 0, 2)
    assert made.contexts[0].lost or made.contexts[0].stop is Step.LOCK
    made.contexts[1].holds = ()
    made.contexts[0].holds = (held,)
    assert not goes(made, 1)


def test_a_request_is_about_the_cpu_where_it_is_asked() -> None:
    """From an interrupt or not, as it is; but who takes a CPU away says which."""
    place = Place(1, Level.SOFTIRQ)

    assert placed_op(place, Op(Verb.ALLOC)) == Op(Verb.ALLOC, cpu=1, irq=True)
    assert placed_op(place, Op(Verb.UNPLUG, cpu=0)) == Op(Verb.UNPLUG, cpu=0, irq=True)
    assert placed_op(Place(0, Level.TASK), Op(Verb.FREE, 0, 3)) == Op(Verb.FREE, 0, 3)


def test_who_waits_for_a_name_waits() -> None:
    """A block is freed by another when it has been allocated, and never if that failed."""
    roles = task(free("a")), task(alloc("a", 3), cpu=1)
    made = world(zone_scenario("6.12", *roles, cpus=2))
    assert moves(made) == [Move(1)]
    while made.contexts[1].at == 0:
        steps_of(made, 1, 1)
    assert moves(made) == [Move(0)]
    setup = (alloc("b", 3), alloc("c", 3))
    made = world(zone_scenario("6.12", *roles, cpus=2, setup=setup))
    while made.contexts[1].at == 0:
        steps_of(made, 1, 1)
    assert made.unnamed == {"a"}
    assert moves(made) == [Move(0)]
    steps_of(made, 0, 1)
    assert moves(made) == []
