"""From which lists a drain takes, and how many frames: the same frames in different turns.

Each era walks round the lists and takes from the tails, where the coldest blocks are. Here only
lengths are walked, so the sequences can be laid beside ones that were computed elsewhere.

Source: mm/page_alloc.c (free_pcppages_bulk), 2.6.37, 5.15, 6.1 and 6.12.
"""

from collections.abc import Iterator, Sequence


def round_robin(lengths: Sequence[int], pages: int, sizes: Sequence[int]) -> Iterator[int]:
    """Until 5.15: the list of each block that is taken, for a drain of so many frames.

    lengths: the blocks on each list. sizes: the frames of a block of each list. The walk begins at
    the second list, and the more empty lists it passes the more it takes from the next one: so a
    list that is used alone is not drained one block a turn.

    >>> list(round_robin([3, 3, 3], 5, [1, 1, 1]))
    [1, 2, 0, 1, 2]
    >>> list(round_robin([2, 5, 0], 6, [1, 1, 1]))
    [1, 0, 0, 1, 1, 1]
    """
    left = list(lengths)
    turn = allowance = 0
    pages = min(pages, sum(map(int.__mul__, left, sizes)))
    while pages > 0:
        allowance += 1
        turn = (turn + 1) % len(left)
        while left[turn] == 0:
            allowance += 1
            turn = (turn + 1) % len(left)
        while pages > 0 and allowance > 0 and left[turn] > 0:
            left[turn] -= 1
            pages -= sizes[turn]
            allowance -= 1
            yield turn


def from_preferred(
    lengths: Sequence[int], pages: int, sizes: Sequence[int], preferred: int
) -> Iterator[int]:
    """Since 6.0: the same, but from the list just freed into, and each to its end.

    >>> list(from_preferred([2, 5, 1], 6, [1, 1, 1], 1))
    [1, 1, 1, 1, 1, 2]
    """
    left = list(lengths)
    turn = preferred
    pages = min(pages, sum(map(int.__mul__, left, sizes)))
    while pages > 0:
        while left[turn] == 0:
            turn = (turn + 1) % len(left)
        while pages > 0 and left[turn] > 0:
            left[turn] -= 1
            pages -= sizes[turn]
            yield turn
