"""Which block a fallback must take: the two ways in which releases search the free lists.

The older search takes the largest block of another type; if that is not worth its pageblock to a
movable request, the smallest. The newer one first tries to claim a pageblock, largest block first,
and steals the smallest block if none can be claimed. It came with 6.15 and to later releases of
6.12, so a 6.12 kernel must keep to one of them throughout.
Source: mm/page_alloc.c of 6.1 (__rmqueue_fallback) and of 6.18 (__rmqueue_claim, __rmqueue_steal);
measured on traces of 6.12.95.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pagespec.migratetype import FALLBACKS, MOVABLE, MigrateType

Census = dict[tuple[int, MigrateType | None], list[int]]
"""First frames of a zone's free blocks by order and list; None where the list is unknown."""

Place = tuple[int, MigrateType]
"""An order and the type of its list."""


@dataclass(frozen=True, slots=True)
class Need:
    """A request that fell back, and the free blocks that it met.

    top: the largest order; may_refuse: whether less than half of the pageblock that holds a frame
        is free, so that it need not be claimed.
    """

    order: int
    mt: MigrateType
    free: Census
    top: int
    pageblock_order: int
    may_refuse: Callable[[int], bool]


def may_claim(order: int, mt: MigrateType, pageblock_order: int) -> bool:
    """Whether a block of that order is worth its whole pageblock to a request of that type."""
    return order >= pageblock_order // 2 or mt is not MOVABLE


def largest_first(need: Need, *, claims: bool) -> set[Place]:
    """Return what the older search takes; whether it claims the pageblock makes no difference.

    >>> from pagespec.migratetype import RECLAIMABLE, UNMOVABLE
    >>> def of(free: Census) -> set[Place]:
    ...     return largest_first(Need(0, MOVABLE, free, 10, 9, lambda _: True), claims=False)
    >>> of({(3, UNMOVABLE): [8], (2, RECLAIMABLE): [4]})
    {(2, <MigrateType.RECLAIMABLE: 2>)}
    >>> of({(4, UNMOVABLE): [16], (4, RECLAIMABLE): [32], (0, UNMOVABLE): [0]})
    {(4, <MigrateType.RECLAIMABLE: 2>)}
    """
    places = _places(need)
    if places and not may_claim(places[0][0], need.mt, need.pageblock_order):
        return {places[-1]}
    return {*places[:1]}


def claims_first(need: Need, *, claims: bool) -> set[Place]:
    """Return what the newer search may take: a claim it could not refuse before, or the smallest.

    >>> from pagespec.migratetype import UNMOVABLE
    >>> free: Census = {(5, UNMOVABLE): [32], (0, UNMOVABLE): [0]}
    >>> claims_first(Need(0, MOVABLE, free, 10, 9, lambda _: True), claims=False)
    {(0, <MigrateType.UNMOVABLE: 0>)}
    >>> claims_first(Need(0, MOVABLE, free, 10, 9, lambda _: False), claims=False)
    set()
    """
    places = _places(need)
    tried: set[Place] = set()
    for place in places:
        if not may_claim(place[0], need.mt, need.pageblock_order):
            break
        tried.add(place)
        refused = place[0] < need.pageblock_order and any(map(need.may_refuse, need.free[place]))
        if not refused:
            return tried if claims else set()
    return tried if claims else {*places[-1:]}


SEARCHES: dict[str, Callable[..., set[Place]]] = {
    "largest first": largest_first,
    "claims first": claims_first,
}


def _places(need: Need) -> list[Place]:
    """The places of other types' free blocks, largest first: one an order, as the table says."""
    found = []
    for order in range(need.top, need.order - 1, -1):
        for mt in FALLBACKS[need.mt]:
            if need.free.get((order, mt)):
                found.append((order, mt))
                break
    return found
