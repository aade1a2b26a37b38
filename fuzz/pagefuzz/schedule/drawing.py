"""Contexts drawn as they come between each other: one step after the other, each a few lines.

Each context has its own column, further in than those before it, so that a switch shows as a shift.
Where nothing has changed of the zone, nothing of it is drawn again.
"""

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from textwrap import wrap
from typing import NamedTuple

from pagefuzz.drawing import answered, drawn
from pagefuzz.drawing_compaction import compaction_drawn
from pagefuzz.drawing_counters import counters_drawn
from pagefuzz.drawing_slabs import slabs_drawn
from pagefuzz.drawing_turns import turns
from pagefuzz.drawing_words import fitted, labelled
from pagefuzz.schedule.replay import Taken, steps_of
from pagespec.compaction.state import Compaction
from pagespec.compaction.trace import CompactionRequest, compaction_answer_text
from pagespec.machine import Machine
from pagespec.schedule.contexts import (
    OWN_CPU,
    Asked,
    Context,
    Hold,
    Move,
    Role,
    Sizes,
    World,
    finished,
    waits_for,
)
from pagespec.schedule.sums import names_of
from pagespec.schedule.trace import asked_line
from pagespec.slab.state import Slabs
from pagespec.slab.trace import SlabRequest, slab_answer_text
from pagespec.steps import Guard, Step, Stop, Visit
from pagespec.vmstat.trace import CounterRequest, counter_answer_text
from pagespec.zone import Zone

COLUMNS = 100
"""Columns of a line, with all that it is set in."""

INDENT, DEEPEST = 4, 6
"""Columns by which a context is further in than the one before, and contexts that are."""

ARROW = " -> "
"""What stands behind the label of a list that is not empty."""


class Before(NamedTuple):
    """What is told of a world before a step.

    come: whether each context has begun at all. who: where each is. stands: what each is about to
    do. asked: the number of the request of each. lines: what is shared, drawn.
    """

    come: list[bool]
    who: list[str]
    stands: list[str]
    asked: list[int]
    lines: list[str]


def steps_drawn(world: World, schedule: Iterable[Move]) -> Iterator[tuple[Taken, list[str]]]:
    """The steps of a schedule, each with its picture."""
    before, going = before_of(world), -1
    for number, step in enumerate(steps_of(world, schedule), 1):
        yield step, list(step_drawn(world, step, before, number, going))
        before, going = before_of(world), step.move.context


def start_drawn(world: World) -> list[str]:
    """What is shared as everybody is about to begin, and who wants what of it."""
    scenario = world.scenario
    lines = shared_drawn(world)
    for number, role in enumerate(scenario.roles):
        lines += fitted(labelled(f"context {number}", [role_words(role)]))
        asked = map(without_answer, role.requests)
        lines += [f"    {asked_line(scenario, each)}" for each in asked]
    return lines


def shared_drawn(world: World) -> list[str]:
    """The zone or the counters that all work on."""
    if isinstance(world.shared, Zone):
        return drawn(world.shared)
    if isinstance(world.shared, Compaction):
        return compaction_drawn(world.shared)
    if isinstance(world.shared, Slabs):
        return slabs_drawn(world.shared)
    flying = [context.owes for context in world.contexts if context.owes]
    owed = [sum(each) for each in zip(*flying, strict=True)]
    return counters_drawn(world.shared, owed=owed)


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
        asked=[context.at for context in contexts],
        lines=shared_drawn(world),
    )


def _stands(world: World, number: int) -> str:
    context = world.contexts[number]
    if finished(world, number):
        return "is done"
    if context.rest is not None:
        return stop_words(context)
    asked = world.scenario.roles[number].requests[context.at]
    return f"begins {asked_line(world.scenario, without_answer(asked))}"


def without_answer(asked: Asked) -> Asked:
    """A request without what was answered in another run."""
    return asked if isinstance(asked, Sizes) else asked._replace(answer=None)


