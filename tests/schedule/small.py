"""Scenarios so small that all of their schedules can be followed one by one."""

from collections.abc import Sequence
from dataclasses import replace

from pagespec.era import ERAS, Era
from pagespec.machine import Machine
from pagespec.schedule.contexts import Asked, Level, Role, Scenario
from pagespec.trace import Operand, Request
from pagespec.verbs import Verb

DRAIN_ALL = Request(Verb.DRAIN_ALL)


def alloc(name: str, order: int = 0) -> Request:
    """A request for a block."""
    return Request(Verb.ALLOC, order=order, name=name)


def free(name: str) -> Request:
    """A request that gives it back."""
    return Request(Verb.FREE, operand=Operand(name, 0))


def task(cpu: int, *requests: Asked, moves: bool = False) -> Role:
    """A task."""
    return Role(Level.TASK, cpu, requests, moves)


def interrupt(cpu: int, *requests: Asked, level: Level = Level.HARDIRQ) -> Role:
    """An interrupt."""
    return Role(level, cpu, requests)


def small(
    era: Era | str, cpus: int, *roles: Role, setup: Sequence[Request] = (), alone: bool = False
) -> Scenario:
    """A scenario on a machine of 16 frames."""
    era = ERAS[era] if isinstance(era, str) else era
    machine = Machine(16, 3, era, cpus=cpus, batch=2)
    if era.tuning != "pair":
        machine = replace(machine, high=4)
    return Scenario(machine, roles, tuple(setup), alone=alone)


SMALL = {
    f"{name}-{era}": small(era, cpus, *roles, setup=[alloc("x"), alloc("y")])
    for era in ("2.6.11", "4.10", "4.11-rc", "5.15", "6.1", "6.12")
    for name, cpus, roles in (
        ("both", 2, (task(0, alloc("a")), task(1, free("x")))),
        ("drain", 2, (task(0, free("x")), task(1, DRAIN_ALL))),
        ("interrupt", 1, (task(0, free("x")), interrupt(0, free("y")))),
        ("migration", 2, (task(0, free("x"), moves=True), task(1, free("y")))),
    )
    # Few eras, since tasks that are sent to and fro have very many schedules.
    if name != "migration" or era in ("4.10", "6.12")
}
"""Sound ones."""

NO_TEST = small(
    replace(ERAS["4.11-rc"], guard="preempt-off"),
    1,
    task(0, free("x")),
    interrupt(0, alloc("b")),
    setup=[alloc("x"), alloc("y"), free("y")],
)
BROKEN = {
    "no-test": NO_TEST,
    "visits-by-interrupt": small(
        replace(ERAS["4.11-rc"], visits="interrupt"),
        2,
        task(0, free("x")),
        task(1, DRAIN_ALL),
        setup=[alloc("x"), alloc("y"), free("y")],
    ),
    "one-cpu": small(
        replace(ERAS["6.12"], guard="bare-trylock"),
        1,
        task(0, free("x")),
        interrupt(0, alloc("b")),
        setup=[alloc("x"), alloc("y"), free("y")],
        alone=True,
    ),
    "from-afar": small(
        replace(ERAS["6.1"], guard="local-lock"),
        2,
        task(0, free("x")),
        task(1, DRAIN_ALL),
        setup=[alloc("x"), alloc("y"), free("y")],
    ),
}
"""Those in which a law breaks."""
