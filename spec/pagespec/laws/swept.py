"""A state as the laws see it: its free blocks and who has which frame, computed once.

Every law about a state begins with the same sweep over its lists and holdings. It is done once, so
that judging a request costs two laws' worth of sweeping and not twenty.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from pagespec.frames import SIZES
from pagespec.laws.masks import WHOLE
from pagespec.migratetype import MigrateType
from pagespec.pcp.index import order_of_list
from pagespec.types import Block, Order, Pfn
from pagespec.zone import FreeList, Zone

NONE: FreeList = OrderedDict()


class Listed(NamedTuple):
    """A free block and the type of the list that it is on."""

    block: Block
    mt: MigrateType


class Kept(NamedTuple):
    """A block on a CPU's list, and the type that it had when it was listed.

    kind: which set of lists, where hot and cold blocks are kept apart. number: the list's.
    """

    cpu: int
    kind: int
    number: int
    block: Block
    mt: MigrateType


@dataclass(frozen=True, eq=False)
class Swept:
    """One state of a zone, which must not change any more, and what was found in it.

    Two of them are never compared; each is its own.

    blocks: every free block, by order, by type, and then in list order. types: the type of the list
    that each of them is on. free: the frames of all free blocks, as one bit a frame. held: the
    frames of all held blocks. held_twice: those that lie in more than one of them. pages: how many
    frames the lists hold, a frame in two blocks counted twice. lowest: the lowest head of a free
    block, or the zone's start if none is lower.
    """

    zone: Zone
    blocks: tuple[Block, ...]
    types: tuple[MigrateType, ...]
    free: int
    held: int
    held_twice: int
    pages: int
    lowest: Pfn

    @cached_property
    def listed(self) -> frozenset[Listed]:
        """Every free block with the list that it is on."""
        return frozenset(map(Listed, self.blocks, self.types))

    @cached_property
    def block_set(self) -> frozenset[Block]:
        """The free blocks, to look one up."""
        return frozenset(self.blocks)

    @cached_property
    def kept_blocks(self) -> tuple[Kept, ...]:
        """Every block that a CPU keeps: by CPU, by list, and then from the front of the list on."""
        huge = self.zone.machine.huge
        return tuple(
            Kept(cpu, kind, index, Block(pfn, max(0, order_of_list(index, huge))), mt)
            for cpu, pcps in enumerate(self.zone.pcps)
            for kind, pcp in enumerate(pcps)
            for index, blocks in enumerate(pcp.lists)
            for pfn, mt in blocks.items()
        )

    @cached_property
    def kept(self) -> int:
        """The frames of all blocks that CPUs keep."""
        frames = 0
        for kept in self.kept_blocks:
            frames |= _frames(self.zone.machine.start, *kept.block)
        return frames

    @cached_property
    def kept_pages(self) -> int:
        """How many frames the CPUs' lists hold, a frame in two blocks counted twice."""
        return sum(SIZES[kept.block.order] for kept in self.kept_blocks)

    @cached_property
    def guards(self) -> int:
        """The frames of all guards."""
        return self._frames_of(self.zone.guards)

    @cached_property
    def offline(self) -> int:
        """The frames of all pageblocks that are offline."""
        pageblock = self.zone.machine.pageblock or 0
        return self._frames_of(dict.fromkeys(self.zone.offline, pageblock))

    @cached_property
    def poisoned(self) -> int:
        """The frames that have failed."""
        return self._frames_of(dict.fromkeys(self.zone.poisoned, 0))

    def _frames_of(self, orders: Mapping[Pfn, Order]) -> int:
        frames = 0
        for pfn, order in orders.items():
            frames |= _frames(self.zone.machine.start, pfn, order)
        return frames


def swept(zone: Zone) -> Swept:
    """Sweep over a state once."""
    start = zone.machine.start
    blocks: list[Block] = []
    types: list[MigrateType] = []
    free = held = held_twice = pages = 0
    lowest = start
    for order, lists in enumerate(zone.free_area):
        for mt, heads in lists.items():
            if not heads:
                continue
            for pfn in heads:
                free |= WHOLE[order] << pfn - start if pfn >= start else _frames(start, pfn, order)
                blocks.append(Block(pfn, order))
            types += [mt] * len(heads)
            pages += len(heads) * SIZES[order]
            lowest = min(lowest, *heads)
    for pfn, holding in zone.held.items():
        frames = _frames(start, pfn, holding.order)
        held_twice |= held & frames
        held |= frames
    return Swept(zone, tuple(blocks), tuple(types), free, held, held_twice, pages, lowest)


def _frames(start: Pfn, pfn: Pfn, order: Order) -> int:
    """As `frames_of`, for the one loop that is run on every step."""
    return WHOLE[order] << pfn - start if pfn >= start else WHOLE[order] >> start - pfn


class Changes(NamedTuple):
    """What differs between two states: blocks as they were listed, and as they are listed now."""

    gone: frozenset[Listed]
    come: frozenset[Listed]


@lru_cache(maxsize=4)
def changes(before: Swept, after: Swept) -> Changes:
    """The blocks that are free no longer, or on another list, and those that are so now."""
    gone: list[Listed] = []
    come: list[Listed] = []
    both = zip(before.zone.free_area, after.zone.free_area, strict=True)
    for order, (was, now) in enumerate(both):
        if was == now:
            continue
        for mt in was.keys() | now.keys():
            old, new = was.get(mt, NONE).keys(), now.get(mt, NONE).keys()
            gone += [Listed(Block(pfn, order), mt) for pfn in old - new]
            come += [Listed(Block(pfn, order), mt) for pfn in new - old]
    return Changes(frozenset(gone), frozenset(come))


def listed_at(zone: Zone, pfn: Pfn, least: Order) -> Listed | None:
    """The free block of that order or above that the frame heads, as it is listed."""
    for order in range(max(0, least), len(zone.free_area)):
        for mt, heads in zone.free_area[order].items():
            if pfn in heads:
                return Listed(Block(pfn, order), mt)
    return None
