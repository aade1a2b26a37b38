"""How many exact states a zone has, without an allocator: a formula over the tree of blocks.

A block is free whole, held whole, or split into two halves that are not both free whole. A zone is
its maximal blocks side by side. The free blocks of one order may stand in their list in any order,
so a combination with k of them counts k! states for that order.
"""

from collections import Counter
from itertools import product
from math import factorial, prod

from pagespec.frames import blocks_of_run

Tally = tuple[int, ...]
"""Free blocks of each order up to the top, and then how many blocks are held."""


def added(one: Tally, other: Tally) -> Tally:
    return tuple(map(int.__add__, one, other))


def beside(one: Counter[Tally], other: Counter[Tally]) -> Counter[Tally]:
    both: Counter[Tally] = Counter()
    for (a, n), (b, m) in product(one.items(), other.items()):
        both[added(a, b)] += n * m
    return both


def of_block(order: int, top: int) -> Counter[Tally]:
    free = tuple(int(place == order) for place in range(top + 2))
    held = tuple(int(place == top + 1) for place in range(top + 2))
    ways = Counter({free: 1, held: 1})
    if order > 0:
        half = of_block(order - 1, top)
        whole = tuple(int(place == order - 1) for place in range(top + 2))
        split = beside(half, half)
        split[added(whole, whole)] -= 1
        ways += split
    return ways


def of_zone(start: int, pages: int, top: int) -> Counter[Tally]:
    ways = Counter({(0,) * (top + 2): 1})
    for _, order in blocks_of_run(start, start + pages, top):
        ways = beside(ways, of_block(order, top))
    return ways


def states(start: int, pages: int, top: int) -> int:
    """Every combination, in every order of its lists."""
    ways = of_zone(start, pages, top)
    return sum(n * prod(map(factorial, tally[:-1])) for tally, n in ways.items())


def steps(start: int, pages: int, top: int) -> int:
    """In each state, one request of each order and one free of each held block."""
    ways = of_zone(start, pages, top)
    return sum(
        n * prod(map(factorial, tally[:-1])) * (top + 1 + tally[-1]) for tally, n in ways.items()
    )
