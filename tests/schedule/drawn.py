"""Traces of schedules of every shape, for tests: whatever a trace can say, said somewhere."""

from dataclasses import replace
from typing import get_args

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from pagespec.era import ERAS, StoreOrder, Visits
from pagespec.guards import RULES
from pagespec.laws.books import LAWS_OF
from pagespec.machine import Machine
from pagespec.migratetype import LETTERS
from pagespec.request_reader import SHAPES
from pagespec.schedule.contexts import Asked, Level, Move, Role, Scenario, Sizes
from pagespec.schedule.trace import ScheduleTrace
from pagespec.trace import FLAGS, NAMING, Operand, Request, name_of
from pagespec.verbs import Verb

NUMBERS = st.integers(0, 20)


@st.composite
def requests(draw: DrawFn, named: list[str], *, within: bool) -> Request:
    """A request of any verb. named: the blocks that have names so far, to which it may add one.

    within: whether a task or an interrupt asks for it.
    """
    verb = draw(st.sampled_from(Verb))
    shape = SHAPES[verb]
    request = Request(verb)
    if verb in NAMING:
        named.append(name_of(len(named)))
        request = request._replace(name=named[-1])
    words = set(shape.needs) | {word for word in shape.may_have if draw(st.booleans())}
    if shape.named and named and draw(st.booleans()):
        operand = Operand(draw(st.sampled_from(named)), draw(NUMBERS))
        request, words = request._replace(operand=operand), words - shape.needs
    elif shape.named and draw(st.booleans()):
        request, words = request._replace(slot=draw(NUMBERS)), words - shape.needs
    elif "pfn" in words:
        request = request._replace(operand=Operand(None, draw(NUMBERS)))
    if "order" in words:
        request = request._replace(order=draw(NUMBERS))
    if "mt" in words:
        request = request._replace(mt=draw(st.sampled_from(sorted(LETTERS.values()))))
    if "pages" in words:
        request = request._replace(pages=draw(NUMBERS))
    if "cpu" in words and (verb in (Verb.UNPLUG, Verb.PLUG) or not within):
        request = request._replace(cpu=draw(NUMBERS))
    for flag in FLAGS:
        if flag in words and not (within and flag in ("irq", "contended")):
            # Each flag is a field of a request, which its name alone can't tell.
            request = request._replace(**{flag: draw(st.booleans())})  # type: ignore[arg-type]
    return request


@st.composite
def machines(draw: DrawFn) -> Machine:
    """A machine whose era may be varied."""
    era = ERAS[draw(st.sampled_from(sorted(ERAS)))]
    for field, values in (
        ("guard", tuple(RULES)),
        ("visits", get_args(Visits)),
        ("stores_sizes", get_args(StoreOrder)),
        ("bounds_drains", (False, True)),
    ):
        if draw(st.booleans()):
            era = replace(era, **{field: draw(st.sampled_from(values))})
    batch = draw(st.none() | NUMBERS)
    return Machine(16, 3, era, cpus=draw(st.integers(1, 3)), batch=batch)


@st.composite
def traces(draw: DrawFn) -> ScheduleTrace:
    """A trace in which somebody can go on until all have what they wait for."""
    machine = draw(machines())
    named: list[str] = []
    setup = [draw(requests(named, within=False)) for _ in range(draw(st.integers(0, 3)))]
    count = draw(st.integers(1, 4))
    asked: list[list[Asked]] = [[] for _ in range(count)]
    for _ in range(draw(st.integers(0, 6))):
        sizes = draw(st.booleans()) and draw(st.booleans())
        one: Asked = (
            Sizes(draw(NUMBERS), draw(NUMBERS)) if sizes else draw(requests(named, within=True))
        )
        asked[draw(st.integers(0, count - 1))].append(one)
    roles = []
    for each in asked:
        level = draw(st.sampled_from(Level))
        moves = level is Level.TASK and draw(st.booleans())
        roles.append(Role(level, draw(st.integers(0, machine.cpus - 1)), tuple(each), moves))
    schedule: list[Move] = []
    for _ in range(draw(st.integers(0, 8))):
        number = draw(st.integers(0, count - 1))
        if roles[number].moves and draw(st.booleans()):
            schedule.append(Move(number, draw(st.integers(0, machine.cpus - 1))))
        else:
            schedule += [Move(number)] * draw(st.integers(1, 3))
    scenario = Scenario(
        machine,
        tuple(roles),
        tuple(setup),
        alone=machine.cpus == 1 and draw(st.booleans()),
        lock_irqs_on=draw(st.booleans()),
        splits_adds=draw(st.booleans()),
    )
    expect = draw(st.none() | st.sampled_from(sorted(LAWS_OF["schedule"])))
    return ScheduleTrace(scenario, tuple(schedule), expect, ("seed 1",))
