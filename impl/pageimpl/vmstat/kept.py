"""What CPUs keep of a zone's counts of free frames: the twin of the spec's `vmstat.kept`.

The zone's words have the truth, and how much of it the zone has not been told, so that a reader
need not look at each CPU. The truth changes under the zone's lock; what is told may change beside
it, and whoever reads without the lock sees what is being counted in either way.

A cell is as wide as the kernel's own: what does not fit is cut off as it would be there, and is
then neither kept nor ever told.
"""

from pageimpl.jitcache import inlined, kernel
from pageimpl.memory import (
    Memory,
    add_kept_cma,
    add_kept_free,
    cell_threshold_of,
    free_cma_of,
    free_pages_of,
    kept_cma_of,
    kept_free_of,
    on_cpu_of,
    set_kept_cma,
    set_kept_free,
    shared_of,
)
from pageimpl.pcp.index import area_of
from pageimpl.pcp.state import cma_cell_of, free_cell_of, set_cma_cell, set_free_cell
from pageimpl.vmstat.cell import mod


@inlined
def change_kept_free(mem: Memory, pages: int) -> None:
    """Let so many more free frames be untold."""
    if shared_of(mem):
        add_kept_free(mem, pages)
    else:
        set_kept_free(mem, kept_free_of(mem) + pages)


@inlined
def change_kept_cma(mem: Memory, pages: int) -> None:
    """The same for free CMA frames."""
    if shared_of(mem):
        add_kept_cma(mem, pages)
    else:
        set_kept_cma(mem, kept_cma_of(mem) + pages)


@inlined
def keep_free(mem: Memory, pages: int) -> None:
    """Count free frames on the CPU that is at work: what its cell can't hold is told."""
    q = area_of(mem, on_cpu_of(mem), 0)
    told, left = mod(free_cell_of(mem, q), pages, cell_threshold_of(mem))
    set_free_cell(mem, q, left)
    change_kept_free(mem, pages - told)


@inlined
def keep_cma(mem: Memory, pages: int) -> None:
    """The same for free CMA frames."""
    q = area_of(mem, on_cpu_of(mem), 0)
    told, left = mod(cma_cell_of(mem, q), pages, cell_threshold_of(mem))
    set_cma_cell(mem, q, left)
    change_kept_cma(mem, pages - told)


@kernel
def tell(mem: Memory, cpu: int) -> bool:
    """Empty a CPU's cells, and return whether they held anything."""
    q = area_of(mem, cpu, 0)
    free, cma = free_cell_of(mem, q), cma_cell_of(mem, q)
    set_free_cell(mem, q, 0)
    set_cma_cell(mem, q, 0)
    change_kept_free(mem, -free)
    change_kept_cma(mem, -cma)
    return free != 0 or cma != 0


@inlined
def told_free(mem: Memory) -> int:
    """The count of free frames as whoever reads it cheaply sees it, never below 0."""
    return max(0, free_pages_of(mem) - kept_free_of(mem))


@inlined
def told_cma(mem: Memory) -> int:
    """The same for free CMA frames."""
    return max(0, free_cma_of(mem) - kept_cma_of(mem))
