"""A world as a few small numbers, and a world made to stand as they say.

What contexts have in their locals may be a part of the zone, like a CPU's lists: such a part is
named by its number, since it stays the same object whatever stands in it.
"""

from collections.abc import Hashable, Iterator
from dataclasses import fields
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from pagefuzz.schedule.aspects import Aspect, Holdings, Lists, Numbers, Pcps
from pagefuzz.schedule.frames import Frame, Frames
from pagefuzz.schedule.programs import Program
from pagespec.schedule.contexts import Context, World, placed
from pagespec.schedule.laws import Moment
from pagespec.schedule.moments import moment_of
from pagespec.schedule.rules import Move, moves
from pagespec.types import Block, Pfn
from pagespec.zone import Zone

State: TypeAlias = tuple[int, ...]
"""A world: the numbers of the zone's aspects, of what is named, and then of each context."""

ASPECTS = (Lists, Pcps, Holdings, Numbers)
"""What a zone is frozen as, one after the other."""
ZONE = slice(0, len(ASPECTS))
"""Where in a state the numbers of the zone stand."""


class Part(NamedTuple):
    """A part of the zone, by its number."""

    number: int


class OwnList(NamedTuple):
    """A list that a context has to itself."""

    items: tuple[Hashable, ...]


class OwnSet(NamedTuple):
    """A set that a context has to itself."""

    items: frozenset[Hashable]


class OwnDict(NamedTuple):
    """A dict that a context has to itself."""

    items: tuple[tuple[Hashable, Hashable], ...]


FrozenFrame: TypeAlias = tuple[Program, int, tuple[Hashable, ...]]


class FrozenContext(NamedTuple):
    """A context as a value. frames: where it stands in its request. rest: its other fields."""

    frames: tuple[FrozenFrame, ...] | None
    values: tuple[Hashable, ...]


class FrozenNames(NamedTuple):
    """What requests have named."""

    blocks: frozenset[tuple[str, Block]]
    slots: tuple[tuple[int, Pfn], ...]
    unnamed: frozenset[str]


def parts_of(zone: Zone) -> Iterator[object]:
    """All of a zone that is changed in place, in a fixed order, and what never changes."""
    yield from (zone, zone.machine, zone.machine.era)
    yield from (zone.tag, zone.held, zone.given, zone.guards, zone.poisoned, zone.offline)
    yield from (zone.unplugged, zone.slots, zone.nr_free, zone.pageblocks, zone.levels, zone.cells)
    yield from zone.pair_bits
    yield zone.free_area
    for listed in zone.free_area:
        yield listed
        yield from listed.values()
    yield zone.pcps
    for pcps in zone.pcps:
        yield pcps
        for pcp in pcps:
            yield from (pcp, pcp.lists, *pcp.lists)
    if zone.cells is not None:
        yield from (zone.cells.free, zone.cells.cma, zone.cells.rest)
        yield from (zone.cells.free.kept, zone.cells.cma.kept)


FIELDS = tuple(field.name for field in fields(Context) if field.name != "rest")
_values_of = attrgetter(*FIELDS)
CONTROL = tuple(
    FIELDS.index(name) for name in ("place", "at", "come", "stop", "ready", "holds", "back")
)
"""Those of its fields that say what may happen next, besides whether a request is under way."""


class Standing(Aspect[Context, FrozenContext]):
    """A context with all that it still needs. parts: of the zone, by number and by identity."""

    def __init__(self, of: Context, parts: list[object], numbers: dict[int, Part]) -> None:
        super().__init__(of)
        self.parts = parts
        self.part_numbers = numbers
        self.controls: list[int] = []
        self.control_numbers: dict[Hashable, int] = {}

    def control(self) -> int:
        """The number of all in the context that what may happen next follows from."""
        while len(self.controls) < len(self.values):
            frames, values = self.values[len(self.controls)]
            control = (frames is None, *[values[at] for at in CONTROL])
            number = self.control_numbers.setdefault(control, len(self.control_numbers))
            self.controls.append(number)
        return self.controls[self.stands]

    def look(self) -> FrozenContext:
        """The context with its locals by value."""
        rest = self.of.rest
        frames: tuple[FrozenFrame, ...] | None = None
        if rest is not None:
            assert isinstance(rest, tuple)
            frames = tuple([self.frozen_frame(frame) for frame in rest])
        return FrozenContext(frames, _values_of(self.of))

    def put(self, value: FrozenContext) -> None:
        """Set its fields again."""
        frames, values = value
        context = self.of
        context.rest = None if frames is None else self.thawed(frames)
        for name, each in zip(FIELDS, values, strict=True):
            setattr(context, name, each)

    def frozen_frame(self, frame: Frame) -> FrozenFrame:
        """One program and its locals as a value."""
        return frame.program, frame.at, tuple(map(self.frozen_value, frame.kept))

    def frozen_value(self, value: object) -> Hashable:
        """The value of a local: a part of the zone by its number."""
        part = self.part_numbers.get(id(value))
        if part is not None:
            return part
        if isinstance(value, list):
            return OwnList(tuple(map(self.frozen_value, value)))
        if isinstance(value, set):
            return OwnSet(frozenset(value))
        if isinstance(value, dict):
            return OwnDict(tuple(value.items()))
        assert isinstance(value, Hashable)
        return value

    def thawed(self, frames: tuple[FrozenFrame, ...]) -> Frames:
        """The frames of such a value."""
        return tuple(
            [
                Frame(program, at, tuple(map(self.thawed_value, kept)))
                for program, at, kept in frames
            ]
        )

    def thawed_value(self, frozen: Hashable) -> object:
        """The local of such a value."""
        if type(frozen) is Part:
            return self.parts[frozen.number]
        if type(frozen) is OwnList:
            return [self.thawed_value(item) for item in frozen.items]
        if type(frozen) is OwnSet:
            return set(frozen.items)
        if type(frozen) is OwnDict:
            return dict(frozen.items)
        return frozen