def stop_words(context: Context) -> str:
    """Where a context stands in its request."""
    stop = context.stop
    if stop is None:
        return "goes on"
    kind = type(stop) if isinstance(stop, Guard | Visit) else stop
    if context.ready and kind in READY:
        return READY[kind].format(stop=stop)
    return stop.value if isinstance(stop, Step) else WAITS[type(stop)].format(stop=stop)


WAITS: dict[type[Stop], str] = {
    Guard: "about to take the guard of CPU {stop.cpu}'s lists, however long it takes",
    Visit: "about to go on on CPU {stop.cpu}",
}
"""The stops of certain CPUs in words."""

READY: dict[Stop | type[Stop], str] = {
    Step.LOCK: "with the zone's lock taken",
    Step.GUARD: "with the guard of its lists taken",
    Guard: "with the guard of CPU {stop.cpu}'s lists taken",
    Step.BACK: "back on the CPU that it came from",
}
"""Stops at which what they say has come about, and others may come before it is used."""


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
    said += [inner + line for line in _came(world, step, before.asked[mover])]
    for line in said:
        yield from wrap(line, COLUMNS, subsequent_indent=f"{inner}    ", break_on_hyphens=False)
    yield from (f"      | {line}" for line in _changed(before.lines, shared_drawn(world)))


def _came(world: World, step: Taken, asked: int) -> Iterator[str]:
    context = world.contexts[step.move.context]
    if step.moment is not None:
        yield from turns(step.moment.log)
    if context.at > asked:
        request = world.scenario.roles[step.move.context].requests[asked]
        yield _answered(world, request, context)
        if finished(world, step.move.context):
            yield "has nothing left to do"
    yield "; ".join(_holdings(world, context))


def _answered(world: World, asked: Asked, context: Context) -> str:
    """How a request has come to its end."""
    if isinstance(asked, Sizes):
        return "ends: done"
    if isinstance(asked, CounterRequest):
        return f"ends: {counter_answer_text(asked.op.verb, context.outcomes[-1])}"
    if waits_for(asked) & world.unnamed:
        return "skipped: its block was never given out"
    if isinstance(asked, SlabRequest):
        return f"ends: {slab_answer_text(asked.op.verb, context.outcomes[-1])}"
    if isinstance(asked, CompactionRequest):
        return f"ends: {compaction_answer_text(asked.op.verb, context.outcomes[-1])}"
    op = world.names.op_of(asked)
    if op is None:
        return "skipped: its block was never given out"
    return f"ends: {answered(op, context.outcomes[-1])}"


def _holdings(world: World, context: Context) -> Iterator[str]:
    """What a context holds, whether interrupts reach its CPU, and what it has in flight."""
    yield f"holds {', '.join(map(_held, context.holds)) or 'nothing'}"
    cpu = context.place.cpu
    off = any(
        hold.irqs_off for other in world.contexts if other.place.cpu == cpu for hold in other.holds
    )
    yield f"interrupts {'off' if off else 'on'}"
    if context.flight:
        yield f"in flight {flight_words(world.zone.machine, context.flight)}"
    owes = zip(context.owes, names_of(world.shared), strict=False)
    owed = [f"{pages:+} {name}" for pages, name in owes if pages]
    if owed:
        yield f"yet to count {', '.join(owed)}"


def _held(hold: Hold) -> str:
    if hold.lists is None:
        return "the zone's lock"
    return "its CPU" if hold.lists == OWN_CPU else f"the guard of CPU {hold.lists}'s lists"


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
    """The lines that are new, and the lists that are gone."""
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, first, end, begin, until in matcher.get_opcodes():
        if tag != "equal":
            labels = {_label(line) for line in after[begin:until]}
            gone = [_label(line) for line in before[first:end] if ARROW in line]
            yield from after[begin:until]
            yield from (f"{label} -> nothing" for label in gone if label and label not in labels)


def _label(line: str) -> str:
    return line.partition(ARROW)[0].rstrip()
