"""Scenarios as they are written: who works where, and each one's requests as lines of a trace."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypedDict, Unpack

from pagespec.era import Era
from pagespec.machine import Machine
from pagespec.migratetype import MigrateType
from pagespec.request_reader import SHAPES, read_request
from pagespec.schedule.contexts import Asked, Level, Role, Scenario, Sizes
from pagespec.trace import Request
from pagespec.trace_words import read_whole, read_words
from pagespec.types import Order

SIZES_WORDS = frozenset({"batch", "high"})


class Said(NamedTuple):
    """A role whose requests are lines still."""

    level: Level
    cpu: int
    lines: tuple[str, ...]
    moves: bool = False


def task(cpu: int, *lines: str, moves: bool = False) -> Said:
    """A task on that CPU. moves: whether it may go on on another one."""
    return Said(Level.TASK, cpu, lines, moves)


def hardirq(cpu: int, *lines: str) -> Said:
    """A hard interrupt that comes once."""
    return Said(Level.HARDIRQ, cpu, lines)


def softirq(cpu: int, *lines: str) -> Said:
    """A soft interrupt that comes once, and that hard ones interrupt."""
    return Said(Level.SOFTIRQ, cpu, lines)


def nmi(cpu: int, *lines: str) -> Said:
    """An interrupt that nothing keeps off."""
    return Said(Level.NMI, cpu, lines)


class Shape(TypedDict, total=False):
    """What a scenario's zone has that others have not."""

    pages: int
    top: Order
    pageblock: Order
    types: tuple[MigrateType, ...]
    high: int | None
    min_free: int
    cells: bool


def machine_of(era: Era, cpus: int, **shape: Unpack[Shape]) -> Machine:
    """A zone of sixteen frames whose lists are as short as they can be and still do all they do.

    A refill brings two frames, and at four a drain takes some back. shape: what differs.
    """
    high = None if era.tuning == "pair" else 4
    said: Shape = {"pages": 16, "top": 3, "high": high, **shape}
    return Machine(era=era, cpus=cpus, batch=2, **said)


def scenario_of(
    machine: Machine,
    roles: Sequence[Said],
    setup: Iterable[str] = (),
    *,
    alone: bool = False,
    lock_irqs_on: bool = False,
    splits_adds: bool = False,
) -> Scenario:
    """The scenario, with its lines read. A name may be used by others than who gives it."""
    setup = tuple(setup)
    lines = [*setup, *(line for role in roles for line in role.lines)]
    names = frozenset(line.partition(" = ")[0] for line in lines if " = " in line)
    first = [request for request in read(setup, names) if isinstance(request, Request)]
    return Scenario(
        machine,
        tuple(
            Role(role.level, role.cpu, tuple(read(role.lines, names)), role.moves) for role in roles
        ),
        tuple(first),
        alone,
        lock_irqs_on,
        splits_adds,
    )


def read(lines: Iterable[str], names: frozenset[str]) -> Iterator[Asked]:
    """The requests of lines. names: of all blocks that any line gives a name."""
    for number, line in enumerate(lines, 1):
        if line.startswith("sizes "):
            words = read_words(number, line, "sizes", SIZES_WORDS, SIZES_WORDS)
            yield Sizes(**{key: read_whole(number, key, words[key]) for key in words})
        else:
            own = line.partition(" = ")[0]
            yield read_request(number, line, names - {own}, SHAPES)
