"""A zone's kernel in the form in which compaction can call it by its address."""

from pageimpl.alloc import give_back
from pageimpl.jitcache import kernel
from pageimpl.memory import Memory


@kernel
def return_block(mem: Memory, p: int, order: int, want: int) -> int:
    """Return a block that nobody holds any more to the CPU's lists or to the buddy."""
    give_back(mem, p, order, want)
    return 0