class Naming(Aspect[World, FrozenNames]):
    """What requests have named."""

    def look(self) -> FrozenNames:
        """Blocks and slots by what they are called."""
        names = self.of.names
        return FrozenNames(
            frozenset(names.blocks.items()), tuple(names.slots.items()), self.of.unnamed
        )

    def put(self, value: FrozenNames) -> None:
        """Name the same again."""
        names = self.of.names
        names.blocks, names.slots = dict(value.blocks), dict(value.slots)
        self.of.unnamed = value.unnamed


class Freezer:
    """Freezes one world, makes it stand again as it stood, and takes steps in it.

    Where frames are, and what may happen next, is remembered: it follows from a part of the state.
    """

    def __init__(self, world: World) -> None:
        parts = list(parts_of(world.zone))
        numbers = {id(part): Part(number) for number, part in enumerate(parts) if part is not None}
        self.world = world
        self.zone = tuple([aspect(world.zone) for aspect in ASPECTS])
        self.naming = Naming(world)
        self.contexts = [Standing(context, parts, numbers) for context in world.contexts]
        self.aspects = (*self.zone, self.naming, *self.contexts)
        self.placed: dict[tuple[int, int, int], tuple[int, int]] = {}
        self.nexts: dict[tuple[int, ...], tuple[Move, ...]] = {}
        self.mover = 0

    def freeze(self) -> State:
        """The world as numbers."""
        return tuple([aspect.freeze() for aspect in self.aspects])

    def thaw(self, state: State) -> None:
        """Make the world stand as the numbers say."""
        for aspect, number in zip(self.aspects, state, strict=True):
            if number != aspect.stands:
                aspect.thaw(number)
        self.world.placed = self.placed_in(self.world.zone)[0]

    def forget(self) -> None:
        """Take nothing of the world for granted: a step was broken off."""
        for aspect in self.aspects:
            aspect.stands = -1

    def step(self, move: Move) -> tuple[Moment, State]:
        """Let a step happen: what the laws are asked of, and the state after it.

        Raises LawBroken if the operation does not get through the step.
        """
        self.mover = move.context
        moment = moment_of(self.world, move, self.placed_after, self.moves_after)
        return moment, tuple([aspect.stands for aspect in self.aspects])

    def placed_after(self, zone: Zone) -> tuple[int, int]:
        """Where frames are after a step."""
        for aspect in self.zone:
            aspect.freeze()
        return self.placed_in(zone)

    def placed_in(self, zone: Zone) -> tuple[int, int]:
        """Where frames are: it follows from lists and holdings."""
        key = self.zone[0].stands, self.zone[1].stands, self.zone[2].stands
        found = self.placed.get(key)
        if found is None:
            found = self.placed[key] = placed(zone)
        return found

    def moves_after(self, world: World) -> tuple[Move, ...]:
        """What may happen after a step, in which only its context has changed."""
        self.naming.freeze()
        self.contexts[self.mover].freeze()
        return self.moves_in(world)

    def moves_in(self, world: World) -> tuple[Move, ...]:
        """What may happen: it follows from what is named, and where contexts stand."""
        key = (self.naming.stands, *[standing.control() for standing in self.contexts])
        found = self.nexts.get(key)
        if found is None:
            found = self.nexts[key] = tuple(moves(world))
        return found

    def final(self) -> Hashable:
        """The world as a value that means the same in another run, when everybody has finished."""
        outcomes = tuple([context.outcomes for context in self.world.contexts])
        return (*[aspect.look() for aspect in self.zone], outcomes)
