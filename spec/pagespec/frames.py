"""Arithmetic of frames and blocks, and the canonical decomposition of a set of frames.

Everything here counts in *indices*: frames from the era's index base, so that a block of order o
starts at a multiple of 2**o. The arithmetic uses `//`, `%` and a table of sizes, which CrossHair
can follow over all paths; the fast twin uses bit operations, and tests hold the two together.
"""

from collections.abc import Iterable, Iterator

from pagespec.types import MAX_TOP, Block, Order

SIZES: tuple[int, ...] = tuple(2**order for order in range(MAX_TOP + 1))
"""Frames in a block of each order."""


def is_aligned(index: int, order: Order) -> bool:
    """Whether a block of that order may start at the index.

    pre: index >= 0
    pre: 0 <= order <= 15
    post: __return__ == (index // SIZES[order] * SIZES[order] == index)
    """
    return index % SIZES[order] == 0


def buddy_of(index: int, order: Order) -> int:
    """The start of the one block that may merge with the block at the index.

    The two halves of a parent are each other's buddies: the lower half looks up, the upper down.
    Source: mm/page_alloc.c, __free_one_page; the xor is written in arithmetic.

    pre: index >= 0
    pre: 0 <= order <= 15
    pre: index % SIZES[order] == 0
    post: __return__ >= 0
    post: __return__ % SIZES[order] == 0
    post: abs(__return__ - index) == SIZES[order]
    post: __return__ // SIZES[order] // 2 == index // SIZES[order] // 2
    """
    size = SIZES[order]
    return index + size if index // size % 2 == 0 else index - size


def parent_of(index: int, order: Order) -> int:
    """The start of the block of the next order that holds the block at the index.

    pre: index >= 0
    pre: 0 <= order <= 15
    pre: index % SIZES[order] == 0
    post: 0 <= __return__ <= index
    post: __return__ % (2 * SIZES[order]) == 0
    post: index - __return__ in (0, SIZES[order])
    """
    return index - index % (2 * SIZES[order])


def head_of(index: int, order: Order) -> int:
    """The start of the aligned block of that order that holds the frame at the index.

    pre: index >= 0
    pre: 0 <= order <= 15
    post: 0 <= index - __return__ < SIZES[order]
    post: __return__ // SIZES[order] * SIZES[order] == __return__
    """
    return index - index % SIZES[order]


def rounded_up(pages: int, order: Order) -> int:
    """The least number of frames that is not smaller and makes whole blocks of that order.

    Of an index it is the end of the last block that a run up to there touches.

    pre: pages >= 0
    pre: 0 <= order <= 15
    post: 0 <= __return__ - pages < SIZES[order]
    post: __return__ // SIZES[order] * SIZES[order] == __return__
    """
    return -(-pages // SIZES[order]) * SIZES[order]


def largest_order_at(index: int, pages: int, top: Order) -> Order:
    """The largest order of an aligned block at the index that has no more than so many frames.

    pre: index >= 0
    pre: pages >= 1
    pre: 0 <= top <= 15
    post: 0 <= __return__ <= top
    post: index % SIZES[__return__] == 0
    post: SIZES[__return__] <= pages
    """
    order = 0
    while order < top and index % SIZES[order + 1] == 0 and SIZES[order + 1] <= pages:
        order += 1
    return order


def blocks_of_run(first: int, end: int, top: Order) -> Iterator[Block]:
    """The maximal aligned blocks of the run of frames [first, end), lowest first.

    Two free buddies never stay apart below the top order, so this is the only way in which a
    buddy allocator can hold the run.

    >>> [tuple(block) for block in blocks_of_run(0, 61, 4)]
    [(0, 4), (16, 4), (32, 4), (48, 3), (56, 2), (60, 0)]
    """
    while first < end:
        order = largest_order_at(first, end - first, top)
        yield Block(first, order)
        first += SIZES[order]


def runs_of(frames: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The maximal runs [first, end) of a set of frames, lowest first.

    >>> list(runs_of({1, 2, 3, 7}))
    [(1, 4), (7, 8)]
    """
    first = end = -1
    for frame in sorted(frames):
        if frame != end:
            if end > first:
                yield first, end
            first = frame
        end = frame + 1
    if end > first:
        yield first, end


def canonical(frames: Iterable[int], top: Order) -> set[Block]:
    """The canonical decomposition of a set of frames: its maximal aligned blocks.

    A block belongs to it when all its frames do and, below the top order, not all of its parent's.
    This is what the free set of a zone *is*; lists, splits and merges are a way to keep it so.

    >>> sorted(tuple(block) for block in canonical({0, 1, 2, 3, 5, 6, 7}, 3))
    [(0, 2), (5, 0), (6, 1)]
    """
    return {block for first, end in runs_of(frames) for block in blocks_of_run(first, end, top)}
