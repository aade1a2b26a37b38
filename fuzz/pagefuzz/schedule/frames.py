"""Where a context stands in its operation, as plain data: a stack of programs and their locals.

It does what a generator does, and can be copied, compared and gone on from twice.
"""

from types import GeneratorType
from typing import NamedTuple, TypeAlias

from pagefuzz.schedule.programs import CALLS, ENDS, STOPS, UNSET, Locals, Program, program_of
from pagespec.schedule.running import Ended, Engine, Stopped
from pagespec.steps import Guard, Step, Visit


class Frame(NamedTuple):
    """One program that has stopped, or has gone on in the next one."""

    program: Program
    at: int
    kept: Locals


Frames: TypeAlias = tuple[Frame, ...]
"""Outermost first."""


def started(steps: object) -> Frames:
    """The frames of an operation of which nothing has been done yet."""
    assert isinstance(steps, GeneratorType)
    return (_frame_of(steps),)


def _frame_of(steps: "GeneratorType[object, object, object]") -> Frame:
    frame = steps.gi_frame
    assert frame is not None
    program = program_of(steps.gi_code, frame.f_globals)
    bound = frame.f_locals
    return Frame(program, 0, tuple([bound.get(name, UNSET) for name in program.names]))


def resumed(frames: object, given: object) -> Stopped | Ended:
    """Go on to the next stop, or to the end. given: what the stop gives to the operation."""
    assert isinstance(frames, tuple)
    stack: list[Frame] = list(frames)
    while stack:
        program, at, kept = stack.pop()
        kind, what, at, kept = program.enter(at, given, kept)
        if kind == ENDS:
            given = what
            continue
        stack.append(Frame(program, at, kept))
        if kind == STOPS:
            assert isinstance(what, Step | Guard | Visit)
            return Stopped(tuple(stack), what)
        given = None
        assert kind == CALLS
        if isinstance(what, GeneratorType):
            stack.append(_frame_of(what))
    return Ended(given)


BY_FRAMES = Engine(started, resumed)
"""Operations by programs that can be gone on with twice from one point."""
