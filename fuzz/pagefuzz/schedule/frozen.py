"""A world as one value that can be compared and kept, and a world made to stand as such a value says.

What contexts have in their locals may be a part of the zone, like a CPU's lists: such a part is
named by its number, since it stays the same object whatever stands in it.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import fields
from enum import Enum
from typing import NamedTuple, TypeAlias

from pagefuzz.schedule.frames import Frame
from pagespec.schedule.contexts import Context, World
from pagespec.watermark.levels import Levels
from pagespec.zone import Zone

Frozen: TypeAlias = tuple[Hashable, ...]


class Part(NamedTuple):
    """A part of the zone, by its number."""

    number: int


class Container(NamedTuple):
    """A list, set or dict of a context's own."""

    kind: type[object]
    items: tuple[Hashable, ...]


def parts_of(zone: Zone) -> Iterator[object]:
    """All of a zone that is changed in place, in a fixed order."""
    yield from (zone, zone.tag, zone.held, zone.given, zone.guards, zone.poisoned, zone.offline)
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


NUMBERS = (
    *("free_pages", "free_cma", "free_highatomic", "nr_reserved", "disabled", "sized_low"),
    *("gathered", "pgalloc", "pgfree"),
)
"""The fields of a zone that are plain values."""
SETS = ("given", "poisoned", "offline", "unplugged")
MAPS = ("tag", "held", "guards", "slots")
"""Those whose order means nothing."""

LEVELS = tuple(field.name for field in fields(Levels))
CONTEXT = tuple(field.name for field in fields(Context) if field.name != "rest")


def frozen_lists(zone: Zone) -> Frozen:
    """The free lists, and what is written of them elsewhere."""
    lists = tuple(tuple(blocks) for listed in zone.free_area for blocks in listed.values())
    return lists, tuple(zone.nr_free), tuple(map(frozenset, zone.pair_bits))


def thaw_lists(zone: Zone, frozen: Frozen) -> None:
    """Make the free lists stand so again."""
    lists, zone.nr_free[:], pair_bits = frozen  # type: ignore[misc]  # as frozen_lists says
    areas = (blocks for listed in zone.free_area for blocks in listed.values())
    for blocks, heads in zip(areas, lists, strict=True):
        if tuple(blocks) != heads:
            blocks.clear()
            blocks.update(dict.fromkeys(heads))
    for bits, pairs in zip(zone.pair_bits, pair_bits, strict=True):
        bits.clear()
        bits.update(pairs)


def frozen_pcps(zone: Zone) -> Frozen:
    """The CPUs' lists."""
    return tuple(
        (tuple(tuple(blocks.items()) for blocks in pcp.lists), pcp.count, pcp.load)
        for pcps in zone.pcps
        for pcp in pcps
    )


def thaw_pcps(zone: Zone, frozen: Frozen) -> None:
    """Make the CPUs' lists stand so again."""
    sets = (pcp for pcps in zone.pcps for pcp in pcps)
    for pcp, (lists, pcp.count, pcp.load) in zip(sets, frozen, strict=True):  # type: ignore[misc]
        for blocks, items in zip(pcp.lists, lists, strict=True):
            if tuple(blocks.items()) != items:
                blocks.clear()
                blocks.update(items)


def frozen_holdings(zone: Zone) -> Frozen:
    """Who has which frames, and what is known of them."""
    return (
        *(frozenset(getattr(zone, name)) for name in SETS),
        *(frozenset(getattr(zone, name).items()) for name in MAPS),
        tuple(zone.pageblocks),
    )


def thaw_holdings(zone: Zone, frozen: Frozen) -> None:
    """Make holdings stand so again."""
    *values, zone.pageblocks[:] = frozen  # type: ignore[misc]  # as frozen_holdings says
    for name, value in zip((*SETS, *MAPS), values, strict=True):
        held = getattr(zone, name)
        held.clear()
        held.update(value)


def frozen_numbers(zone: Zone) -> Frozen:
    """The counts, marks and cells."""
    levels, cells = zone.levels, zone.cells
    return (
        tuple(getattr(zone, name) for name in NUMBERS),
        None if levels is None else tuple(getattr(levels, name) for name in LEVELS),
        None
        if cells is None
        else (
            *(cells.threshold, cells.drift_mark, tuple(cells.rest)),
            *(cells.free.told, tuple(cells.free.kept), cells.cma.told, tuple(cells.cma.kept)),
        ),
    )


