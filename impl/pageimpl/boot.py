"""Boot hands a chunk's frames over to the allocator, as its maximal aligned blocks."""

from pageimpl.alloc import free_one_block
from pageimpl.frames import head_of, largest_order_at
from pageimpl.jitcache import kernel
from pageimpl.memory import Memory, boot_to_tail_of, pageblock_order_of, shift_of, top_of
from pageimpl.pageblock import pageblock_type


@kernel
def end_of_run(mem: Memory, p: int, end: int) -> int:
    """Where the run of slots whose pageblocks have one type ends: at the latest at `end`."""
    mt = pageblock_type(mem, p)
    size = 1 << pageblock_order_of(mem)
    edge = head_of(p, pageblock_order_of(mem)) + size
    while edge < end and pageblock_type(mem, edge) == mt:
        edge += size
    return min(edge, end)


@kernel
def boot_chunk(mem: Memory, first: int, end: int) -> None:
    """Free the frames [first, end), run by run, lowest block first, through the ordinary path."""
    top = top_of(mem)
    p = first + shift_of(mem)
    end += shift_of(mem)
    while p < end:
        beyond = end_of_run(mem, p, end)
        while p < beyond:
            order = largest_order_at(p, beyond - p, top)
            free_one_block(mem, p, order, boot_to_tail_of(mem) != 0)
            p += 1 << order
