"""Contexts drawn as they come between each other: one step after the other, each a few lines.

Each context has its own column, further in than those before it, so that a switch shows as a shift.
Where nothing has changed of the zone, nothing of it is drawn again.
"""

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from textwrap import wrap
from typing import NamedTuple

from pagefuzz.drawing import answered, drawn
from pagefuzz.drawing_turns import turns
from pagefuzz.drawing_words import fitted, labelled
from pagefuzz.schedule.replay import Taken, steps_of
from pagespec.machine import Machine
from pagespec.schedule.contexts import Asked, Context, Role, Sizes, World
from pagespec.schedule.rules import NEEDS, Move, finished
from pagespec.schedule.trace import asked_line
from pagespec.steps import Guard, Step, Stop, Visit

COLUMNS = 100
"""Columns of a line, with all that it is set in."""

INDENT, DEEPEST = 4, 6
"""Columns by which a context is further in than the one before, and contexts that are."""


class Before(NamedTuple):
    """What is told of a world before a step.

    come: whether each context has begun at all. who: where each is. stands: what each is about to
    do. ends: how many requests of each have ended. lines: the zone drawn.
    """

    come: list[bool]
    who: list[str]
    stands: list[str]
    ends: list[int]
    lines: list[str]


def steps_drawn(world: World, schedule: Iterable[Move]) -> Iterator[tuple[Taken, list[str]]]:
    """The steps of a schedule, each with its picture."""
    before, going = before_of(world), -1
    for number, step in enumerate(steps_of(world, schedule), 1):
        yield step, list(step_drawn(world, step, before, number, going))
        before, going = before_of(world), step.move.context


def start_drawn(world: World) -> list[str]:
    """The zone as everybody is about to begin, and who wants what of it."""
    lines = drawn(world.zone)
    for number, role in enumerate(world.scenario.roles):
        lines += fitted(labelled(f"context {number}", [role_words(role)]))
        lines += [f"    {asked_line(asked)}" for asked in role.requests]
    return lines


def role_words(role: Role) -> str:
    """Who it is.

    >>> from pagespec.schedule.contexts import Level
    >>> role_words(Role(Level.HARDIRQ, 1, ()))
    'hardirq on CPU 1'
    """
    moves = ", which may move" if role.moves else ""
    return f"{role.level.name.lower()} on CPU {role.cpu}{moves}"


def before_of(world: World) -> Before:
    """What is to be remembered of a world before a step."""
    contexts = world.contexts
    return Before(
        come=[context.come for context in contexts],
        who=[
            f"context {number}, {context.place.level.name.lower()} on CPU {context.place.cpu}"
            for number, context in enumerate(contexts)
        ],
        stands=[_stands(world, number) for number in range(len(contexts))],
        ends=[len(context.outcomes) for context in contexts],
        lines=drawn(world.zone),
    )


def _stands(world: World, number: int) -> str:
    context = world.contexts[number]
    if finished(world, number):
        return "is done"
    if context.rest is not None:
        return stop_words(context)
    return f"begins {asked_line(_plain(world.scenario.roles[number].requests[context.at]))}"


def _plain(asked: Asked) -> Asked:
    """A request without the answer of another run."""
    return asked if isinstance(asked, Sizes) else asked._replace(answer=None)


def stop_words(context: Context) -> str:
    """Where a context stands in its request."""
    stop = context.stop
    if stop is None:
        return "goes on"
    if context.ready and (stop in NEEDS or isinstance(stop, Guard | Visit)):
        return READY[type(stop) if isinstance(stop, Guard | Visit) else stop].format(stop=stop)
    if isinstance(stop, Step):
        return stop.value
    return WAITS[type(stop)].format(stop=stop)


WAITS: dict[type[Stop], str] = {
    Guard: "about to take the guard of CPU {stop.cpu}'s lists, however long it takes",
    Visit: "about to go on on CPU {stop.cpu}",
}
"""The stops of certain CPUs in words."""

READY: dict[Stop | type[Stop], str] = {
    Step.LOCK: "with the zone's lock taken",
    Step.GUARD: "with the guard of its lists taken",
    Guard: "with the guard of CPU {stop.cpu}'s lists taken",
    Visit: "come to CPU {stop.cpu}",
}
"""What each stop asks for, once it is had."""


def step_drawn(world: World, step: Taken, before: Before, number: int, going: int) -> Iterator[str]:
    """What a step did: who did what, further in what came of it, and what changed of the zone.

    number: of the step. going: who went on last, or -1.
    """
    mover, cpu = step.move
    margin = " " * INDENT * min(mover, DEEPEST)
    inner = f"{margin}    "
    if going not in (-1, mover):
        comes = "switch to" if before.come[mover] else "interrupt:"
        yield from ("", f"---- {comes} context {mover} ----")
    does = before.stands[mover] if cpu is None else f"goes on on CPU {cpu}"
    said = [f"{margin}{number}: {before.who[mover]}, {does}"]
    said += [inner + line for line in _came(world, step, before.ends[mover])]
    for line in said:
        yield from wrap(line, COLUMNS, subsequent_indent=f"{inner}    ", break_on_hyphens=False)
    yield from (f"        {line}" for line in _changed(before.lines, drawn(world.zone)))


def _came(world: World, step: Taken, ends: int) -> Iterator[str]:
    context = world.contexts[step.move.context]
    if step.moment is not None:
        yield from turns(step.moment.log)
    yield from _ends(world, step.move.context, ends)
    yield "; ".join(_holdings(world, context))


def _ends(world: World, number: int, before: int) -> Iterator[str]:
    """What was answered, if the request has come to its end."""
    context = world.contexts[number]
    if len(context.outcomes) == before:
        return
    asked = world.scenario.roles[number].requests[context.at - 1]
    op = None if isinstance(asked, Sizes) else world.names.op_of(asked)
    yield f"ends: {'done' if op is None else answered(op, context.outcomes[-1])}"
    if finished(world, number):
        yield "has nothing left to do"


def _holdings(world: World, context: Context) -> Iterator[str]:
    """What a context holds, and whether interrupts reach its CPU."""
    held = [
        "the zone's lock" if hold.lists is None else f"the guard of CPU {hold.lists}'s lists"
        for hold in context.holds
    ]
    yield f"holds {', '.join(held) or 'nothing'}"
    cpu = context.place.cpu
    off = any(
        hold.irqs_off for other in world.contexts if other.place.cpu == cpu for hold in other.holds
    )
    yield f"interrupts {'off' if off else 'on'}"
    if context.flight:
        yield f"in flight {flight_words(world.scenario.machine, context.flight)}"


def flight_words(machine: Machine, frames: int) -> str:
    """Frames as the runs that they are.

    >>> from pagespec.era import ERAS
    >>> flight_words(Machine(8, 3, ERAS["6.1"], start=8), 0b10110)
    'page[9-10], page[12]'
    """
    words = []
    pfn = machine.start
    while frames:
        skip = (frames & -frames).bit_length() - 1
        frames >>= skip
        length = (~frames & (frames + 1)).bit_length() - 1
        first = pfn + skip
        words.append(f"page[{first}]" if length == 1 else f"page[{first}-{first + length - 1}]")
        frames >>= length
        pfn = first + length
    return ", ".join(words)


def _changed(before: list[str], after: list[str]) -> Iterator[str]:
    """The lines that are new, and those that are gone without another in their place."""
    for tag, first, end, begin, until in SequenceMatcher(
        None, before, after, autojunk=False
    ).get_opcodes():
        if tag == "delete":
            yield from (f"{line}    (no more)" for line in before[first:end])
        elif tag != "equal":
            yield from after[begin:until]
