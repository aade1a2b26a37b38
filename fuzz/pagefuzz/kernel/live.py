"""The blocks that the trace saw allocated and not yet freed.

A free must name a block that was handed out, or a piece of it: huge pages are split and freed in
pieces, but nothing is ever freed as more than it was.
"""

from dataclasses import dataclass, field

from pagespec.frames import SIZES, head_of


@dataclass(frozen=True, slots=True)
class Birth:
    """The order of a live block and the line that allocated it."""

    order: int
    line: int


@dataclass
class LiveBlocks:
    """Live blocks by their first frame."""

    births: dict[int, Birth] = field(default_factory=dict)
    largest: int = 0

    def add(self, pfn: int, order: int, line: int) -> None:
        """Note an allocation, whatever was there before."""
        self.births[pfn] = Birth(order, line)
        self.largest = max(self.largest, order)

    def owner(self, frame: int) -> tuple[int, Birth] | None:
        """Return the live block that holds a frame, as its first frame and its birth."""
        for order in range(self.largest + 1):
            head = head_of(frame, order)
            birth = self.births.get(head)
            if birth is not None and head + SIZES[birth.order] > frame:
                return head, birth
        return None

    def remove(self, pfn: int, order: int) -> None:
        """Forget a block; of a larger live block around it, the other pieces stay alive."""
        found = self.owner(pfn)
        if found is None:
            return
        head, birth = found
        del self.births[head]
        for piece, size in pieces_around(pfn, order, head, birth.order):
            self.births[piece] = Birth(size, birth.line)


def pieces_around(pfn: int, order: int, head: int, whole: int) -> list[tuple[int, int]]:
    """Return the aligned blocks left of block (head, whole) when (pfn, order) is taken out of it.

    >>> pieces_around(5, 0, 4, 2)
    [(6, 1), (4, 0)]
    """
    pieces = []
    for half in reversed(range(order, whole)):
        upper = head + SIZES[half]
        if pfn >= upper:
            pieces.append((head, half))
            head = upper
        else:
            pieces.append((upper, half))
    return pieces
