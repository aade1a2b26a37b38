"""Which list each free block is on, and which type each pageblock has, as far as events tell.

Nothing prints a pageblock's type as such. Up to 6.8 a free block is on the list of the type that
its last freed part was cached with, so frames carry a type of their own; since 6.10 lists and
pageblocks agree, and the pageblock's type is all there is. A type that no event has shown yet is
unknown; whatever is known is judged.
Source: mm/page_alloc.c of 6.1 and 6.12 (free_unref_page_prepare, free_pcppages_bulk,
__free_one_page, expand).
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from pagefuzz.kernel.pagetypeinfo import Columns, TypeInfo, ZoneName
from pagefuzz.kernel.search import Census
from pagefuzz.kernel.snapshots import Zone
from pagefuzz.kernel.tracefs import Event
from pagespec.era import Era
from pagespec.frames import SIZES
from pagespec.migratetype import CMA, NUMBERS, MigrateType

_UNKNOWN = 0
_OF_PAGEBLOCK = 255  # freed while its pageblock's type was unknown: it is that type all the same


class Retype(NamedTuple):
    """A pageblock got a type at a line."""

    line: int
    pageblock: int
    mt: MigrateType


@dataclass
class Reading:
    """One zone's counts in one snapshot: what pagetypeinfo says and what the replay knows.

    It was read between the lines `begin` and `line`; it is readable if its columns are those of
    the replayed free set. inferred: orders whose lists are in part known from this reading, which
    cannot judge them then. unknown: blocks of unknown list, by order and pageblock.
    """

    name: str
    begin: int
    line: int
    zone: Zone
    free: dict[MigrateType, Columns]
    pageblocks: dict[MigrateType, int]
    readable: bool
    inferred: set[int] = field(default_factory=set)
    known: Counter[tuple[int, MigrateType]] = field(default_factory=Counter)
    unknown: Counter[tuple[int, int]] = field(default_factory=Counter)


@dataclass
class Mobility:
    """What is known of types.

    rules: the spec's era whose rules hold.
    order: the pageblock order.
    searches: the ways to search for a fallback that all fallbacks so far agree with.
    numbers: the types by the number that events print.
    lists: by frame, one more than the type of the list of its free block, or of the per-CPU list
        that it is on; 0 if unknown. Unused where lists and pageblocks agree.
    pageblocks: by pageblock, one more than its type; 0 if unknown.
    original: the type at the start of each pageblock that has shown it since.
    changes: what has got another type since the start, in order; `changed` are its pageblocks.
    took: what each CPU took last, if the list was not the expected one or is unknown.
    owed: the fallback of each CPU that has yet to take its block.
    supposed: the pageblocks whose original type is only supposed: that of a free block over them.
    readings: the counts of all snapshots so far, for the end.
    special: zones in which some snapshot counts pageblocks of a type that no request may have. No
        event tells when a pageblock is reserved, isolated or given back, so nothing is judged.
    """

    rules: Era
    order: int
    searches: tuple[str, ...]
    numbers: tuple[MigrateType, ...]
    lists: bytearray
    pageblocks: bytearray
    original: dict[int, MigrateType] = field(default_factory=dict)
    changes: list[Retype] = field(default_factory=list)
    changed: set[int] = field(default_factory=set)
    took: dict[int, "Took"] = field(default_factory=dict)
    owed: dict[int, "Owed"] = field(default_factory=dict)
    supposed: set[int] = field(default_factory=set)
    readings: list[Reading] = field(default_factory=list)
    special: frozenset[ZoneName] = frozenset()

    @property
    def agree(self) -> bool:
        """Whether a free block's list is always that of its pageblock's type."""
        return self.rules.retypes_on_merge

    def may_learn_from(self, pfn: int) -> bool:
        """Whether a returning page of unknown type shows its pageblock's type of the start."""
        pageblock = pfn // SIZES[self.order]
        return pageblock not in self.changed and (self.agree or self.lists[pfn] == _OF_PAGEBLOCK)


class Took(NamedTuple):
    """A block that left a list which was not known to be of that type, and what was free before."""

    event: Event
    pfn: int
    order: int
    mt: MigrateType
    listed: MigrateType | None
    free: Census


class Owed(NamedTuple):
    """A fallback that moved its block to the request's list, which serves it next."""

    event: Event
    order: int
    mt: MigrateType


