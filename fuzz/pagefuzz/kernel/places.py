"""Where each frame is, as far as events tell: one byte a frame.

A frame is in one place at a time (BUD-partition), so one array holds the replayed set of free
frames and everything else. A slice of bytes compares and fills at the speed of memory.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby

from pagespec.frames import SIZES, head_of

UNKNOWN = 0  # not free at the first snapshot, and in no event since
BUDDY = 1  # on a free list of its zone
REFILLED = 2  # taken from the buddy for a per-CPU list or for a request
FREED = 3  # freed, and not yet seen to reach the buddy
LIVE = 4  # allocated by an event
HELD = 5  # taken from the buddy without an event of its own, by a cause that claims it

NAMES = ("of unknown use", "in the buddy", "taken from the buddy", "freed", "live", "isolated")

Places = bytearray


def put(places: Places, pfn: int, order: int, place: int) -> None:
    """Put a block in a place."""
    places[pfn : pfn + SIZES[order]] = _FILL[place][order]


def is_all(places: Places, pfn: int, order: int, place: int) -> bool:
    """Whether all frames of a block are in the place."""
    return places[pfn : pfn + SIZES[order]] == _FILL[place][order]


def any_in(places: Places, pfn: int, order: int, place: int) -> bool:
    """Whether some frame of a block is in the place."""
    return places.find(place, pfn, pfn + SIZES[order]) >= 0


def frames_in(places: Places, first: int, end: int, place: int) -> Iterator[int]:
    """Yield the frames of [first, end) that are in the place, lowest first."""
    frame = places.find(place, first, end)
    while frame >= 0:
        yield frame
        frame = places.find(place, frame + 1, end)


def runs_in(places: Places, first: int, end: int, place: int) -> Iterator[tuple[int, int]]:
    """Yield the runs [first, end) of frames in the place, cut at the given bounds.

    >>> list(runs_in(bytearray([0, 1, 1, 0, 1]), 0, 5, BUDDY))
    [(1, 3), (4, 5)]
    """
    start = places.find(place, first, end)
    while start >= 0:
        stop = start + 1
        # Doubling strides: long runs cost few steps, and no run costs more than its length.
        stride = 1
        while stride:
            if stop + stride <= end and places.count(place, stop, stop + stride) == stride:
                stop += stride
                stride *= 2
            else:
                stride //= 2
        yield start, stop
        start = places.find(place, stop, end)


def maximal_block(
    places: Places, pfn: int, order: int, first: int, end: int, top: int
) -> tuple[int, int]:
    """Return the largest free block (pfn, order) around a free block, within zone [first, end)."""
    head, size = pfn, order
    while size < top:
        parent = head_of(head, size + 1)
        if parent < first or parent + SIZES[size + 1] > end:
            break
        if not is_all(places, parent, size + 1, BUDDY):
            break
        head, size = parent, size + 1
    return head, size


def names_of(places: Iterable[int]) -> str:
    """Return what places a block's frames are in, most frames first.

    >>> names_of([FREED, LIVE, LIVE])
    '2 live, 1 freed'
    """
    groups = [(len(list(group)), place) for place, group in groupby(sorted(places))]
    return ", ".join(f"{count} {NAMES[place]}" for count, place in sorted(groups, reverse=True))


_FILL = tuple(tuple(bytes([place]) * size for size in SIZES) for place in range(len(NAMES)))
