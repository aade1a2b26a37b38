"""Boot hands a chunk's frames over to the allocator, as its maximal aligned blocks."""

from pageimpl.alloc import give_back
from pageimpl.frames import largest_order_at
from pageimpl.jitcache import kernel
from pageimpl.memory import Memory, shift_of, top_of


@kernel
def boot_chunk(mem: Memory, first: int, end: int, to_tail: bool) -> None:
    """Free the frames [first, end), lowest block first, through the ordinary path."""
    top = top_of(mem)
    p = first + shift_of(mem)
    end += shift_of(mem)
    while p < end:
        order = largest_order_at(p, end - p, top)
        give_back(mem, p, order, to_tail)
        p += 1 << order
