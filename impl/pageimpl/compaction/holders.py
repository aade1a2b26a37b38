"""What holders have said of their blocks: that it is on the LRU, or a word that misleads."""

from pageimpl.compaction.state import (
    ON_LRU,
    CompactionMemory,
    isolated_lru_of,
    lru_pages_of,
    marks_of,
    set_isolated_lru,
    set_lru_pages,
    set_marks,
    set_stray,
)
from pageimpl.jitcache import kernel


@kernel
def is_on_lru(mem: CompactionMemory, p: int) -> bool:
    """Whether the held block is on the LRU."""
    return marks_of(mem, p) & ON_LRU != 0


@kernel
def put_on_lru(mem: CompactionMemory, p: int, order: int) -> None:
    """Enter a held block as on the LRU."""
    if not is_on_lru(mem, p):
        set_marks(mem, p, marks_of(mem, p) | ON_LRU)
        set_lru_pages(mem, lru_pages_of(mem) + (1 << order))


@kernel
def forget(mem: CompactionMemory, p: int, order: int) -> None:
    """The block is nobody's any more: forget what its holder has said of it."""
    if is_on_lru(mem, p):
        set_marks(mem, p, marks_of(mem, p) & ~ON_LRU)
        set_lru_pages(mem, lru_pages_of(mem) - (1 << order))
    set_stray(mem, p, 0)


@kernel
def count_isolated(mem: CompactionMemory, p: int, pages: int) -> None:
    """Count frames as taken off the LRU, or put back, if the block is on it."""
    if is_on_lru(mem, p):
        set_isolated_lru(mem, isolated_lru_of(mem) + pages)


@kernel
def too_many_isolated(mem: CompactionMemory) -> bool:
    """Whether more frames are off the LRU than half of those that are on it."""
    isolated = isolated_lru_of(mem)
    return isolated > (lru_pages_of(mem) - isolated) // 2