def mobility_of(rules: Era, searches: tuple[str, ...], info: TypeInfo, frames: int) -> Mobility:
    """Return a machine of so many frames of which no type is known."""
    assert rules.numbering is not None
    built = [mt for mt in NUMBERS[rules.numbering] if mt is not CMA or mt in info.types]
    lists = bytearray(0 if rules.retypes_on_merge else frames)
    pageblocks = bytearray(frames // SIZES[info.order] + 1)
    return Mobility(rules, info.order, searches, tuple(built), lists, pageblocks)


def list_of(mobility: Mobility, pfn: int) -> MigrateType | None:
    """Return the type of the list that holds the frame, free or cached; None if unknown."""
    code = _UNKNOWN if mobility.agree else mobility.lists[pfn]
    if mobility.agree or code == _OF_PAGEBLOCK:
        if code == _OF_PAGEBLOCK and pfn // SIZES[mobility.order] in mobility.changed:
            return None
        return pageblock_type(mobility, pfn)
    return _decoded(code)


def pageblock_type(mobility: Mobility, pfn: int) -> MigrateType | None:
    """Return the type of the frame's pageblock, or None if unknown."""
    return _decoded(mobility.pageblocks[pfn // SIZES[mobility.order]])


def pageblocks_of(mobility: Mobility, pfn: int, order: int) -> range:
    """Return the numbers of the pageblocks that a block touches."""
    size = SIZES[mobility.order]
    return range(pfn // size, (pfn + SIZES[order] - 1) // size + 1)


def learn(mobility: Mobility, pageblock: int, mt: MigrateType) -> None:
    """Note the type that an unknown pageblock has had since the start."""
    if not mobility.pageblocks[pageblock]:
        mobility.pageblocks[pageblock] = mt + 1
        mobility.original.setdefault(pageblock, mt)


def retype(mobility: Mobility, line: int, pageblock: int, mt: MigrateType) -> None:
    """Give a pageblock a type."""
    if mobility.pageblocks[pageblock] != mt + 1:
        mobility.pageblocks[pageblock] = mt + 1
        mobility.changes.append(Retype(line, pageblock, mt))
        mobility.changed.add(pageblock)


def put_on(mobility: Mobility, line: int, pfn: int, order: int, mt: MigrateType) -> None:
    """Put a block on a type's list; where lists and pageblocks agree, its pageblocks follow."""
    if not mobility.agree:
        mobility.lists[pfn : pfn + SIZES[order]] = bytes([mt + 1]) * SIZES[order]
        return
    for pageblock in pageblocks_of(mobility, pfn, order):
        learn(mobility, pageblock, mt)
        retype(mobility, line, pageblock, mt)


def cache(mobility: Mobility, pfn: int, order: int) -> None:
    """Put a block on a per-CPU list with its pageblock's type, known or not."""
    if not mobility.agree:
        mt = pageblock_type(mobility, pfn)
        code = _OF_PAGEBLOCK if mt is None else mt + 1
        mobility.lists[pfn : pfn + SIZES[order]] = bytes([code]) * SIZES[order]


def blur(mobility: Mobility, pfn: int, order: int, mt: MigrateType) -> None:
    """Forget the lists in a block that are not the type's: its parts may be on either."""
    if not mobility.agree:
        kept = bytes(code if code == mt + 1 else _UNKNOWN for code in range(256))
        behind = pfn + SIZES[order]
        mobility.lists[pfn:behind] = mobility.lists[pfn:behind].translate(kept)


def forget_list(mobility: Mobility, pfn: int, order: int) -> None:
    """Forget the list that a block is on."""
    if not mobility.agree:
        mobility.lists[pfn : pfn + SIZES[order]] = bytes(SIZES[order])


def types_at(mobility: Mobility, line: int, pageblocks: Iterable[int]) -> Iterator[MigrateType]:
    """Yield the types that the pageblocks had at a line, by all that is known now."""
    types = {each: mobility.original[each] for each in pageblocks if each in mobility.original}
    for change in mobility.changes:
        if change.line <= line and change.pageblock in types:
            types[change.pageblock] = change.mt
    yield from types.values()


def _decoded(code: int) -> MigrateType | None:
    return MigrateType(code - 1) if code else None
