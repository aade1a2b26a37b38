"""The arithmetic of lists and marks whose arguments CrossHair cannot make up itself, as contracts.

It knows no literal types and loses its way in sequences. So a rule is given by its number here,
and a sequence by its items.
"""

from typing import get_args

from pagefuzz.prove.halving import concrete
from pagespec.migratetype import REQUESTED
from pagespec.pcp.drain import from_preferred, round_robin
from pagespec.pcp.index import COSTLY, LISTS, ListRule, is_kept, list_index, order_of_list
from pagespec.types import Order
from pagespec.watermark.check import Rights, RightsRule, has_order_by_counts, lowered
from pagespec.watermark.marks import lowmem_reserve

LIST_RULES: tuple[ListRule, ...] = get_args(ListRule)
RIGHTS_RULES: tuple[RightsRule, ...] = get_args(RightsRule)


def kept_blocks_are_small_or_huge(rule: int, order: Order, huge: Order) -> bool:
    """Single frames are always kept, and nothing else that is neither small nor a huge page.

    pre: 0 <= rule < 5 and order >= 0
    post: _
    """
    kept = is_kept(LIST_RULES[rule], order, huge)
    return kept if order == 0 else not kept or order <= COSTLY or order == huge


def a_list_has_one_order(rule: int, order: Order, mt: int) -> bool:
    """The list of a block that is kept is one of the CPU's, and says the block's order.

    pre: 0 <= rule < 5 and 0 <= mt < 3 and order >= 0
    pre: rule > 1 or order == 0
    post: _
    """
    index = list_index(LIST_RULES[rule], order, REQUESTED[mt])
    return index < LISTS[LIST_RULES[rule]] and order_of_list(index, order) == order


def rights_lower_the_mark(rule: int, mark: int, rights: Rights) -> bool:
    """Rights lower a mark, never below 0, and none leave it.

    pre: 0 <= rule < 4 and mark >= 0
    post: _
    """
    low = lowered(mark, rights, RIGHTS_RULES[rule])
    return 0 <= low <= mark and (any(rights) or low == mark)


def more_free_blocks_pass_sooner(free: int, mark: int, one: int, two: int, more: int) -> bool:
    """What passes the check by counts passes it with more that is free, too, if it is large.

    pre: one >= 0 and two >= 0 and more >= 0 and mark >= 0
    post: _
    """
    passes = has_order_by_counts(free, mark, 2, [one, two])
    return not passes or has_order_by_counts(free + more, mark, 2, [one, two])


def larger_orders_pass_later(free: int, mark: int, one: int, two: int) -> bool:
    """What passes the check by counts passes it for a smaller block, too.

    pre: one >= 0 and two >= 0 and mark >= 0
    post: _
    """
    passes = [has_order_by_counts(free, mark, order, [one, two]) for order in range(3)]
    return passes == sorted(passes, reverse=True)


def reserves_grow_with_what_lies_above(low: int, middle: int, high: int, ratio: int) -> bool:
    """A zone keeps more from requests that could use more above it, and nothing from its own.

    pre: low >= 0 and middle >= 0 and high >= 0 and ratio in (0, 1, 32, 256)
    post: _
    """
    rows = lowmem_reserve([low, middle, high], [ratio, ratio, ratio])
    return all(
        row == sorted(row) and not any(row[: zone + 1]) and row[-1] <= middle + high
        for zone, row in enumerate(rows)
    )


def drains_take_what_is_there(lengths: int, pages: int, orders: bool, turns: bool) -> bool:
    """A drain takes so many frames if the lists hold them, else all, and at most a block more.

    lengths: of three lists, 0 to 2 each. orders: whether their blocks are of 1, 2 and 4 frames.
    turns: whether the lists take turns.

    pre: 0 <= lengths < 27 and 0 <= pages < 5
    post: _
    """
    lengths, pages = concrete(lengths, 27), concrete(pages, 5)
    left = [lengths % 3, lengths // 3 % 3, lengths // 9]
    sizes = [1, 2, 4] if orders else [1, 1, 1]
    there = sum(map(int.__mul__, left, sizes))
    walk = round_robin(left, pages, sizes) if turns else from_preferred(left, pages, sizes, 1)
    taken = list(walk)
    frames = sum(sizes[index] for index in taken)
    within = all(taken.count(index) <= left[index] for index in range(3))
    last = sizes[taken[-1]] if taken else 1
    return within and min(pages, there) <= frames < min(pages, there) + last
