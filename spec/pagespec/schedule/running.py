"""How an operation is gone on with: what comes of each step, and the plain way, by generators."""

from collections.abc import Callable
from inspect import GEN_SUSPENDED, getgeneratorstate
from types import GeneratorType
from typing import NamedTuple, TypeAlias

from pagespec.steps import Steps, Stop

AnySteps: TypeAlias = Steps[int | None] | Steps[int] | Steps[None]
"""The steps of any request."""


class Stopped(NamedTuple):
    """An operation that lets others run. rest: what is left of it, to go on with."""

    rest: object
    stop: Stop


class Ended(NamedTuple):
    """An operation that has come to its end."""

    value: object


class Engine(NamedTuple):
    """A way to run operations step by step.

    started: what is to be gone on with, of an operation of which nothing has been done yet.
    resumed: goes on to the next stop, or to the end; it is given what the stop answers.
    """

    started: Callable[[AnySteps], object]
    resumed: Callable[[object, bool], Stopped | Ended]


def _resumed(rest: object, lost: bool) -> Stopped | Ended:
    assert isinstance(rest, GeneratorType)
    try:
        # A generator that has not begun takes nothing.
        stop = rest.send(lost if getgeneratorstate(rest) == GEN_SUSPENDED else None)
    except StopIteration as end:
        return Ended(end.value)
    return Stopped(rest, stop)


BY_GENERATORS = Engine(lambda steps: steps, _resumed)
"""Operations as the generators that they are."""
