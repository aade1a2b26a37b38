"""A world as a few small numbers, and a world made to stand as they say.

What contexts have in their locals may be a part of the zone, like a CPU's lists: such a part is
named by its number, since it stays the same object whatever stands in it.
"""

from collections.abc import Hashable, Iterator
from dataclasses import fields
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from pagefuzz.schedule.aspects import Aspect, Freezable, Holdings, Lists, Numbers, Pcps
from pagefuzz.schedule.counted import Cells, Settings
from pagefuzz.schedule.frames import Frame, Frames
from pagefuzz.schedule.programs import UNSET, Program
from pagespec.laws.law import LawBroken
from pagespec.schedule.contexts import Context, Shared, World, placed
from pagespec.schedule.moment import Moment
from pagespec.schedule.moments import moment_of
from pagespec.schedule.rules import Move, moves
from pagespec.types import Block, Pfn
from pagespec.vmstat.counters import Counters
from pagespec.zone import Zone

State: TypeAlias = tuple[int, ...]
"""A world: the numbers of what is shared, of what is named, and then of each context."""

OF_ZONE = (Lists, Pcps, Holdings, Numbers)
OF_COUNTERS = (Cells, Settings)
"""What is shared is frozen as these, one after the other."""


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


OWN = (OwnList, OwnSet, OwnDict)

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


def parts_of(shared: Shared) -> Iterator[object]:
    """All of what is shared that is changed in place, in a fixed order, and what never changes."""
    return parts_of_zone(shared) if isinstance(shared, Zone) else parts_of_counters(shared)


def parts_of_counters(counters: Counters) -> Iterator[object]:
    """The same of counters."""
    yield from (counters, counters.machine, counters.machine.era, counters.places)
    yield from (counters.totals, counters.told, counters.cells, *counters.cells, counters.updates)
    yield from (counters.running, counters.pages, counters.marks, counters.thresholds)
    yield from (counters.node_thresholds, counters.drift_marks, counters.reclaiming)


def parts_of_zone(zone: Zone) -> Iterator[object]:
    """The same of a zone."""
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
PLAIN = frozenset({int, bool, str, type(None), type(UNSET)})
"""The types of most locals, which are values as they are."""
CONTROL = tuple(
    FIELDS.index(name) for name in ("place", "at", "come", "stop", "ready", "holds", "back")
)
"""Those of its fields that say what may happen next, besides whether a request is under way."""


class Standing(Aspect[Context, FrozenContext]):
    """A context with all that it still needs.

    parts: of the zone, by number and by identity. controls: per number, that of what may happen
    next follows from. rests: per number, what goes back to the context: the frames as they were.
    known: what those are frozen as, but for frames that hold something of their own which could
    change in place. alive: those frames, since a frame that is gone leaves its identity to another. owners: per number, those; when one has changed, no such frame is kept as it
    was any more, and trusts is False.
    """

    def __init__(self, of: Context, parts: list[object], numbers: dict[int, Part]) -> None:
        super().__init__(of)
        self.parts = parts
        self.part_numbers = numbers
        self.controls: list[int] = []
        self.control_numbers: dict[Hashable, int] = {}
        self.rests: list[Frames | None] = []
        self.known: dict[int, FrozenFrame] = {}
        self.alive: list[Frame] = []
        self.owners: list[tuple[tuple[Frame, FrozenFrame], ...]] = []
        self.trusts = True

    def look(self) -> FrozenContext:
        """The context with its locals by value."""
        rest = self.of.rest
        frames: tuple[FrozenFrame, ...] | None = None
        if rest is not None:
            assert isinstance(rest, tuple)
            known = self.known
            frames = tuple([known.get(id(frame)) or self.frozen_frame(frame) for frame in rest])
        return FrozenContext(frames, _values_of(self.of))

    def enter(self, value: FrozenContext) -> None:
        """Remember the frames as they are, since most go on with all but the innermost."""
        frames, values = value
        control = (frames is None, *[values[at] for at in CONTROL])
        self.controls.append(self.control_numbers.setdefault(control, len(self.control_numbers)))
        rest = self.of.rest
        if frames is None:
            rest = ()
        assert isinstance(rest, tuple)
        pairs = tuple(zip(rest, frames or (), strict=True))
        owners = tuple([pair for pair in pairs if has_own(pair[1])])
        self.owners.append(owners)
        self.rests.append(rest if self.trusts or not owners else None)
        for frame, frozen in pairs:
            if not has_own(frozen) and id(frame) not in self.known:
                self.known[id(frame)] = frozen
                self.alive.append(frame)

    def has_changed(self, number: int) -> bool:
        """Whether what the frames of that number had of their own has changed under them."""
        return any(self.frozen_frame(frame) != frozen for frame, frozen in self.owners[number])

    def distrust(self) -> None:
        """Keep no frames as they were that hold something of their own."""
        self.trusts = False
        for number, owners in enumerate(self.owners):
            if owners:
                self.rests[number] = None

    def put(self, value: FrozenContext) -> None:
        """Set its fields again."""
        frames, values = value
        context = self.of
        context.rest = None
        if frames is not None:
            context.rest = self.rests[self.stands] or self.thawed(frames)
        for name, each in zip(FIELDS, values, strict=True):
            setattr(context, name, each)

    def frozen_frame(self, frame: Frame) -> FrozenFrame:
        """One program and its locals as a value."""
        program, at, kept = frame
        value_of = self.frozen_value
        return (
            program,
            at,
            tuple([each if type(each) in PLAIN else value_of(each) for each in kept]),
        )

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
        return value  # what is not hashable is refused when it is entered

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


