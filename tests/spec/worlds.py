"""Small worlds of several contexts, and every schedule of them: the operations as they are."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

from pagespec.era import ERAS
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.schedule.contexts import Asked, Level, Move, Role, Scenario, World
from pagespec.schedule.laws import AT_EVERY_STEP
from pagespec.schedule.moments import moment_of
from pagespec.schedule.opening import opened
from pagespec.schedule.rules import moves
from pagespec.schedule.running import BY_GENERATORS
from pagespec.trace import Operand, Request
from pagespec.verbs import Verb
from pagespec.vmstat.machine import CountedZone, CounterMachine
from pagespec.vmstat.trace import CounterRequest
from pagespec.vmstat.verbs import CounterOp, CounterVerb

COUNT = CounterRequest(CounterOp(CounterVerb.COUNT))
REFRESH = CounterRequest(CounterOp(CounterVerb.REFRESH))


def alloc(name: str, order: int = 0) -> Request:
    return Request(Verb.ALLOC, order=order, name=name)


def free(name: str) -> Request:
    return Request(Verb.FREE, operand=Operand(name, 0))


def task(*requests: Asked, cpu: int = 0, moves: bool = False) -> Role:
    return Role(Level.TASK, cpu, requests, moves)


def interrupt(*requests: Asked, cpu: int = 0, level: Level = Level.HARDIRQ) -> Role:
    return Role(level, cpu, requests)


def zone_scenario(
    era: str, *roles: Role, cpus: int = 1, cells: bool = False, **more: Any
) -> Scenario:
    """Contexts at a zone of 16 frames with small lists. more: of the scenario, or of the era."""
    known = ERAS[era]
    for name in [name for name in more if hasattr(known, name)]:
        known = replace(known, **{name: more.pop(name)})
    machine = Machine(
        pages=16,
        top=3,
        era=known,
        cpus=cpus,
        batch=2,
        high=None if known.tuning == "pair" else 4,
        cells=cells,
    )
    return Scenario(machine, roles, **more)


def counter_scenario(era: str, *roles: Role, cpus: int = 1, **more: Any) -> Scenario:
    """Contexts at the counters of one zone, with a threshold of 1."""
    machine = CounterMachine(ERAS[era], (0,) * cpus, (CountedZone(0, 64),), normal=1)
    return Scenario(machine, roles, **more)


class End(NamedTuple):
    """How one schedule ends: with everybody at his end, or with a law that breaks."""

    schedule: tuple[Move, ...]
    world: World
    broken: LawBroken | None


def switches_in(schedule: Sequence[Move]) -> int:
    """How often another context goes on than before, or goes to another CPU."""
    others = sum(before.context != after.context for before, after in pairwise(schedule))
    return others + sum(move.cpu is not None for move in schedule)


def endings(scenario: Scenario, most: int = 2) -> Iterator[End]:
    """Every schedule of a scenario with so few switches, each run anew from the start."""
    pending: list[tuple[Move, ...]] = [()]
    while pending:
        prefix = pending.pop()
        world = opened(scenario, BY_GENERATORS)
        schedule: list[Move] = []
        broken: LawBroken | None = None
        nexts: Sequence[Move] = moves(world)
        while nexts and broken is None:
            at = len(schedule)
            if at >= len(prefix):
                last = schedule[-1].context if schedule else 0
                nexts = sorted(nexts, key=lambda move: move.context != last)
                others = [(*schedule, move) for move in nexts[1:]]
                pending += [other for other in others if switches_in(other) <= most]
            schedule.append(prefix[at] if at < len(prefix) else nexts[0])
            broken = first_broken(world, schedule[-1])
            nexts = moves(world)
        yield End(tuple(schedule), world, broken)


def first_broken(world: World, move: Move) -> LawBroken | None:
    """The first law at every step that a step breaks."""
    try:
        moment = moment_of(world, move)
    except LawBroken as broken:
        return broken
    return next(AT_EVERY_STEP.broken(world.scenario.machine.era, moment), None)


def verdicts(scenario: Scenario) -> set[str]:
    """The laws that break in any schedule."""
    return {end.broken.law_id for end in endings(scenario) if end.broken is not None}


def steps_of(world: World, number: int, count: int) -> None:
    """Let a context take so many steps, all of which it must be able to take."""
    for _ in range(count):
        assert Move(number) in moves(world)
        moment_of(world, Move(number))
