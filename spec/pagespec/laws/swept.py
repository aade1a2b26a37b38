"""A state as the laws see it: its free blocks and who has which frame, computed once.

Every law about a state begins with the same sweep over its lists and holdings. It is done once, so
that judging a request costs two laws' worth of sweeping and not twenty.
"""

from dataclasses import dataclass
from functools import cached_property

from pagespec.frames import SIZES
from pagespec.laws.masks import WHOLE
from pagespec.migratetype import MigrateType
from pagespec.types import Block, Order, Pfn
from pagespec.zone import Zone


@dataclass(frozen=True)
class Swept:
    """One state of a zone, which must not change any more, and what was found in it.

    blocks: every free block, by order, by type, and then in list order. types: the type of the list
    that each of them is on. free: the frames of all free blocks, as one bit a frame. held: the
    frames of all held blocks. held_twice: those that lie in more than one of them. pages: how many
    frames the lists hold, a frame in two blocks counted twice.
    """

    zone: Zone
    blocks: tuple[Block, ...]
    types: tuple[MigrateType, ...]
    free: int
    held: int
    held_twice: int
    pages: int

    @cached_property
    def type_of(self) -> dict[Block, MigrateType]:
        """The type of the list that each free block is on."""
        return dict(zip(self.blocks, self.types, strict=True))


def swept(zone: Zone) -> Swept:
    """Sweep over a state once."""
    start = zone.machine.start
    blocks: list[Block] = []
    types: list[MigrateType] = []
    free = held = held_twice = pages = 0
    for order, lists in enumerate(zone.free_area):
        for mt, heads in lists.items():
            for pfn in heads:
                blocks.append(Block(pfn, order))
                types.append(mt)
                free |= _frames(start, pfn, order)
            pages += len(heads) * SIZES[order]
    for pfn, holding in zone.held.items():
        frames = _frames(start, pfn, holding.order)
        held_twice |= held & frames
        held |= frames
    return Swept(zone, tuple(blocks), tuple(types), free, held, held_twice, pages)


def _frames(start: Pfn, pfn: Pfn, order: Order) -> int:
    """As `frames_of`, for the one loop that is run on every step."""
    return WHOLE[order] << pfn - start if pfn >= start else WHOLE[order] >> start - pfn
