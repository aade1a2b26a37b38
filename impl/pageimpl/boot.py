"""Boot hands a chunk's frames over to the allocator, as its maximal aligned blocks."""

from pageimpl.alloc import give_back
from pageimpl.jitcache import kernel
from pageimpl.memory import Memory, shift_of, top_of


@kernel
def boot_chunk(mem: Memory, first: int, end: int, to_tail: bool) -> None:
    """Free the frames [first, end), lowest block first, through the ordinary path."""
    top = top_of(mem)
    p = first + shift_of(mem)
    end += shift_of(mem)
    while p < end:
        order = 0
        while order < top and p & ((2 << order) - 1) == 0 and p + (2 << order) <= end:
            order += 1
        give_back(mem, p, order, to_tail)
        p += 1 << order