def has_own(frame: FrozenFrame) -> bool:
    """Whether a frame holds something of its own that could change in place."""
    return any(type(value) in OWN for value in frame[2])


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
        shared = world.shared
        parts = list(parts_of(shared))
        numbers = {id(part): Part(number) for number, part in enumerate(parts) if part is not None}
        self.world = world
        self.shared: tuple[Freezable, ...] = (
            tuple([aspect(shared) for aspect in OF_ZONE])
            if isinstance(shared, Zone)
            else tuple([aspect(shared) for aspect in OF_COUNTERS])
        )
        self.naming = Naming(world)
        self.contexts = [Standing(context, parts, numbers) for context in world.contexts]
        self.aspects: tuple[Freezable, ...] = (*self.shared, self.naming, *self.contexts)
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
        if isinstance(self.world.shared, Zone):
            self.world.placed = self.placed_in(self.world.shared)[0]

    def step(self, move: Move) -> tuple[Moment, State]:
        """Let a step happen: what the laws are asked of, and the state after it.

        Raises LawBroken if the operation does not get through the step.
        """
        self.mover = move.context
        standing = self.contexts[move.context]
        before = standing.stands
        try:
            moment = moment_of(self.world, move, self.placed_after, self.moves_after)
        except LawBroken:
            # It was broken off: nothing in the world is as it was said to stand.
            standing.distrust()
            for aspect in self.aspects:
                aspect.stands = -1
            raise
        if standing.trusts and standing.has_changed(before):
            standing.distrust()
        return moment, tuple([aspect.stands for aspect in self.aspects])

    def placed_after(self, zone: Zone) -> tuple[int, int]:
        """Where frames are after a step."""
        self.freeze_shared()
        return self.placed_in(zone)

    def shared_in(self, state: State) -> State:
        """The numbers of what is shared."""
        return state[: len(self.shared)]

    def freeze_shared(self) -> State:
        """What is shared, as numbers."""
        return tuple([aspect.freeze() for aspect in self.shared])

    def placed_in(self, zone: Zone) -> tuple[int, int]:
        """Where frames are: it follows from lists and holdings."""
        key = self.shared[0].stands, self.shared[1].stands, self.shared[2].stands
        found = self.placed.get(key)
        if found is None:
            found = self.placed[key] = placed(zone)
        return found

    def moves_after(self, world: World) -> tuple[Move, ...]:
        """What may happen after a step, in which only its context has changed."""
        if not isinstance(world.shared, Zone):
            self.freeze_shared()
        self.naming.freeze()
        self.contexts[self.mover].freeze()
        return self.moves_in(world)

    def moves_in(self, world: World) -> tuple[Move, ...]:
        """What may happen: it follows from what is named, and where contexts stand."""
        key = (self.naming.stands, *[each.controls[each.stands] for each in self.contexts])
        found = self.nexts.get(key)
        if found is None:
            found = self.nexts[key] = tuple(moves(world))
        return found

    def final(self) -> Hashable:
        """The world as a value that means the same in another run, when everybody has finished."""
        outcomes = tuple([context.outcomes for context in self.world.contexts])
        return (*[aspect.look() for aspect in self.shared], outcomes)
