"""A world of generators as a value, so that schedules which meet in it need not go on twice.

What an operation still has to do is where each generator of its chain stands, with its locals. What
is shared by reference stays told apart from what only has the same value.
"""

from collections.abc import Hashable
from dataclasses import fields, is_dataclass
from enum import Enum
from types import GeneratorType

from pagespec.schedule.contexts import World

CONSTANT = frozenset({"machine", "log", "visited", "moves", "scenario", "engine", "on_cpu"})
"""Fields that never change, or that nothing asks."""


class Stiller:
    """Makes values of parts. seen: the parts that can change, each by its number."""

    def __init__(self) -> None:
        self.seen: dict[int, int] = {}

    def still(self, part: object) -> Hashable:
        """The part as a value; if it can change and was met before, only which one it was."""
        if part is None or isinstance(part, int | str | Enum):
            return part
        if isinstance(part, tuple):
            return tuple([self.still(each) for each in part])
        if isinstance(part, frozenset):
            return part
        if isinstance(part, GeneratorType):
            return self.rest(part)
        if id(part) in self.seen:
            return "again", self.seen[id(part)]
        self.seen[id(part)] = len(self.seen)
        if isinstance(part, list):
            return tuple([self.still(each) for each in part])
        if isinstance(part, dict):
            return tuple([(self.still(key), self.still(value)) for key, value in part.items()])
        if isinstance(part, set):
            return frozenset(part)
        if is_dataclass(part) and not isinstance(part, type):
            names = [each.name for each in fields(part) if each.name not in CONSTANT]
            return tuple([self.still(getattr(part, name)) for name in names])
        raise TypeError(f"{type(part).__name__} is not known as a part of a state")

    def rest(self, steps: object) -> Hashable:
        """Where a chain of generators stands, with all locals."""
        chain: list[Hashable] = []
        while isinstance(steps, GeneratorType) and steps.gi_frame is not None:
            frame = steps.gi_frame
            own = [
                (name, self.still(value))
                for name, value in frame.f_locals.items()
                if name not in CONSTANT and not callable(value)
            ]
            chain.append((frame.f_code.co_name, frame.f_lasti, tuple(own)))
            steps = steps.gi_yieldfrom
        return tuple(chain)


def still(world: World) -> Hashable:
    """All that decides what may happen from now on."""
    stiller = Stiller()
    names = world.own_names
    return (
        stiller.still(world.shared),
        tuple([stiller.still(context) for context in world.contexts]),
        None if names is None else tuple(map(stiller.still, vars(names).values())),
        tuple(sorted(world.owners.items())),
        world.unnamed,
    )
