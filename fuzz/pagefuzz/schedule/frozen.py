"""A world as a few small numbers, and a world made to stand as they say."""

from collections.abc import Hashable, Iterator
from typing import NamedTuple, TypeAlias

from pagefuzz.schedule.aspects import Aspect, Freezable, Holdings, Lists, Numbers, Pcps
from pagefuzz.schedule.counted import Cells, Settings
from pagefuzz.schedule.standing import Part, Standing
from pagespec.laws.law import LawBroken
from pagespec.schedule.contexts import Move, Shared, World, placed
from pagespec.schedule.moment import Moment
from pagespec.schedule.moments import moment_of
from pagespec.schedule.rules import moves, running
from pagespec.types import Block, Pfn
from pagespec.vmstat.counters import Counters
from pagespec.zone import Zone

State: TypeAlias = tuple[int, ...]
"""A world: the numbers of what is shared, of what is named, and then of each context."""


class FrozenNames(NamedTuple):
    """What requests have named."""

    blocks: frozenset[tuple[str, Block]]
    slots: tuple[tuple[int, Pfn], ...]
    unnamed: frozenset[str]


def parts_of(shared: Shared) -> Iterator[object]:
    """All of what is shared that is changed in place, in a fixed order, and what never changes."""
    if isinstance(shared, Zone):
        return parts_of_zone(shared)
    assert isinstance(shared, Counters), "the rest makes and throws away what it works on"
    return parts_of_counters(shared)


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


MOST_STEPS = 300_000
"""How many steps are remembered, some hundred bytes each."""


class Naming(Aspect[World, FrozenNames]):
    """What requests have named."""

    def look(self) -> FrozenNames:
        """Blocks and slots by what they are called."""
        names = self.of.names
        return FrozenNames(
            frozenset(names.blocks.items()), tuple(names.slots.items()), self.of.unnamed
        )

    def put(self, value: FrozenNames, before: FrozenNames | None) -> None:
        """Name the same again."""
        names = self.of.names
        names.blocks, names.slots = dict(value.blocks), dict(value.slots)
        self.of.unnamed = value.unnamed


class Freezer:
    """Freezes one world, makes it stand again as it stood, and takes steps in it.

    What a step does, where frames are, and what may happen next is remembered: it follows from a
    part of the state.
    """

    def __init__(self, world: World) -> None:
        shared = world.shared
        parts = list(parts_of(shared))
        numbers = {id(part): Part(number) for number, part in enumerate(parts) if part is not None}
        self.world = world
        self.part_numbers = numbers
        self.shared: tuple[Freezable, ...]
        if isinstance(shared, Zone):
            self.zone_aspects = (Lists(shared), Pcps(shared), Holdings(shared), Numbers(shared))
            self.shared = self.zone_aspects
        else:
            assert isinstance(shared, Counters)
            self.shared = (Cells(shared), Settings(shared))
        self.naming = Naming(world)
        self.contexts = [Standing(context, parts, numbers) for context in world.contexts]
        self.aspects: tuple[Freezable, ...] = (*self.shared, self.naming, *self.contexts)
        self.placed: dict[tuple[int, int, int], tuple[int, int]] = {}
        self.nexts: dict[tuple[int, ...], tuple[Move, ...]] = {}
        self.steps: dict[Hashable, tuple[Moment, State, int]] = {}
        self.mover = 0
        self.before: object = None

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
        self.before = self.world.contexts[move.context].rest
        try:
            moment = moment_of(self.world, move, self.placed_after, self.moves_after)
        except LawBroken:
            # It was broken off: nothing in the world is as it was said to stand.
            self.contexts[self.mover].distrust()
            for aspect in self.aspects:
                aspect.stands = -1
            raise
        return moment, tuple([aspect.stands for aspect in self.aspects])

    def step_from(self, state: State, move: Move) -> tuple[Moment, State, bool]:
        """Make the world stand so and let a step happen, or what it came to when it was seen last.

        Whether it was seen is said behind the state after it.

        Of other contexts a step sees no more than what they hold. So the same step of one context
        in two states that differ elsewhere in the others comes to the same.
        """
        begin = len(self.shared) + 1
        at = begin + move.context
        holds = [
            each.holds[number] for each, number in zip(self.contexts, state[begin:], strict=True)
        ]
        key = (state[:begin], move, state[at], *holds)
        known = self.steps.get(key)
        if known is None:
            self.thaw(state)
            moment, after = self.step(move)
            if len(self.steps) < MOST_STEPS:
                self.steps[key] = moment, after[:begin], after[at]
            return moment, after, False
        moment, shared, number = known
        after = (*shared, *state[begin:at], number, *state[at + 1 :])
        self.thaw(after)
        return moment._replace(nexts=self.moves_in(self.world)), after, True

    def placed_after(self, zone: Zone) -> tuple[int, int]:
        """Where frames are after a step."""
        rest = self.world.contexts[self.mover].rest
        # What is left of a request is another object whenever any of it was done.
        if rest is None or rest is not self.before:
            self.freeze_shared()
        return self.placed_in(zone)

    def shared_in(self, state: State) -> State:
        """The numbers of what is shared."""
        return state[: len(self.shared)]

    def contexts_in(self, state: State) -> State:
        """The numbers of where contexts stand."""
        return state[len(self.shared) + 1 :]

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
        standing = self.contexts[self.mover]
        standing.check()
        standing.freeze()
        return self.moves_in(world)

    def moves_in(self, world: World) -> tuple[Move, ...]:
        """What may happen: it follows from names, the CPUs that run, and where contexts stand."""
        controls = [each.controls[each.stands] for each in self.contexts]
        key = (self.naming.stands, *running(world), *controls)
        found = self.nexts.get(key)
        if found is None:
            found = self.nexts[key] = tuple(moves(world))
        return found

    def final(self) -> Hashable:
        """The world as a value that means the same in another run, when everybody has finished."""
        outcomes = tuple([context.outcomes for context in self.world.contexts])
        return (*self.freeze_values(), outcomes)

    def freeze_values(self) -> tuple[Hashable, ...]:
        """What is shared as values that mean the same in another run."""
        return tuple([aspect.look() for aspect in self.shared])
