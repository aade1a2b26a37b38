"""A step among several contexts, as the laws are asked of it."""

from collections.abc import Mapping
from typing import NamedTuple

from pagespec.events import Event
from pagespec.schedule.contexts import Context, Level, Move, World
from pagespec.types import Pfn
from pagespec.zone import Held


class Moment(NamedTuple):
    """A world after a step.

    mover: the context that took it. before, placed: the frames that were in some place before it,
    and that are now; twice: those that are in two. flight: what the mover had in flight before.
    log: what the step did. nexts: what may happen next. asked: the number of the mover's request.
    held: the blocks that were held before it. unguarded: the CPUs whose lists it changed, although
    the mover did not have their guard.
    """

    world: World
    mover: int
    before: int
    placed: int
    twice: int
    flight: int
    log: tuple[Event, ...]
    nexts: tuple[Move, ...]
    asked: int
    held: Mapping[Pfn, Held]
    unguarded: tuple[int, ...]

    @property
    def context(self) -> Context:
        """The context that took the step."""
        return self.world.contexts[self.mover]

    @property
    def left(self) -> int:
        """The frames that the step took from their place."""
        return self.before & ~self.placed

    @property
    def came(self) -> int:
        """The frames that it put in a place."""
        return self.placed & ~self.before


def said(number: int, context: Context) -> str:
    """A context as a complaint names it."""
    place = context.place
    level = "" if place.level is Level.TASK else f" ({place.level.name.lower()})"
    return f"context {number}{level} on CPU {place.cpu}"