def thaw_numbers(zone: Zone, frozen: Frozen) -> None:
    """Make counts, marks and cells stand so again."""
    numbers, marks, kept = frozen
    assert isinstance(numbers, tuple)
    for name, value in zip(NUMBERS, numbers, strict=True):
        setattr(zone, name, value)
    if isinstance(marks, tuple):
        for name, value in zip(LEVELS, marks, strict=True):
            setattr(zone.levels, name, value)
    cells = zone.cells
    if isinstance(kept, tuple) and cells is not None:
        cells.threshold, cells.drift_mark, cells.rest[:], *counts = kept
        cells.free.told, cells.free.kept[:], cells.cma.told, cells.cma.kept[:] = counts


ASPECTS: tuple[tuple[Callable[[Zone], Frozen], Callable[[Zone, Frozen], None]], ...] = (
    (frozen_lists, thaw_lists),
    (frozen_pcps, thaw_pcps),
    (frozen_holdings, thaw_holdings),
    (frozen_numbers, thaw_numbers),
)
"""What a zone is frozen as, one after the other: most steps change one or two of them."""


class Freezer:
    """Freezes one world, and makes it stand again as it stood."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.parts = list(parts_of(world.zone))
        self.numbers = {
            id(part): Part(number) for number, part in enumerate(self.parts) if part is not None
        }
        self.known: dict[Hashable, Hashable] = {}
        self.stands: list[Frozen | None] = [None for _ in ASPECTS]

    def freeze(self) -> Frozen:
        """The world as a value: first the zone, aspect by aspect."""
        world = self.world
        aspects = []
        for number, (frozen, _) in enumerate(ASPECTS):
            value = frozen(world.zone)
            value = self.known.setdefault(value, value)  # type: ignore[assignment]
            self.stands[number] = value
            aspects.append(value)
        contexts = tuple(map(self.frozen_context, world.contexts))
        names = (frozenset(world.names.blocks.items()), tuple(world.names.slots.items()))
        return (*aspects, contexts, names, world.unnamed, world.placed)

    def thaw(self, frozen: Frozen) -> None:
        """Make the world stand as the value says."""
        world = self.world
        *aspects, contexts, names, unnamed, placed = frozen
        for number, (value, (_, thawed)) in enumerate(zip(aspects, ASPECTS, strict=True)):
            if value is not self.stands[number]:
                assert isinstance(value, tuple)
                thawed(world.zone, value)
                self.stands[number] = value
        assert isinstance(contexts, tuple)
        for context, value in zip(world.contexts, contexts, strict=True):
            self.thaw_context(context, value)
        blocks, slots = names  # type: ignore[misc]  # as frozen above
        world.names.blocks, world.names.slots = dict(blocks), dict(slots)
        world.unnamed, world.placed = unnamed, placed  # type: ignore[assignment]

    def frozen_context(self, context: Context) -> Frozen:
        """A context as a value."""
        rest = context.rest
        frames = None
        if rest is not None:
            assert isinstance(rest, tuple)
            frames = tuple(
                (program, at, tuple([self.frozen_value(value) for value in kept]))
                for program, at, kept in rest
            )
        return (frames, *[getattr(context, name) for name in CONTEXT])

    def thaw_context(self, context: Context, frozen: Frozen) -> None:
        """Make a context stand so again."""
        frames, *values = frozen
        context.rest = None
        if frames is not None:
            assert isinstance(frames, tuple)
            context.rest = tuple(
                Frame(program, at, tuple([self.thawed_value(value) for value in kept]))
                for program, at, kept in frames
            )
        for name, value in zip(CONTEXT, values, strict=True):
            setattr(context, name, value)

    def frozen_value(self, value: object) -> Hashable:
        """The value of a local."""
        kind = type(value)
        if kind is int or value is None or isinstance(value, Enum):
            return value
        part = self.numbers.get(id(value))
        if part is not None:
            return part
        if kind is list or kind is set or kind is frozenset:
            items = map(self.frozen_value, value)  # type: ignore[call-overload]
            return Container(kind, tuple(items) if kind is list else (frozenset(items),))
        if isinstance(value, dict):
            return Container(dict, tuple(value.items()))
        assert isinstance(value, Hashable)
        return value

    def thawed_value(self, frozen: Hashable) -> object:
        """The local of such a value."""
        if isinstance(frozen, Part):
            return self.parts[frozen.number]
        if isinstance(frozen, Container):
            if frozen.kind is list:
                return [self.thawed_value(item) for item in frozen.items]
            if frozen.kind is dict:
                return dict(frozen.items)  # type: ignore[arg-type]
            return frozen.kind(*frozen.items)  # type: ignore[call-arg]
        return frozen
