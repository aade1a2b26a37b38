"""Which of a CPU's lists a block belongs to, by its order and type.

Source: include/linux/mmzone.h and mm/page_alloc.c (order_to_pindex, pindex_to_order), 2.6.32 to
6.12.
"""

from functools import cache
from typing import Literal, TypeAlias

from pagespec.migratetype import ISOLATE, MOVABLE, REQUESTED, MigrateType
from pagespec.types import Order

ListRule: TypeAlias = Literal["one", "types", "orders", "huge-alone", "huge-by-movability"]
"""One list; one a type; one an order up to 3 and type, also for the huge order; or for that one
list of its own; or two, for movable blocks and others."""

COSTLY = 3
"""The largest order that is kept in lists, but for the order of huge pages."""

LISTS: dict[ListRule, int] = {
    "one": 1,
    "types": 3,
    "orders": 15,
    "huge-alone": 13,
    "huge-by-movability": 14,
}
"""How many lists a CPU has for a zone."""

_HUGE = 3 * (COSTLY + 1)


def is_kept(rule: ListRule, order: Order, huge: Order) -> bool:
    """Whether blocks of that order go through a CPU's lists; huge: the order of huge pages."""
    if rule in ("one", "types"):
        return order == 0
    return order <= COSTLY or order == huge


def list_type(mt: MigrateType) -> MigrateType | None:
    """The type under which a freed block of a pageblock of that type is listed.

    What no request asks for by name is listed as movable. Isolated memory goes to the buddy at
    once: it must not be handed out again.

    post: (__return__ is None) == (mt is ISOLATE)
    post: __return__ is None or __return__ in REQUESTED
    """
    if mt in REQUESTED:
        return mt
    return None if mt is ISOLATE else MOVABLE


def list_index(rule: ListRule, order: Order, mt: MigrateType) -> int:
    """The number of the list of a block that is kept.

    >>> list_index("huge-by-movability", 2, MOVABLE), list_index("huge-by-movability", 9, MOVABLE)
    (7, 13)
    """
    if rule == "one":
        return 0
    if order <= COSTLY:
        return 3 * order + mt
    return {
        "types": _HUGE,
        "orders": _HUGE + mt,
        "huge-alone": _HUGE,
        "huge-by-movability": _HUGE + (mt is MOVABLE),
    }[rule]


def order_of_list(index: int, huge: Order) -> Order:
    """The order of the blocks on a list.

    pre: index >= 0
    post: __return__ == huge or 0 <= __return__ <= COSTLY
    """
    return huge if index >= _HUGE else index // 3


@cache
def orders_of_lists(rule: ListRule, huge: Order) -> tuple[Order, ...]:
    """The order of the blocks on each of a CPU's lists."""
    return tuple(order_of_list(index, huge) for index in range(LISTS[rule]))
